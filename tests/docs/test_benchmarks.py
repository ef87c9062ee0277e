"""The examples of docs/benchmarks.md are tasks that can be meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convergebench.benchmarks.gedit.suite import SUBSETS
from convergebench.benchmarks.registry import benchmarks_by_suite
from convergebench.settings_file import settings_from
from convergebench.task import Task

DOC = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_the_task_file_of_the_page_is_a_task() -> None:
    yaml = pytest.importorskip("yaml")
    (example,) = re.findall(r"```yaml\n(.*?)```", DOC, re.DOTALL)
    task = settings_from(Task, yaml.safe_load(example), "a task")
    assert task.suite in benchmarks_by_suite()
    assert set(task.subsets) <= set(SUBSETS)
    assert task.judge_name == "dashscope:qwen2.5-vl-72b-instruct?temperature=0.0&max_tokens=4096"


def test_the_page_names_every_subset_of_gedit_bench() -> None:
    assert set(SUBSETS) <= set(re.findall(r"`([\w-]+)`", DOC))
