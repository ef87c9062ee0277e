"""Layouts of data and results as the benchmarks' own programs leave them."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from convergebench.benchmarks.gedit.mini import mini_rows
from convergebench.benchmarks.gedit.suite import case_of_result, gedit_ids, load_gedit, result_pictures
from convergebench.benchmarks.layouts import EDIT, ResultPlace, folder_layout
from convergebench.benchmarks.mini_scenes import mini_scene
from convergebench.benchmarks.reedit.mini import mini_rows as reedit_rows
from convergebench.benchmarks.reedit.suite import load_reedit
from convergebench.benchmarks.reedit.suite import result_pictures as reedit_pictures
from convergebench.benchmarks.registry import benchmark_of
from convergebench.importing.external_edits import read_edits
from convergebench.suites._hub import local_copy
from convergebench.suites.sampling import Sampling


def write_gedit(folder: Path, *keys: tuple[str, str]) -> Path:
    """JSON lines with these tasks and keys."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "one.png").write_bytes(mini_scene(1))
    lines = [
        {"key": key, "task_type": task, "instruction": f"{task} {key}", "instruction_language": "en",
         "input_image": "one.png"}
        for task, key in keys
    ]  # fmt: skip
    (folder / "gedit.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder / "gedit.jsonl"


def test_a_key_in_two_tasks_is_two_cases_and_both_results_are_found(tmp_path: Path) -> None:
    data = write_gedit(tmp_path, ("color_alter", "a"), ("ps_human", "a"), ("ps_human", "b"))
    known = gedit_ids(str(data))
    assert known == {"color_alter/a", "ps_human/a", "b"}
    assert {case.id for case in load_gedit(str(data)).cases} == known
    for place in ("color_alter/en/a", "ps_human/en/a", "ps_human/en/b", "ps_human/cn/b"):
        for name in (place, f"{place}_SRCIMG"):
            file = tmp_path / "made" / "m" / "fullset" / f"{name}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"x")
    found = read_edits(tmp_path / "made", "m", benchmark_of("gedit").results, "en", known)
    assert {edit.case: edit.file.parent.parent.name for edit in found} == {
        "color_alter/a": "color_alter", "ps_human/a": "ps_human", "b": "ps_human"
    }  # fmt: skip


def test_results_of_another_language_are_passed_over() -> None:
    assert case_of_result("ps_human/cn/b", "", {"b"}) is None
    assert case_of_result("ps_human/cn/b", "cn", {"b"}) == "b"
    assert list(result_pictures(Path("/nowhere"))) == []


@pytest.mark.parametrize("name", ["gedit", "wiseedit", "reedit"])
def test_results_exported_in_a_benchmarks_layout_are_found_by_score(name: str, tmp_path: Path) -> None:
    benchmark, layout = benchmark_of(name), folder_layout(name)
    cases = benchmark.load(f"{name}-mini").cases
    for case in cases:
        path = layout.path(ResultPlace(case.id, case.category, case.language, EDIT, 1))
        assert path is not None
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x")
    known = benchmark.case_ids(f"{name}-mini")
    found = read_edits(tmp_path, "m", benchmark.results, cases[0].language, known)
    assert {edit.case for edit in found} == {case.id for case in cases}


def test_of_several_snapshots_in_a_hub_cache_the_newest_is_used_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "datasets--stepfun-ai--GEdit-Bench"
    for age, name in enumerate(("aaa", "zzz", "mmm")):
        write_gedit(cache / "snapshots" / name, ("color_alter", name))
        os.utime(cache / "snapshots" / name, (1000 * age, 1000 * age))
    with caplog.at_level(logging.WARNING, "convergebench"):
        assert gedit_ids(str(cache)) == {"mmm"}
    assert "3 snapshots; the newest, mmm, is used" in caplog.text
    assert local_copy(str(cache / "snapshots" / "aaa"), (), "") == cache / "snapshots" / "aaa"


def test_reedits_pictures_are_found_by_ids_with_the_category_in_english(tmp_path: Path) -> None:
    first, second, *_ = reedit_rows()
    rows = [{**first, "original_image_path": "data/00008_物理_medium.png"}, second]
    (tmp_path / "RE-Edit.json").write_text(json.dumps(rows))
    suite = load_reedit(str(tmp_path / "RE-Edit.json"))
    ids = [case.id for case in suite.cases]
    assert ids[0] == "physical/00008_physical_medium"
    for name in ids:
        for ending in ("primary", "refined"):
            file = tmp_path / "made" / f"{name}_{ending}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"x")
    assert {name: file.stem[-7:] for name, file in reedit_pictures(tmp_path / "made")} == dict.fromkeys(
        ids, "primary"
    )


def test_evalscopes_limit_takes_the_first_of_each_subset(tmp_path: Path) -> None:
    keys = [(task, f"{task}-{n}") for n in range(5) for task in ("color_alter", "ps_human")]
    data = write_gedit(tmp_path, *keys)
    chosen = load_gedit(str(data), sampling=Sampling(first_per_subset=2)).cases
    assert sorted(case.id for case in chosen) == [
        "color_alter-0",
        "color_alter-1",
        "ps_human-0",
        "ps_human-1",
    ]


def test_the_mini_suite_marks_half_of_its_cases_as_the_intersection() -> None:
    assert sum(bool(row["Intersection_exist"]) for row in mini_rows()) == 22
