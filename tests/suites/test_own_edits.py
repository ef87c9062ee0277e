from __future__ import annotations

import json
from pathlib import Path

import pytest

from convergebench import api
from convergebench.errors import WrongUse
from convergebench.instructions.captions import captions, written_captions
from convergebench.instructions.fill_inverses import filled_inverses
from convergebench.metrics.clip_direction import Captions
from convergebench.picture import Picture
from convergebench.protocols import protocol_cases
from convergebench.suites import read_own_edits
from convergebench.types import Suite
from made_pictures import textured

FORWARD, BACKWARD = "Add a red scarf to the dog.", "Remove the red scarf from the dog."
ROWS = [
    {"picture": "anna*", "forward": FORWARD, "category": "clothes", "area": "neck"},
    {"forward": "Zap it.", "backward": "Unzap it.", "reversibility": "ambiguous", "name": "zap",
     "caption_before": "a picture", "caption_after": "a zapped picture"},
]  # fmt: skip


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(("anna", "lake")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
    return folder


def as_csv(rows: list[dict[str, str]], encoding: str = "utf-8") -> bytes:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [",".join(columns), *(",".join(row.get(key, "") for key in columns) for row in rows)]
    return "\r\n".join(lines).encode(encoding)


def as_jsonl(rows: list[dict[str, str]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def as_toml(rows: list[dict[str, str]]) -> bytes:
    tables = ["[[edit]]\n" + "\n".join(f"{key} = {json.dumps(row[key])}" for key in row) for row in rows]
    return "\n".join(tables).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("edits.csv", as_csv(ROWS)),
        ("edits.csv", as_csv(ROWS, "utf-16")),
        ("edits.jsonl", as_jsonl(ROWS)),
        ("edits.toml", as_toml(ROWS)),
    ],
)
def test_every_form_of_the_file_gives_the_same_cases(
    pictures: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    suite = api.load_suite(f"folder:{pictures}", str(tmp_path / name))
    assert [case.id for case in suite.cases] == ["anna/add_a_red_scarf_to_the_dog", "anna/zap", "lake/zap"]
    scarf, zap, _ = suite.cases
    assert (scarf.backward, scarf.category, scarf.hints["reversibility"]) == (
        BACKWARD, "clothes", "reversible",
    )  # fmt: skip
    assert (zap.backward, zap.hints["reversibility"]) == ("Unzap it.", "ambiguous")
    assert filled_inverses(suite.cases) == {(FORWARD, BACKWARD): "a template"}


def test_edits_can_name_their_own_pictures(pictures: Path) -> None:
    (pictures / "edits.csv").write_bytes(as_csv([{"picture": "an*.png", "forward": FORWARD}]))
    suite = api.load_suite("", str(pictures / "edits.csv"))
    assert [case.source.id for case in suite.cases] == ["anna"]
    assert suite.name == "edits:edits.csv"


def test_pictures_of_one_name_are_told_apart_by_their_suffix(pictures: Path) -> None:
    (pictures / "anna.jpg").write_bytes(Picture.from_pixels(textured(seed=7)).encoded)
    rows = [{"forward": FORWARD}, {"forward": "Add a hat to the dog.", "picture": "anna.jpg"}]
    (pictures / "edits.csv").write_bytes(as_csv(rows))
    suite = api.load_suite("", str(pictures / "edits.csv"))
    assert sorted(case.id for case in suite.cases) == [
        "anna.jpg/add_a_hat_to_the_dog", "anna.jpg/add_a_red_scarf_to_the_dog",
        "anna.png/add_a_red_scarf_to_the_dog", "lake/add_a_red_scarf_to_the_dog",
    ]  # fmt: skip


def test_a_picture_is_found_however_its_letters_are_written(tmp_path: Path) -> None:
    """macOS may write ö as o with two dots; what people type has one letter."""
    (tmp_path / "Bjo\u0308rn.png").write_bytes(Picture.from_pixels(textured()).encoded)
    (tmp_path / "edits.csv").write_text("picture,forward\nBj\u00f6rn*,Add a hat.\n")
    (tmp_path / "pictures.json").write_text(json.dumps({"Bj\u00f6rn.png": {"kind": "portrait"}}))
    edits = str(tmp_path / "edits.csv")
    for name in (f"folder:{tmp_path}", ""):
        assert [case.forward for case in api.load_suite(name, edits).cases] == ["Add a hat."]
    assert {case.kind for case in api.load_suite(f"folder:{tmp_path}").cases} == {"portrait"}


def test_changed_edits_are_another_version_of_the_suite(pictures: Path, tmp_path: Path) -> None:
    versions = set()
    for forward in (FORWARD, "Add a hat to the dog."):
        (tmp_path / "edits.csv").write_bytes(as_csv([{"forward": forward}]))
        versions.add(api.load_suite(f"folder:{pictures}", str(tmp_path / "edits.csv")).version)
    assert len(versions) == 2


def test_notes_on_pictures_may_contain_edits(pictures: Path) -> None:
    notes = {"anna.png": {"edits": [{"forward": FORWARD}, "hat_add_remove"]}, "lake.png": {"edits": []}}
    (pictures / "pictures.json").write_text(json.dumps(notes))
    suite = api.load_suite(f"folder:{pictures}")
    assert [case.forward for case in suite.cases][-1] == FORWARD
    assert suite.cases[-1].backward == BACKWARD and len(suite.cases) == 2


def test_sequences_and_cross_edits_of_own_edits_keep_to_different_areas(
    pictures: Path, tmp_path: Path
) -> None:
    rows = [
        {"forward": "Add a scarf to the dog.", "area": "neck"},
        {"forward": "Add a tie to the dog.", "area": "neck"},
        {"forward": "Add a hat to the dog.", "area": "head"},
    ]
    (tmp_path / "edits.csv").write_bytes(as_csv(rows))
    suite: Suite = api.load_suite(f"folder:{pictures}", str(tmp_path / "edits.csv"))
    cases = protocol_cases("sequence?edits=2", 1, suite.cases, suite.cases).cases
    assert cases and all("hat" in case.pair for case in cases)


def test_written_captions_are_used_for_their_edit(pictures: Path, tmp_path: Path) -> None:
    (tmp_path / "edits.jsonl").write_bytes(as_jsonl(ROWS))
    case = api.load_suite(f"folder:{pictures}", str(tmp_path / "edits.jsonl")).cases[-1]
    written = written_captions(case.forward, case.hints)
    assert captions("Zap it.", written) == Captions("a picture", "a zapped picture")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"forward": "Zap it."}], "no inverse is known for 1 edit "),
        ([{"forwrad": "Zap it."}], "did you mean forward"),
        ([{"forward": FORWARD, "picture": "ana"}], "did you mean anna"),
        ([{"forward": FORWARD, "reversibility": "perhaps"}], "reversibility must be one of"),
        ([{"forward": FORWARD}, {"forward": FORWARD}], "two edits of anna are called"),
        ([], "has no edits"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    pictures: Path, tmp_path: Path, rows: list[dict[str, str]], message: str
) -> None:
    (tmp_path / "edits.jsonl").write_bytes(as_jsonl(rows))
    with pytest.raises(WrongUse, match=message):
        api.make_plan(
            api.Settings(("identity",), f"folder:{pictures}", 1, edits=str(tmp_path / "edits.jsonl"))
        )


