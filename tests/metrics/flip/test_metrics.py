"""ꟻLIP's numbers as metrics."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench import metrics
from convergebench.metrics import DEFAULT_MEASURED, MetricSet
from convergebench.metrics.flip import flip_area, flip_map, flip_mean, flip_peak, flip_source, smoothed
from convergebench.picture import Picture
from convergebench.types import Pixels

Make = Callable[..., Pixels]
NAMES = ("flip", "flip_peak", "flip_area")


def measured(source: Pixels, result: Pixels) -> dict[str, float | None]:
    (row,) = MetricSet(["visibility"]).measure([(Picture.from_pixels(source), Picture.from_pixels(result))])
    return {name: one.value for name, one in row.items()}


def test_the_family_reads_all_three_from_one_map(textured: Make, noisy: Make) -> None:
    source = textured(90, 120)
    result = noisy(source, 25)
    found = flip_map(flip_source(source), result)
    smooth = smoothed(found)
    assert measured(source, result) == {
        "flip": flip_mean(found),
        "flip_peak": flip_peak(smooth),
        "flip_area": flip_area(smooth),
    }


def test_equal_pictures_are_perfect(textured: Make) -> None:
    source = textured(30, 40)
    assert measured(source, source) == {name: metrics.facts(name).perfect for name in NAMES}


def test_pictures_of_any_size_can_be_measured(textured: Make, noisy: Make) -> None:
    for size in ((1, 1), (8, 8), (1, 50)):
        source = textured(*size)
        assert all(0 <= (value or 0) <= 1 for value in measured(source, noisy(source, 40)).values())


@pytest.mark.parametrize("name", NAMES)
def test_a_run_measures_it_by_default(name: str) -> None:
    assert name in metrics.expand(DEFAULT_MEASURED)
    assert name in metrics.expand(["visibility"])
