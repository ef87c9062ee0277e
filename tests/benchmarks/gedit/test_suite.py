"""GEdit-Bench's forms: parquet, what `datasets` writes, and JSON lines, all with the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convergebench.benchmarks.gedit.mini import load_gedit_mini, mini_rows, write_mini
from convergebench.benchmarks.gedit.suite import SUBSETS, gedit_ids, load_gedit
from convergebench.errors import BadPicture, DownloadFailed, WrongUse
from convergebench.picture import Picture
from convergebench.suites.sampling import Sampling
from convergebench.types import Case


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def table(**changes: Any) -> Any:
    """The rows as `datasets` stores them: pictures are structs of bytes and path."""
    arrow = pytest.importorskip("pyarrow")
    picture = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    rows = [
        {**row, "input_image": {"bytes": row["input_image"], "path": None}, **changes} for row in mini_rows()
    ]
    schema = arrow.schema(
        [*((name, arrow.string()) for name in ("key", "task_type", "instruction", "instruction_language")),
         ("input_image", picture), ("Intersection_exist", arrow.bool_())]
    )  # fmt: skip
    return arrow.Table.from_pylist(rows, schema=schema)


def written(form: str, folder: Path) -> Path:
    folder.mkdir()
    if form == "jsonl":
        write_mini(folder)
        return folder
    rows = table()
    if form == "parquet":
        import pyarrow.parquet as parquet

        (folder / "data").mkdir()
        parquet.write_table(rows.slice(0, 20), folder / "data" / "train-00000-of-00002.parquet")
        parquet.write_table(
            rows.slice(20), folder / "data" / "train-00001-of-00002.parquet", row_group_size=3
        )
        return folder
    import pyarrow as arrow

    new = arrow.ipc.new_stream if form == "arrow stream" else arrow.ipc.new_file
    (folder / "cache-0123.arrow").write_bytes(b"indices, not data")
    with new(str(folder / "data-00000-of-00001.arrow"), rows.schema) as writer:
        writer.write_table(rows, max_chunksize=7)
    return folder


def shape(case: Case) -> tuple[object, ...]:
    return case.id, case.source.digest, case.forward, case.category, case.language, dict(case.hints)


@pytest.mark.parametrize("language", ["en", "cn"])
@pytest.mark.parametrize("form", ["parquet", "arrow stream", "arrow file", "jsonl"])
def test_all_forms_give_the_same_cases(form: str, language: str, tmp_path: Path) -> None:
    suite = load_gedit(str(written(form, tmp_path / "data")), language)
    assert {case.category for case in suite.cases} == set(SUBSETS)
    assert [shape(case) for case in suite.cases] == [shape(case) for case in load_gedit_mini(language).cases]
    assert suite.version == load_gedit_mini(language).version
    for case in suite.cases:
        assert Picture.from_file(case.source.path).digest == case.source.digest


def test_languages_are_versions_of_their_own(tmp_path: Path) -> None:
    data = str(written("jsonl", tmp_path / "data"))
    english, chinese = load_gedit(data, "en"), load_gedit(data, "cn")
    assert english.version.startswith("en-") and chinese.version.startswith("cn-")
    assert gedit_ids(data, "en").isdisjoint(gedit_ids(data, "cn"))


def test_a_choice_changes_the_cases_and_not_the_version(tmp_path: Path) -> None:
    data = str(written("jsonl", tmp_path / "data"))
    few = load_gedit(data, "en", Sampling(("text_change", "color_alter"), per_subset=1))
    assert sorted(case.category for case in few.cases) == ["color_alter", "text_change"]
    assert few.version == load_gedit(data, "en").version


def test_pictures_in_a_table_are_written_to_the_cache_once(tmp_path: Path, cache: Path) -> None:
    data = str(written("parquet", tmp_path / "data"))
    load_gedit(data, "en")
    files = {file: file.stat().st_mtime_ns for file in cache.rglob("*") if file.is_file()}
    assert len(files) == 22
    load_gedit(data, "cn")
    assert {file: file.stat().st_mtime_ns for file in cache.rglob("*") if file.is_file()} == files


def test_an_instruction_may_hold_a_separator_of_lines(tmp_path: Path) -> None:
    listing = write_mini(tmp_path / "data")
    rows = [json.loads(line) for line in listing.read_text(encoding="utf-8").split("\n") if line]
    for row in rows:
        row["instruction"] = "Write one\u2028two."
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    listing.write_text(text, encoding="utf-8")
    suite = load_gedit(str(listing), "en")
    assert {case.forward for case in suite.cases} == {"Write one\u2028two."}
    assert len(suite.cases) == len(load_gedit_mini("en").cases)


def test_a_key_that_stands_twice_is_named(tmp_path: Path) -> None:
    listing = write_mini(tmp_path / "data")
    lines = listing.read_text().splitlines()
    listing.write_text("\n".join([*lines, lines[0]]))
    with pytest.raises(WrongUse, match="2 rows with the key background_change-1-en"):
        load_gedit(str(listing))


@pytest.mark.parametrize(
    ("change", "said"),
    [({"instruction": ""}, "row 1 has no instruction"), ({"task_type": None}, "row 1 has no task_type")],
)
def test_a_row_that_lacks_a_field_is_named(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    listing = write_mini(tmp_path / "data")
    first, *others = listing.read_text().splitlines()
    listing.write_text("\n".join([json.dumps({**json.loads(first), **change}), *others]))
    with pytest.raises(WrongUse, match=said):
        load_gedit(str(listing))


def test_a_picture_that_is_not_there_is_named(tmp_path: Path) -> None:
    listing = write_mini(tmp_path / "data")
    (tmp_path / "data" / "pictures" / "text_change-2-en.png").unlink()
    with pytest.raises(BadPicture, match=r"has no picture at .*text_change-2-en\.png"):
        load_gedit(str(listing))


@pytest.mark.parametrize(
    ("data", "language", "said"),
    [("no/such/folder", "en", "no/such/folder does not exist"), (".", "en", "holds no GEdit-Bench data"),
     (".", "fr", "no language of GEdit-Bench 'fr'")],
)  # fmt: skip
def test_what_cannot_be_loaded_says_what_to_do(
    data: str, language: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WrongUse, match=said):
        load_gedit(data, language)


def test_a_hub_that_cannot_be_reached_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DownloadFailed, match=r"could not download nobody/nothing .*name a local copy"):
        load_gedit("nobody/nothing")
