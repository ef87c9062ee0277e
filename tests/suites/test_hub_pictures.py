from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from convergebench.errors import BadPicture, ConvergeBenchError, WrongUse
from convergebench.suites import load

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


def png(shade: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (32, 16), (shade, shade, shade)).save(content, "PNG")
    return content.getvalue()


def write_table(folder: Path, rows: list[dict[str, object]], name: str = "data/train-0.parquet") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path)
    return folder


def as_datasets_has_it(shade: int) -> dict[str, object]:
    return {"bytes": png(shade), "path": f"{shade}.png"}


def test_a_dataset_becomes_a_suite_with_our_edits(tmp_path: Path) -> None:
    rows = [
        {"caption": "a", "image": as_datasets_has_it(10)},
        {"caption": "b", "image": as_datasets_has_it(20)},
    ]
    suite = load(f"hub:{write_table(tmp_path / 'set', rows)}")
    assert len({case.source.digest for case in suite.cases}) == 2
    assert {case.category for case in suite.cases} == {"scene_objects", "geometric"}
    assert all(case.source.path.read_bytes() in (png(10), png(20)) for case in suite.cases)


def test_columns_can_tell_kind_description_and_edits(tmp_path: Path) -> None:
    row = {"kind": "portrait", "description": "A man", "edits": ["hat_add_remove"], "image": png(30)}
    (case,) = load(f"hub:{write_table(tmp_path / 'set', [row])}").cases
    assert (case.kind, case.pair, case.source.description) == ("portrait", "hat_add_remove", "A man")


def test_a_picture_that_several_rows_hold_is_taken_once(tmp_path: Path) -> None:
    folder = write_table(tmp_path / "set", [{"image": png(1)}, {"image": png(1)}])
    write_table(folder, [{"image": png(1)}, {"image": png(2)}], "data/train-1.parquet")
    assert len({case.source.id for case in load(f"hub:{folder}").cases}) == 2


def test_a_dataset_without_tables_is_a_folder_of_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(5))
    assert {case.source.id for case in load(f"hub:{tmp_path}").cases} == {"a"}


def test_a_table_without_pictures_names_its_columns(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="no column of pictures; its columns are caption"):
        load(f"hub:{write_table(tmp_path / 'set', [{'caption': 'a'}])}")


def test_a_damaged_picture_is_named_by_its_row(tmp_path: Path) -> None:
    rows = [{"image": png(1)}, {"image": b"not a picture"}]
    with pytest.raises(BadPicture, match="row 2: unknown picture format"):
        load(f"hub:{write_table(tmp_path / 'set', rows)}")


def test_what_is_neither_a_dataset_nor_a_path_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="write hub:owner/name"):
        load("hub:no such thing")


def test_a_dataset_that_cannot_be_reached_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConvergeBenchError, match=r"network connection|pip install"):
        load("hub:nobody/nothing-of-this-name")
