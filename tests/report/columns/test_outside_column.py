"""A column that another package registers is in every view of a ranking."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from report.page.filled import fill
from report.plugin import install, run_with

COLUMNS = """
from convergebench.report.columns import ColumnValue, RankingColumn


def depths(ranking):
    return {
        row.model: ColumnValue(0.8, 0.7, 0.9, n=row.n, bound="≤" if row.model == "fading" else None)
        for row in ranking.rows
        if row.model != "refuser"
    }


COLUMNS = (
    RankingColumn(
        "safe_depth", "safe depth", "Edits that keep the picture", depths, better="higher", places=1,
        intervals=("paper",),
    ),
    RankingColumn(
        "usable_for", "usable for", "What the model can be used for",
        lambda ranking: {row.model: ColumnValue(text="retouching") for row in ranking.rows},
        is_words=True,
    ),
)
"""

EVERY_VIEW = """
import contextlib, io, sys
from pathlib import Path
from convergebench.cli.main import code_of
workspace, out = sys.argv[1], Path(sys.argv[2])
for name, words in {
    "default.txt": ["summary"],
    "chosen.txt": ["summary", "--columns", "score,safe_depth,usable_for"],
    "all.txt": ["summary", "--columns", "all"],
    "summary.csv": ["summary", "--csv"],
    "summary.json": ["summary", "--json"],
    "report.txt": ["report", "--output", str(out / "report")],
    "paper.txt": ["paper", "--output", str(out / "paper")],
}.items():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert code_of([*words, "--workspace", workspace]) == 0, words
    (out / name).write_text(printed.getvalue())
"""


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("typst", reason="pip install 'convergebench[paper]'")
    folder = tmp_path_factory.mktemp("plugin")
    install(folder, "convergebench.columns", "COLUMNS", COLUMNS)
    fill(folder / "results")
    done = run_with(folder, EVERY_VIEW, folder / "results", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_terminal_has_it_when_it_is_asked_for(views: Path) -> None:
    assert "safe" not in (views / "default.txt").read_text()
    chosen = (views / "chosen.txt").read_text().splitlines()
    fading = next(line for line in chosen if "fading" in line)
    assert fading.split()[-3:] == ["≤", "0.8", "retouching"]
    refuser = next(line for line in chosen if "refuser" in line)
    assert refuser.split()[-2:] == ["–", "retouching"]
    assert "retouching" in (views / "all.txt").read_text()


def test_the_csv_has_value_interval_count_and_bound(views: Path) -> None:
    rows = {row["model"]: row for row in csv.DictReader((views / "summary.csv").open())}
    found = [rows["fading"][f"safe_depth{field}"] for field in ("", "_low", "_high", "_n", "_bound")]
    assert found == ["0.8", "0.7", "0.9", "4", "≤"]
    assert rows["refuser"]["safe_depth"] == "" and rows["refuser"]["usable_for"] == "retouching"


def test_the_json_has_it_by_its_key(views: Path) -> None:
    rows = {row["model"]: row for row in json.loads((views / "summary.json").read_text())["rows"]}
    assert rows["steady"]["safe_depth"]["value"] == 0.8 and rows["steady"]["safe_depth"]["high"] == 0.9
    assert rows["refuser"]["safe_depth"]["value"] is None
    assert rows["refuser"]["usable_for"]["text"] == "retouching"


def test_the_report_and_the_paper_have_it_as_a_column(views: Path) -> None:
    heading = next(line for line in (views / "report/report.md").read_text().splitlines() if "model" in line)
    assert heading.endswith("| safe depth | usable for |")
    table = json.loads((views / "paper/data.json").read_text())["tables"]["ranking"][0]
    assert table["headings"][-2:] == ["safe depth", "usable for"]
    assert ["0.8 [0.7, 0.9]", "retouching"] in [row[-2:] for row in table["rows"]]
    assert len(table["headings"]) - 1 in table["left"]


def test_the_page_has_its_heading_explanation_text_and_number(views: Path) -> None:
    script = (views / "report/page/data/metric/ssim.js").read_text()
    ranking = json.loads(eval(script.partition(", ")[2].rstrip(");\n")))["ranking"]
    place = next(place for place, one in enumerate(ranking["columns"]) if one["key"] == "safe_depth")
    assert ranking["columns"][place]["heading"] == "safe depth"
    assert ranking["columns"][place]["explanation"] == "Edits that keep the picture"
    cells = {row["model"]: row["cells"][place] for row in ranking["rows"]}
    assert (cells["fading"]["text"], cells["fading"]["value"]) == ("≤ 0.8", 0.8)
    assert (cells["refuser"]["text"], cells["refuser"]["value"]) == ("–", None)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("COLUMNS = 1 / 0", "cannot be loaded: division by zero"),
        ("COLUMNS = 'half-life'", "is not a RankingColumn"),
        (COLUMNS.replace("safe_depth", "half_life"), "'half_life' is registered twice"),
    ],
)
def test_a_broken_plug_in_is_named(tmp_path: Path, code: str, sentence: str) -> None:
    install(tmp_path, "convergebench.columns", "COLUMNS", code)
    script = "from convergebench.report.columns._catalogue import _registered; _registered()"
    assert sentence in run_with(tmp_path, script).stderr
