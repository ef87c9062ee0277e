from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from rich.console import Console

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, PublishedFigure
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.report.export.csv_files import csv_text
from convergebench.report.tables.benchmark import (
    benchmark_notes,
    benchmark_tables,
    csv_benchmark,
    json_benchmark,
)

ROWS = [
    BenchmarkRow("m", "gedit", "en", "Overall", "color_alter", 5, 1, Interval(7.317, 6.2, 8.1, 5, 5),
                 {"verdict refused": 1}),
    BenchmarkRow("m", "gedit", "en", "Overall", "text_change", 0, 2, None,
                 {"verdict refused": 1, "not judged yet": 1}),
    BenchmarkRow("m", "gedit", "en", "Overall", "OVERALL (sample mean)", 5, 3,
                 Interval(7.317, None, None, 5, 1), {"verdict refused": 2, "not judged yet": 1}),
]  # fmt: skip


def printed(rows: list[BenchmarkRow], width: int = 80) -> list[list[str]]:
    out = Console(file=io.StringIO(), width=width)
    out.print(*benchmark_tables(rows, width), sep="\n")
    assert isinstance(out.file, io.StringIO)
    return [line.split() for line in out.file.getvalue().splitlines()]


def test_a_line_has_score_and_interval_and_a_missing_score_is_a_dash() -> None:
    title, _, _, metric, first, second, third = printed(ROWS)
    assert (title, metric) == (["m,", "gedit,", "en"], ["Overall"])
    assert first == ["color_alter", "5", "1", "7.32", "6.20", "–", "8.10"]
    assert second == ["text_change", "0", "2", "–", "–"]
    assert third[-2:] == ["7.32", "–"]


def test_forty_columns_keep_labels_and_scores_and_name_what_they_leave_out() -> None:
    lines = printed(ROWS, width=40)
    assert ["color_alter", "5", "7.32"] in lines
    said = " ".join(word for line in lines for word in line)
    assert "Too narrow for: 95 % interval, missing." in said


def test_a_narrow_terminal_keeps_subsets_scores_and_published_figures_whole() -> None:
    rows = [replace(row, as_published=PublishedFigure(6.5, 4)) for row in ROWS]
    lines = printed(rows, width=46)
    assert ["color_alter", "5", "7.32", "6.50", "(n", "4)"] in lines
    assert ["Too", "narrow", "for:"] in [line[:3] for line in lines]
    assert not any("…" in word for line in lines for word in line)


def test_points_out_of_a_hundred_have_one_decimal() -> None:
    row = BenchmarkRow("m", "wiseedit", "en", "AVG", "overall", 9, 0, Interval(44.4333, 40.0, 48.04, 9, 9))
    assert printed([row])[-1][-4:] == ["44.4", "40.0", "–", "48.0"]


def test_csv_is_at_full_precision_with_empty_cells_for_what_is_missing() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(csv_benchmark(ROWS)))))
    assert [row["score"] for row in rows] == ["7.317", "", "7.317"]
    assert [row["low"] for row in rows] == ["6.2", "", ""]
    assert [row["missing"] for row in rows] == ["1", "2", "3"]


def test_json_has_null_and_the_reasons_for_what_is_missing() -> None:
    rows = json.loads(json.dumps(json_benchmark(ROWS)))
    assert rows[1]["score"] is None
    assert rows[1]["reasons"] == {"verdict refused": 1, "not judged yet": 1}


def test_notes_count_each_missing_sample_once() -> None:
    assert benchmark_notes(ROWS) == [
        "m: 2 samples missing: verdict refused",
        "m: 1 sample missing: not judged yet",
    ]
