"""A data file names pictures beside itself; a path that leads elsewhere is not opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convergebench.benchmarks.reedit.mini import mini_rows
from convergebench.benchmarks.reedit.rows import read_rows
from convergebench.benchmarks.wiseedit.mini import write_mini
from convergebench.benchmarks.wiseedit.table import _place
from convergebench.errors import WrongUse
from servers.asking import SOURCE


@pytest.mark.parametrize("path", ["../secret.png", "{root}/secret.png", "a/../../secret.png"])
def test_a_row_that_leads_out_of_the_datas_folder_is_no_case(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(SOURCE.encoded)
    (tmp_path / "data").mkdir()
    row = {**next(iter(mini_rows())), "original_image_path": path.format(root=tmp_path)}
    row.pop("src_img_b64")
    file = tmp_path / "data" / "RE-Edit.json"
    file.write_text(json.dumps([row]))
    found = read_rows(file)
    assert not found.rows
    assert "leads out of the data's folder" in found.broken[0].reason


def test_a_table_that_names_a_picture_elsewhere_is_refused(tmp_path: Path) -> None:
    data = write_mini(tmp_path / "data")
    (tmp_path / "secret.png").write_bytes(SOURCE.encoded)
    with pytest.raises(WrongUse, match="leads out of"):
        _place("../secret.png", data, data / "table.csv")
