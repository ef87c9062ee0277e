from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

from convergebench.metrics import Metric, MetricUnavailable, load, packaged_weights
from convergebench.metrics.ocr import TextReader
from convergebench.metrics.text_error import characters, edit_distance, text_of
from convergebench.packaged_files import fetch
from convergebench.types import Pixels

FONTS = Path(get_data_path()) / "fonts" / "ttf"
SIGN = ["OPEN DAILY", "Coffee and tea", "9 to 17"]
LETTERS = sum(len(line.replace(" ", "")) for line in SIGN)


def drawn(
    *lines: str,
    size: int = 36,
    font: str = "DejaVuSans.ttf",
    ink: str = "black",
    paper: str = "white",
    at: tuple[int, int] = (40, 50),
    turned: float = 0,
) -> Pixels:
    """Lines of text below each other, in a picture of 512 × 512."""
    image = Image.new("RGB", (512, 512), paper)
    brush, face = ImageDraw.Draw(image), ImageFont.truetype(FONTS / font, size)
    for number, line in enumerate(lines):
        brush.text((at[0], at[1] + 2 * size * number), line, ink, face)
    return np.asarray(image.rotate(turned, Image.Resampling.BICUBIC, fillcolor=paper))


@pytest.fixture(scope="module")
def text_weights() -> None:
    fetch(packaged_weights("text_error"))


@pytest.fixture(scope="module")
def reader(text_weights: None) -> TextReader:
    return TextReader()


@pytest.fixture(scope="module")
def metric(text_weights: None) -> Metric:
    return load("text_error")


@pytest.fixture(scope="module")
def sign(metric: Metric) -> Any:
    """What is kept of a picture of the sign."""
    return metric.prepare(drawn(*SIGN))


@pytest.mark.parametrize(
    "style",
    [
        {},
        {"size": 18},
        {"size": 56, "at": (5, 20)},
        {"font": "DejaVuSerif-Bold.ttf"},
        {"font": "DejaVuSansMono-Oblique.ttf", "size": 28},
        {"ink": "white", "paper": "navy"},
        {"turned": 8},
        {"turned": -12, "size": 30},
    ],
    ids=str,
)
def test_drawn_text_is_read_as_it_was_written(style: dict[str, Any], reader: TextReader) -> None:
    read = reader.lines(drawn(*SIGN, **style))
    assert text_of(read) == "OPENDAILYCoffeeandtea9to17"
    assert all(line.confidence > 0.8 for line in read)


@pytest.mark.parametrize("quarter_turns", [1, -1])
def test_text_that_runs_up_or_down_is_read(quarter_turns: int, reader: TextReader) -> None:
    turned = np.rot90(drawn("Coffee and tea"), quarter_turns).copy()
    assert text_of(reader.lines(turned)) == "Coffeeandtea"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (SIGN, 0),
        (["OPEN DAILY", "Coffee and tea", "9 to 18"], 1),
        (["OPEN DAILY", "Toffee and peas", "9 to 17"], 3),
        (["OPEN DAILY", "", "9 to 17"], len("Coffeeandtea")),
        ([*SIGN, "Free entry"], len("Freeentry")),
        ([], LETTERS),
    ],
)
def test_the_error_is_the_share_of_characters_that_changed(
    lines: list[str], expected: int, metric: Metric, sign: Any
) -> None:
    assert metric.compare([sign], [drawn(*lines)]) == pytest.approx([expected / LETTERS])


@pytest.mark.parametrize("style", [{"at": (60, 120)}, {"size": 32}, {"ink": "darkred"}, {"paper": "khaki"}])
def test_text_that_moved_or_changed_its_looks_has_no_error(
    style: dict[str, Any], metric: Metric, sign: Any
) -> None:
    assert metric.compare([sign], [drawn(*SIGN, **style)]) == [0]


def test_a_picture_without_text_is_missing_with_the_reason(metric: Metric) -> None:
    sources = [metric.prepare(drawn(*lines)) for lines in ([], ["No"], ["OOOO OOOO"])]
    assert metric.compare(sources, [drawn(*SIGN)] * 3) == ["no text in the source"] * 3


def test_grain_is_not_read_as_text(metric: Metric) -> None:
    grain = np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    assert metric.compare([metric.prepare(grain)], [grain]) == ["no text in the source"]


@pytest.mark.parametrize("size", [(1, 1), (8, 900), (900, 8)])
def test_pictures_of_any_size_are_looked_at(size: tuple[int, int], reader: TextReader) -> None:
    assert reader.lines(np.full((*size, 3), 255, np.uint8)) == []


def test_without_weights_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    with pytest.raises(MetricUnavailable, match="convergebench weights pull text"):
        load("text_error")


WORDS = st.text("abcé1", max_size=8)


@given(WORDS, WORDS)
def test_the_edit_distance_is_the_one_of_its_definition(one: str, other: str) -> None:
    @cache
    def recursive(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        replaced = recursive(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(replaced, recursive(i - 1, j) + 1, recursive(i, j - 1) + 1)

    assert edit_distance(one, other) == recursive(len(one), len(other))


@given(WORDS, WORDS, WORDS)
def test_the_edit_distance_is_a_distance(one: str, other: str, third: str) -> None:
    assert (edit_distance(one, other) == 0) == (one == other)
    assert edit_distance(one, other) == edit_distance(other, one)
    assert edit_distance(one, third) <= edit_distance(one, other) + edit_distance(other, third)


@given(st.text("aÉß１½ ,.\n", max_size=8))
def test_characters_are_letters_and_digits_and_stay_the_same(text: str) -> None:
    kept = characters(text)
    assert not kept or kept.isalnum()
    assert characters(f" {kept} ! ") == kept
