from __future__ import annotations

import doctest
from pathlib import Path

from convergebench import metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_examples_in_the_page_on_metrics_are_true() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert not found.failed


def test_every_metric_is_in_the_page_on_metrics() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in metrics.names() if f"`{name}`" not in text] == []
