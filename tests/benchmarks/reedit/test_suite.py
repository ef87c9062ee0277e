"""RE-Edit's file in its forms, and what becomes of rows that cannot be used."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from convergebench.benchmarks.reedit.mini import load_reedit_mini, mini_rows
from convergebench.benchmarks.reedit.suite import CATEGORIES, load_reedit, reedit_ids
from convergebench.editors import open_editor
from convergebench.errors import DownloadFailed, WrongUse
from convergebench.picture import Picture
from convergebench.suites import load, select
from convergebench.suites.sampling import Sampling
from convergebench.types import Case, EditRequest, Refused

Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def rows() -> Rows:
    return [dict(row) for row in mini_rows()]


def written(content: object, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "RE-Edit.json").write_text(json.dumps(content))
    return str(folder / "RE-Edit.json")


def shape(case: Case) -> tuple[object, ...]:
    return case.id, case.source.digest, case.forward, case.backward, case.category, dict(case.hints)


def with_prefix(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "src_img_b64": f"data:image/png;base64,{row['src_img_b64']}"}


def with_path(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    place = folder / row["original_image_path"]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(base64.b64decode(row["src_img_b64"]))
    return {name: value for name, value in row.items() if name != "src_img_b64"}


def by_category(rows: Rows) -> dict[str, Rows]:
    return {name: [row for row in rows if row["subset"] == name] for name in CATEGORIES}


@pytest.mark.parametrize("form", ["list", "object", "object without subsets", "data URI", "paths", "folder"])
def test_all_forms_give_the_same_cases(form: str, rows: Rows, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    content: object = rows
    if form.startswith("object"):
        content = by_category(rows)
    if form == "object without subsets":
        content = {
            name.title(): [{k: v for k, v in row.items() if k != "subset"} for row in group]
            for name, group in by_category(rows).items()
        }
    if form == "data URI":
        content = [with_prefix(row) for row in rows]
    if form == "paths":
        content = [with_path(row, folder) for row in rows]
    data = written(content, folder)
    suite = load_reedit(str(folder) if form == "folder" else data)
    mini = load_reedit_mini()
    assert [shape(case) for case in suite.cases] == [shape(case) for case in mini.cases]
    assert suite.version == mini.version
    for case in suite.cases:
        assert Picture.from_file(case.source.path).digest == case.source.digest


def test_a_case_is_named_as_its_result_pictures_are_and_has_what_a_judge_sees(rows: Rows) -> None:
    case = next(case for case in load_reedit_mini().cases if case.id == "physical/001")
    assert (case.category, case.backward, case.language) == ("physical", None, "en")
    assert case.forward == rows[0]["edit_instruction_en"]
    assert case.hints == {
        "description": rows[0]["original_description_en"],
        "rationale": rows[0]["rationale_short_en"],
    }


@pytest.mark.parametrize("path", ["/home/someone/data/a.b.jpg", r"C:\data\a.b.jpg", "a.b.jpg", "x/a.b.webp"])
def test_paths_of_other_machines_give_the_same_names(path: str, rows: Rows, tmp_path: Path) -> None:
    data = written([{**rows[0], "original_image_path": path}], tmp_path / "data")
    assert reedit_ids(data) == {"physical/a.b"}


def test_a_row_without_a_path_is_named_by_its_place(rows: Rows, tmp_path: Path) -> None:
    data = written([rows[0], {**rows[2], "original_image_path": None}], tmp_path / "data")
    assert reedit_ids(data) == {"physical/001", "environmental/row-2"}


def test_rows_with_the_same_name_are_told_and_kept_apart(
    rows: Rows, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    again = {**rows[0], "edit_instruction_en": "Another edit of the same picture."}
    suite = load_reedit(written([rows[0], again, rows[0]], tmp_path / "data"))
    assert [case.id for case in suite.cases] == ["physical/001", "physical/001~2", "physical/001~3"]
    assert suite.cases[1].forward == "Another edit of the same picture."
    assert "cases of their own (2): row 2 is physical/001~2, row 3 is physical/001~3" in caplog.text


BROKEN: dict[str, dict[str, Any]] = {
    "it has no edit_instruction_en": {"edit_instruction_en": "  "},
    "its subset 'magical' is unknown": {"subset": "magical"},
    "it has no subset": {"subset": None},
    "its src_img_b64 is not base64": {"src_img_b64": "not base64!"},
    "its picture cannot be read": {"src_img_b64": base64.b64encode(b"no picture").decode()},
    "there is no picture at its original_image_path": {"src_img_b64": ""},
    "it has no picture in src_img_b64 and no original_image_path": {
        "src_img_b64": None,
        "original_image_path": "",
    },
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_row_is_named_with_its_reason_and_the_others_are_cases(
    reason: str, rows: Rows, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = written([rows[0], {**rows[1], **BROKEN[reason]}, rows[2]], tmp_path / "data")
    assert [case.id for case in load_reedit(data).cases] == ["physical/001", "environmental/003"]
    assert "1 of 3 rows" in caplog.text and "row 2 (" in caplog.text
    assert reason in caplog.text


def test_rows_of_no_shape_at_all_and_of_two_categories_are_broken_too(
    rows: Rows, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = written({"physical": [rows[0], "a text", 7], "causal": [rows[1]]}, tmp_path / "data")
    assert len(load_reedit(data).cases) == 1
    assert "3 of 4 rows" in caplog.text
    assert "row 2 (row-2), row 3 (row-3): it is not an object" in caplog.text
    assert "row 4 (002): it stands under causal and its subset is physical" in caplog.text


def test_a_file_of_broken_rows_alone_is_an_error_that_names_them(rows: Rows, tmp_path: Path) -> None:
    data = written([{**rows[0], "edit_instruction_en": ""}], tmp_path / "data")
    with pytest.raises(WrongUse, match=r"no row that can be used: row 1 \(001\): it has no edit_instruction"):
        load_reedit(data)


def test_categories_are_chosen_by_the_suites_name_or_afterwards(rows: Rows, tmp_path: Path) -> None:
    data = written(rows, tmp_path / "data")
    named = load(f"reedit?data={data}&subset=physical,causal")
    assert Counter(case.category for case in named.cases) == {"physical": 2, "causal": 2}
    assert {case.id for case in select(load(f"reedit?data={data}").cases, categories=["causal"], limit=1)} < {
        "causal/007", "causal/008"
    }  # fmt: skip
    with pytest.raises(WrongUse, match="did you mean physical"):
        load("reedit-mini?subset=phsical")


def test_a_sample_depends_on_its_seed_alone_and_leaves_the_version(rows: Rows, tmp_path: Path) -> None:
    data = written(rows, tmp_path / "data")
    samples = [load_reedit(data, Sampling(per_subset=1, seed=seed)) for seed in (0, 0, 1, 2, 3)]
    ids = [tuple(case.id for case in suite.cases) for suite in samples]
    assert ids[0] == ids[1] and len(set(ids)) > 1
    assert {len(one) for one in ids} == {len(CATEGORIES)}
    assert {suite.version for suite in samples} == {load_reedit_mini().version}


def test_pictures_of_rows_that_were_not_chosen_are_not_written(
    rows: Rows, tmp_path: Path, cache: Path
) -> None:
    load_reedit(written(rows, tmp_path / "data"), Sampling(limit=2))
    assert sum(file.is_file() for file in (cache / "sources").rglob("*")) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [("", "or as in reedit"),
     ("nowhere/RE-Edit.json", "nowhere/RE-Edit.json does not exist; give RE-Edit"),
     (".", "holds no .json file")],
)  # fmt: skip
def test_what_cannot_be_loaded_says_what_to_do(
    data: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WrongUse, match=said):
        load(f"reedit?data={data}")


def test_a_folder_with_several_files_asks_which(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(WrongUse, match=r"holds a\.json, b\.json; name the one file"):
        load_reedit(str(tmp_path))


def test_a_hub_that_cannot_be_reached_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DownloadFailed, match=r"could not download nobody/nothing .*name a local copy"):
        load_reedit("nobody/nothing")


def is_changed(case: Case) -> bool:
    picture = Picture.from_file(case.source.path)
    try:
        edited = asyncio.run(open_editor("classical").edit(EditRequest((picture,), case.forward, 0)))
    except Refused:
        return False
    return edited.picture.digest != picture.digest


def test_the_built_in_editor_can_do_some_of_each_category_and_not_all() -> None:
    cases = load_reedit_mini().cases
    done = Counter(case.category for case in cases if is_changed(case))
    assert set(done) == set(CATEGORIES)
    assert done.total() < len(cases)


def test_the_mini_suite_has_two_cases_of_each_category_and_is_listed_so() -> None:
    suite = load("reedit-mini")
    assert Counter(case.category for case in suite.cases) == dict.fromkeys(CATEGORIES, 2)
    assert suite.name == "reedit-mini"
    assert len({case.source.digest for case in suite.cases}) == len(suite.cases) == 10
