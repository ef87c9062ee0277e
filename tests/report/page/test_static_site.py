from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from convergebench.picture import Picture
from convergebench.report.page.sections import Sections
from convergebench.results import load_results
from convergebench.store import Enrolment, Workspace
from convergebench.types import Failure
from report.page.conftest import write
from report.page.filled import (
    HEIGHT,
    NO_CLIP,
    REFUSAL,
    ROUNDS,
    SUITE,
    WIDTH,
    cases,
    editor,
    fill,
    record,
    source_of,
)


def section(folder: Path, key: str) -> Any:
    script = (folder / "page" / "data" / f"{key}.js").read_text(encoding="ascii")
    quoted = script[script.index("'") + 1 : script.rindex("'")]
    return json.loads(quoted.replace("\\'", "'").replace("\\\\", "\\"))


def test_a_picture_that_is_gone_or_damaged_is_left_out_and_the_page_is_written(tmp_path: Path) -> None:
    fill(tmp_path / "results")
    gone, damaged, *_ = sorted((tmp_path / "results" / "pictures").glob("??/*"))
    gone.unlink()
    damaged.write_bytes(b"not what was stored")
    page = write(tmp_path / "results", tmp_path / "report")
    assert (page / "index.html").is_file()
    assert len(list((page / "pictures").glob("??/*"))) > 2
    offered = {one["export"] for one in section(page, "strips")} - {None}
    assert offered, "the strips of other models are whole"
    assert all((page / "page" / "exports" / f"{name}.webp").is_file() for name in offered)


def test_every_picture_that_a_case_names_is_in_the_folder_with_its_thumbnail(written: Path) -> None:
    cases = [section(written, f"case/{number}") for number in range(4)]
    named = [case["source"] for case in cases]
    named += [step["picture"] for case in cases for film in case["films"] for step in film["steps"]]
    made = [picture for picture in named if picture]
    assert len(made) > 50
    for picture in made:
        full = Picture.from_file(written / "pictures" / picture["file"])
        assert full.size == (picture["width"], picture["height"])
        digest = picture["digest"]
        small = Picture.from_file(written / "page" / "thumbnails" / digest[:2] / f"{digest}.jpg")
        assert small.size == (full.size if full.size == (WIDTH, HEIGHT) else (192, 128))


def test_all_that_the_page_loads_at_first_is_beside_it(written: Path) -> None:
    html = (written / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|href)="([^"#]+)"', html)
    assert named
    assert [name for name in named if not (written / name).is_file()] == []


def test_a_report_in_the_workspace_itself_copies_no_picture(filled: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "results"
    shutil.copytree(filled, workspace)
    before = sorted((workspace / "pictures").rglob("*.png"))
    write(workspace, workspace)
    assert sorted((workspace / "pictures").rglob("*.png")) == before


def test_a_second_report_keeps_the_thumbnails_of_the_first(filled: Path, tmp_path: Path) -> None:
    write(filled, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jpg")}
    write(filled, tmp_path)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jpg")}


def test_processes_write_what_one_process_writes_and_name_the_lost_picture(
    filled: Path,
    written: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    workspace = tmp_path / "results"
    shutil.copytree(filled, workspace)
    lost = next((workspace / "pictures").glob("??/*.png"))
    lost.unlink()
    monkeypatch.setattr("convergebench.report.page.picture_workers.FEW_PICTURES", 0)
    report = write(workspace, tmp_path / "report")
    found, expected = (
        {path.relative_to(one): path.read_bytes() for path in one.rglob("page/*/??/*.*")}
        for one in (report, written)
    )
    assert {path for path in expected if lost.stem not in path.name} == set(found)
    assert all(expected[path] == content for path, content in found.items())
    assert f"the page is without a picture: picture {lost.stem}" in capfd.readouterr().err


def test_a_report_moved_away_from_its_workspace_still_has_its_pictures(filled: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "results"
    shutil.copytree(filled, workspace)
    folder = write(workspace, tmp_path / "report")
    shutil.rmtree(workspace)
    assert Picture.from_file(folder / "pictures" / section(folder, "case/0")["source"]["file"]).size == (
        96,
        64,
    )


def test_a_report_does_not_name_the_machines_of_a_run_and_a_live_page_does(tmp_path: Path) -> None:
    place = "http://10.0.0.7:8000/v1 and /home/ada/secret/model.py"

    def placed(text: str) -> str:
        return f"{text}, see {place}" if text in (REFUSAL, NO_CLIP, "high") else text

    fill(tmp_path / "results", text=placed)
    with Workspace.create(tmp_path / "results") as workspace:
        settings = {"models": [f"server:looker?base_url={place}"], "ray_address": "head-node:6379"}
        workspace.finish_run(workspace.start_run({**settings, "pictures_at": "s3://lab/x"}, "0"), "finished")
        live = Sections(workspace, load_results(workspace), live=True).build("runs")
    page = write(tmp_path / "results", tmp_path / "report")
    data = "".join(one.read_text(encoding="ascii") for one in (page / "page" / "data").rglob("*.js"))
    assert [word for word in ("10.0.0.7", "/home", "secret", "head-node", "s3://") if word in data] == []
    runs = section(page, "runs")
    assert [one["reason"] for one in runs["failures"]] == [f"{REFUSAL}, see (address) and model.py"]
    assert ["ray_address", "(address)"] in runs["runs"][0]["settings"]
    assert [one["reason"] for one in live["failures"]] == [f"{REFUSAL}, see {place}"]


def test_a_strip_without_pictures_says_how_its_edits_failed(tmp_path: Path) -> None:
    fill(tmp_path / "results")
    with Workspace.create(tmp_path / "results") as workspace:
        run = workspace.start_run({}, "0")
        case = cases()[0]
        enrolment = Enrolment("round_trip", SUITE, editor("never"), case, 0, ROUNDS)
        (trajectory,) = workspace.enrol([enrolment], fresh=False)
        record(workspace, run, trajectory, 1, "forward", source_of(case), Failure("bad_output", "no"))
        workspace.finish_run(run, "finished")
    page = write(tmp_path / "results", tmp_path / "report")
    models = [model["name"] for model in section(page, "overview")["models"]]
    (strip,) = (one for one in section(page, "strips") if models[one["model"]] == "never")
    assert {shot["reason"] for shot in strip["shots"]} == {"bad output: no"}
