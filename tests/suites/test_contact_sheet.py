from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from convergebench.suites import load
from convergebench.suites.contact_sheet import contact_sheet


def test_every_picture_is_on_the_sheet_with_its_name_below(tmp_path: Path) -> None:
    colours = {"red": (200, 30, 30), "green": (30, 160, 60), "blue": (40, 60, 200)}
    for name, colour in colours.items():
        Image.new("RGB", (60, 60), colour).save(tmp_path / f"{name}.png")
    pixels = contact_sheet(load(f"folder:{tmp_path}")).pixels
    for colour in colours.values():
        rows, columns = np.nonzero((pixels == colour).all(axis=2))
        label = pixels[rows.max() + 1 :, columns.min() : columns.max()]
        assert len(rows) > 10_000
        assert label.min() < 60


def test_a_sheet_of_many_pictures_has_more_rows(tmp_path: Path) -> None:
    for n in range(6):
        Image.new("RGB", (30, 60), (n, 0, 0)).save(tmp_path / f"{n}.png")
    six = contact_sheet(load(f"folder:{tmp_path}")).size
    (tmp_path / "5.png").unlink()
    five = contact_sheet(load(f"folder:{tmp_path}")).size
    assert six[0] == five[0]
    assert six[1] > five[1]