@pytest.mark.parametrize("heading", ["forward", "forward,", "picture,forward"])
def test_a_text_that_a_comma_without_quotes_would_cut_is_refused(tmp_path: Path, heading: str) -> None:
    picture = "*," if "picture" in heading else ""
    (tmp_path / "edits.csv").write_text(f"{heading}\n{picture}Make the hat red, then add a scarf\n")
    with pytest.raises(WrongUse, match="line 2 has more fields than the heading; put texts with commas"):
        read_own_edits(tmp_path / "edits.csv")
    (tmp_path / "edits.csv").write_text(f'{heading}\n{picture}"Make the hat red, then add a scarf"\n')
    assert [one.forward for one in read_own_edits(tmp_path / "edits.csv")] == [
        "Make the hat red, then add a scarf"
    ]


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_a_table_that_a_spreadsheet_saved_without_commas_is_refused(
    tmp_path: Path, sign: str, name: str
) -> None:
    (tmp_path / "edits.csv").write_text(f"picture{sign}forward\nanna*{sign}Add a hat.\n")
    with pytest.raises(WrongUse, match=f"has {name} between its columns; save it with commas"):
        read_own_edits(tmp_path / "edits.csv")


def test_a_text_in_json_lines_may_hold_any_end_of_a_line_but_a_newline(tmp_path: Path) -> None:
    forward = "Write one\u2028two\u0085three on the sign."
    rows = [{"forward": forward}, {"forward": FORWARD}]
    text = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "edits.jsonl").write_bytes(text.encode())
    assert [edit.forward for edit in read_own_edits(tmp_path / "edits.jsonl")] == [forward, FORWARD]


def test_empty_cells_beside_a_table_are_no_fields(tmp_path: Path) -> None:
    (tmp_path / "edits.csv").write_text("forward,backward\nZap it.,Unzap it.,, ,\n")
    assert [edit.backward for edit in read_own_edits(tmp_path / "edits.csv")] == ["Unzap it."]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("edits.jsonl", '{"forward": "Zap it.", "hints": "abc"}', "line 1: hints must be an object"),
        ("edits.jsonl", '{"forward": "Zap it.", "hints": [1]}', "line 1: hints must be an object"),
        ("edits.jsonl", '{"forward": "Zap it.", "hints": {"a": 1}}', "line 1: every field must be a text"),
        ("edits.csv", "forward,hints\nZap it.,abc\n", "line 2: hints must be an object"),
        ("edits.toml", 'edit = ["a"]', r"must have its edits as tables \[\[edit\]\]"),
        ("edits.toml", 'edit = {forward = "Zap it."}', r"must have its edits as tables \[\[edit\]\]"),
    ],
)
def test_what_is_not_of_the_form_of_an_edit_is_wrong_use(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(WrongUse, match=message):
        read_own_edits(tmp_path / name)


def test_edits_without_an_inverse_can_still_be_made_once(pictures: Path, tmp_path: Path) -> None:
    (tmp_path / "edits.jsonl").write_bytes(as_jsonl([{"forward": "Zap it."}]))
    assert read_own_edits(tmp_path / "edits.jsonl")[0].backward is None
    settings = api.Settings(
        ("identity",), f"folder:{pictures}", 1, edits=str(tmp_path / "edits.jsonl"), protocol="one_shot"
    )
    assert len(api.make_plan(settings).cases) == 2


def test_a_run_says_which_inverses_nobody_wrote_before_it_edits(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from convergebench.cli.main import code_of

    (tmp_path / "edits.csv").write_bytes(as_csv([{"forward": FORWARD}]))
    words = ["run", "-m", "jpeg", "--images", pictures, "--edits", tmp_path / "edits.csv", "--rounds", 1,
             "--metric", "psnr", "-w", tmp_path / "results"]  # fmt: skip
    assert code_of([str(word) for word in words]) == 0
    assert f"Inverse of {FORWARD!r}, by a template: {BACKWARD!r}" in capsys.readouterr().err
    assert code_of([str(word) for word in [*words, "--suite", "converge"]]) == 2
