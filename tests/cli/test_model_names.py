"""One name for each model, in everything that is made of a workspace."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from convergebench import api, editors
from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.cli.main import code_of
from convergebench.picture import Picture
from convergebench.report.export.measurements import measurement_rows
from convergebench.report.paper.content import Heading, content_of
from convergebench.results import load_results
from convergebench.store import Workspace
from convergebench.types import Editor, EditorFacts
from made_pictures import textured
from servers.judge import JudgeServer

Cli = Callable[..., Any]
NAME, TABLE = "jpeg", "table"


@dataclass(frozen=True)
class Jpegs:
    """A workspace with three editors and an imported table, all called jpeg."""

    workspace: Path
    suite: str
    judge: str
    usual: str
    """The editor as it is."""
    coarse: str
    """With another quality."""
    external: str
    """Of pictures that were made elsewhere."""
    table: str = f"{NAME} (imported)"


def coarse(name: str) -> Editor:
    editor = editors.open_editor(f"{name}?quality=20")
    editor.facts = replace(editor.facts, name=name)
    return editor


def external_edits(folder: Path) -> Path:
    folder.mkdir()
    lines = []
    for number, case in enumerate(load_gedit_mini().cases):
        (folder / f"{number}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
        lines.append(json.dumps({"id": case.id, "image_path": f"{number}.png"}))
    (folder / "edits.jsonl").write_text("\n".join(lines))
    return folder / "edits.jsonl"


def imported_table(path: Path) -> Path:
    header = ["model", "image", "edit_pair", "image_type", "edit_category", "round", "psnr", "ssim"]
    rows = [[NAME, "anna", "hat", "portrait", "accessories", n, 30 - n, 0.9 - n / 10] for n in (1, 2)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def succeed(*words: object) -> None:
    assert code_of([str(word) for word in words]) == 0, words


@pytest.fixture(scope="module")
def jpegs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jpegs]:
    folder = tmp_path_factory.mktemp("jpegs")
    there = ("--workspace", folder / "results")
    pictures = folder / "pictures"
    pictures.mkdir()
    (pictures / "anna.png").write_bytes(Picture.from_pixels(textured()).encoded)
    settings = api.Settings((NAME,), f"folder:{pictures}", 2, limit=2, metrics=("psnr", "ssim"))
    with pytest.MonkeyPatch.context() as patched, JudgeServer() as judge:
        patched.setenv("CONVERGEBENCH_CACHE", str(folder / "cache"))
        for open_editor in (editors.open_editor, coarse):
            plan = api.make_plan(settings, open_editor=open_editor)
            with Workspace.create(folder / "results") as workspace:
                api.execute(plan, settings, workspace)
        succeed("run", "--model", NAME, "--suite", "gedit-mini", "--limit", 2, "--metric", "psnr", *there)
        succeed("import", imported_table(folder / "detailed.csv"), "--suite", TABLE, *there)
        single = ("--suite", "gedit-mini", "--limit", 2, "--judge", judge.name)
        succeed("score", external_edits(folder / "made"), "--model", NAME, *single, *there)
        succeed("judge", "--judge", judge.name, "--suite", plan.suite, *there)
        facts = [editors.open_editor(NAME).facts, coarse(NAME).facts, EditorFacts(NAME, "imported")]
        labels = [f"{NAME}@{one.fingerprint[:6]}" for one in facts]
        yield Jpegs(folder / "results", plan.suite, judge.name, *labels)


def models_in(rows: list[dict[str, Any]]) -> set[str]:
    return {row["model"] for row in rows}


def test_tables_of_all_commands_call_a_model_the_same(cli: Cli, jpegs: Jpegs) -> None:
    where = ("--suite", jpegs.suite, "-w", jpegs.workspace, "--json")
    assert models_in(cli("summary", *where).json["rows"]) == {jpegs.usual, jpegs.coarse}
    imported = cli("summary", "--suite", TABLE, "-w", jpegs.workspace, "--json").json
    assert models_in(imported["rows"]) == {jpegs.table}
    compared = cli("compare", jpegs.usual, jpegs.coarse, *where).json
    assert [one["model"] for one in compared["models"]] == [jpegs.usual, jpegs.coarse]
    judged = cli("judge", "--judge", jpegs.judge, *where).json
    assert models_in(judged["rows"]) == {jpegs.usual, jpegs.coarse}
    single = ("--suite", "gedit-mini", "--limit", 2, "-w", jpegs.workspace, "--json")
    scored = cli("score", "--judge", jpegs.judge, *single).json
    assert models_in(scored["rows"]) == {jpegs.usual, jpegs.external}


def test_a_name_that_several_share_means_all_of_them(cli: Cli, jpegs: Jpegs) -> None:
    words = ("judge", "--judge", jpegs.judge, "--suite", jpegs.suite, "-w", jpegs.workspace, "--json")
    assert models_in(cli(*words, NAME).json["rows"]) == {jpegs.usual, jpegs.coarse}
    assert models_in(cli(*words, jpegs.coarse).json["rows"]) == {jpegs.coarse}


def test_exported_files_call_a_model_the_same(cli: Cli, jpegs: Jpegs, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    with Workspace.existing(jpegs.workspace) as workspace:
        every = {row.model for row in measurement_rows(workspace)}
    assert every == {jpegs.usual, jpegs.coarse, jpegs.table}
    words = ("--suite", jpegs.suite, "-w", jpegs.workspace, "-o", folder, "--format", "csv,markdown,latex")
    assert cli("export", *words).code == 0
    for name in ("measurements", "benchmark_summary_final", "benchmark_results_detailed"):
        with (folder / f"{name}.csv").open() as file:
            assert models_in(list(csv.DictReader(file))) == {jpegs.usual, jpegs.coarse}, name
    for name in ("tables.md", "tables.tex"):
        text = (folder / name).read_text()
        assert jpegs.usual in text and jpegs.coarse in text, name


def page_data(folder: Path, key: str) -> Any:
    script = (folder / "page" / "data" / f"{key}.js").read_text(encoding="ascii")
    quoted = script[script.index("'") + 1 : script.rindex("'")]
    return json.loads(quoted.replace("\\'", "'").replace("\\\\", "\\"))


def test_the_page_calls_a_model_the_same(cli: Cli, jpegs: Jpegs, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    assert cli("report", "--suite", jpegs.suite, "-w", jpegs.workspace, "-o", folder).code == 0
    overview = page_data(folder, "overview")
    assert {one["name"] for one in overview["models"]} == {jpegs.usual, jpegs.coarse}
    pictured = {overview["models"][film["model"]]["name"] for film in page_data(folder, "pictures")["films"]}
    assert pictured == {jpegs.usual, jpegs.coarse}
    edits = {one["model"] for case in page_data(folder, "edits") for one in case["edits"]}
    assert edits == {jpegs.usual, jpegs.external}
    judging = page_data(folder, "judging")
    assert {judging["texts"][row[4]] for row in judging["rows"]} == {
        jpegs.usual,
        jpegs.coarse,
        jpegs.external,
    }
    assert models_in(judging["summaries"]) == {jpegs.usual, jpegs.coarse, jpegs.external}
    runs = page_data(folder, "runs")
    assert {one["name"] for one in runs["editors"]} == {jpegs.usual, jpegs.coarse}
    assert models_in(runs["uses"]) == {jpegs.usual, jpegs.coarse}


def test_the_paper_calls_a_model_the_same(jpegs: Jpegs, tmp_path: Path) -> None:
    with Workspace.existing(jpegs.workspace) as workspace:
        document = content_of(workspace, load_results(workspace, jpegs.suite), Heading(), tmp_path / "paper")
    found = document.part
    tables = {name: {row[0] for grid in grids for row in grid.rows} for name, grids in found.tables.items()}
    assert tables["models"] == tables["use"] == {jpegs.usual, jpegs.coarse}
    assert {jpegs.usual, jpegs.coarse, jpegs.external} <= tables["judged"]
    assert {strip.model for strip in found.strips["worst"]} == {jpegs.usual, jpegs.coarse}
