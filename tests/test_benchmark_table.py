"""The tables of docs/performance.md, which `make bench` writes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("table")


def row(what: str, figure: str, script: str) -> str:
    return f"| {what} | {figure} | – | – | `benchmarks/{script}.py` |"


def rows_after(begin: str, page: str) -> list[str]:
    lines = page.partition(begin)[2].partition("<!-- end -->")[0].splitlines()
    return [line for line in lines if ".py` |" in line]


def test_new_rows_take_the_place_of_those_of_their_script_in_their_table(table: Any) -> None:
    on_processor = [row("page", "5 s", "page_speed"), row("start", "1 s", "startup")]
    on_gpu = [row("metrics", "900/s", "metrics_gpu"), row("harness", "+1 %", "batched_editing")]
    page = "\n".join(
        [
            "Speed.", "<!-- measured -->", "Measured on paper.", *on_processor, "<!-- end -->",
            "Why:", "<!-- measured on a GPU -->", *on_gpu, "<!-- end -->", "The end.",
        ]
    )  # fmt: skip
    new = [row("default set", "700/s", "default_set_gpu"), row("metrics", "1,000/s", "metrics_gpu")]
    page = table.GPU.rewritten(page, new, "a new GPU")
    assert rows_after("<!-- measured on a GPU -->", page) == [*new, on_gpu[1]]
    assert rows_after("<!-- measured -->", page) == on_processor
    assert page.startswith("Speed.\n<!-- measured -->\nMeasured on paper.") and page.endswith("\nThe end.")
    assert "<!-- measured on a GPU -->\nMeasured on a new GPU." in page


def test_every_row_of_the_page_is_measured_by_a_benchmark_of_its_table(table: Any) -> None:
    page = table.PAGE.read_text()
    for one in (table.PROCESSOR, table.GPU):
        scripts = {line.split("`benchmarks/")[1].split(".py`")[0] for line in rows_after(one.begin, page)}
        assert scripts == set(one.names)
        assert all((BENCHMARKS / f"{name}.py").is_file() for name in one.names)
