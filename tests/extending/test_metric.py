from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from extending.conftest import Commands, Install

LARGEST = """
    from convergebench.metrics.base import metric

    @metric("largest_difference", better="lower", perfect=0, worst=255, dimension="quality")
    def largest_difference(source, result):
        \"\"\"The largest difference of any value.\"\"\"
        return float(abs(source.astype(int) - result).max())
"""


def test_an_installed_metric_is_listed_measured_summarised_and_exported(
    install: Install, commands: Commands, run_words: Callable[..., Any], tmp_path: Path
) -> None:
    install("convergebench.metrics", "largest", {"largest.py": LARGEST})
    listed, ran, ranked, _ = commands(
        ("metrics", "--json"),
        run_words(model="identity", metric="largest_difference"),
        ("summary", "--metric", "largest_difference"),
        ("export", "-o", "out"),
    )
    assert "largest_difference" in [one["name"] for one in listed.json]
    assert ran.code == 0
    assert "Largest difference by" in " ".join(ranked.out.split())
    assert any("largest_difference" in file.read_text() for file in (tmp_path / "out").glob("*.csv"))
