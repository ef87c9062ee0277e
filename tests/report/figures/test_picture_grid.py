import numpy as np
import pytest
from PIL import Image

from convergebench.errors import WrongUse
from convergebench.report import GridCell, GridRow, picture_grid

RED, BLUE = (255, 0, 0), (0, 0, 255)


def flat(colour, width=40, height=40):
    return np.full((height, width, 3), colour, np.uint8)


def extent(path, colour):
    """Width and height of the area that has this colour."""
    rows, columns = np.where((np.asarray(Image.open(path).convert("RGB")) == colour).all(axis=2))
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


def test_a_picture_is_scaled_into_its_box_and_keeps_its_shape(tmp_path):
    picture_grid([GridRow("m", [GridCell(flat(RED, 300, 100), "SSIM 0.62")])], tmp_path / "g.png")
    width, height = extent(tmp_path / "g.png", RED)
    assert width / height == pytest.approx(3, rel=0.05)


def test_large_and_small_pictures_fill_the_same_box(tmp_path):
    cells = [GridCell(flat(RED, 900, 900), "large"), GridCell(flat(BLUE, 9, 9), "small")]
    picture_grid([GridRow("m", cells)], tmp_path / "g.png")
    assert extent(tmp_path / "g.png", RED) == extent(tmp_path / "g.png", BLUE)


def test_rows_and_columns_make_the_sheet_larger(tmp_path):
    row = GridRow("m", [GridCell(flat(RED), "a")])
    wide = GridRow("m", [GridCell(flat(RED), "a")] * 3)
    sizes = []
    for name, rows in {"one": [row], "tall": [row] * 3, "wide": [wide]}.items():
        picture_grid(rows, tmp_path / f"{name}.png")
        sizes.append(Image.open(tmp_path / f"{name}.png").size)
    one, tall, wide_size = sizes
    assert tall[0] == one[0] and tall[1] > 2 * one[1]
    assert wide_size[1] == one[1] and wide_size[0] > 2 * one[0]


def test_a_missing_cell_is_a_box_with_its_reason_and_no_picture(tmp_path):
    for reason in ("", "refused: the content policy does not allow it"):
        picture_grid([GridRow("m", [GridCell(None, reason)])], tmp_path / f"{bool(reason)}.png")
    silent, told = (np.asarray(Image.open(tmp_path / f"{said}.png")) for said in (False, True))
    assert silent.shape == told.shape
    assert (silent != told).any()


def test_long_labels_and_captions_stay_inside_the_sheet(tmp_path):
    endless = "a-model/with_a_name:" * 30
    picture_grid(
        [GridRow(endless, [GridCell(flat(RED), endless), GridCell(None, endless)])], tmp_path / "g.png"
    )
    sheet = np.asarray(Image.open(tmp_path / "g.png"))
    border = np.concatenate(
        [sheet[:10].ravel(), sheet[-10:].ravel(), sheet[:, :10].ravel(), sheet[:, -10:].ravel()]
    )
    assert (border == 255).all()


def test_letters_that_are_not_english_can_be_told_apart(tmp_path):
    for name in ("ö", "ü", "д", "ж", "≤", "–"):
        picture_grid([GridRow("m", [GridCell(flat(RED), name)])], tmp_path / f"{name}.png")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 6


def test_nothing_to_lay_out_is_refused(tmp_path):
    with pytest.raises(WrongUse, match="no pictures"):
        picture_grid([], tmp_path / "g.png")
