from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench import metrics
from convergebench.errors import WrongUse
from convergebench.metrics import MetricSet, NotMeasurable
from convergebench.metrics.base import family
from convergebench.metrics.drift._facts import signed
from convergebench.picture import Picture
from convergebench.types import Measurement, Pixels

Make = Callable[..., Pixels]


def test_a_family_and_a_dimension_stand_for_their_metrics() -> None:
    assert metrics.expand(["ssim", "geometry"])[:3] == ("ssim", "shift_x", "shift_y")
    drift = metrics.expand(["drift"])
    assert set(drift) == {name for name in metrics.names() if metrics.facts(name).dimension == "drift"}
    assert set(metrics.expand(["geometry", "colour", "detail"])) == set(drift)


def test_a_metric_named_twice_is_measured_once() -> None:
    assert metrics.expand(["zoom", "geometry", "zoom"]).count("zoom") == 1


def test_a_run_measures_drift_but_is_not_ranked_by_it() -> None:
    assert set(metrics.expand(["drift"])) <= set(metrics.expand(metrics.DEFAULT_MEASURED))
    assert not any(metrics.facts(name).dimension == "drift" for name in metrics.DEFAULT)


def test_a_wrong_family_is_answered_with_a_near_one() -> None:
    with pytest.raises(WrongUse, match="did you mean colour"):
        metrics.expand(["color"])


def test_the_ruler_reads_only_the_members_that_are_asked_for(textured: Make) -> None:
    source = picture(textured(40, 40))
    (row,) = MetricSet(["noise", "psnr", "blocking"]).measure([(source, source)])
    assert set(row) == {"noise", "psnr", "blocking"}
    assert row["noise"] == Measurement("noise", metrics.facts("noise").version, 0.0)


def test_a_member_of_a_family_can_be_loaded_as_a_metric(textured: Make) -> None:
    loaded = metrics.load("contrast")
    source = textured(64, 64)
    assert loaded.facts == metrics.facts("contrast")
    assert loaded.compare([loaded.prepare(source)], [source]) == [1.0]
    flat = source * 0
    with pytest.raises(NotMeasurable, match="no contrast"):
        loaded.compare([loaded.prepare(flat)], [flat])


def test_the_native_size_reaches_the_family_though_the_result_is_resized(textured: Make) -> None:
    source, wide = picture(textured(100, 100)), picture(textured(100, 110))
    (row,) = MetricSet(["aspect_change"]).measure([(source, wide)])
    assert row["aspect_change"].value == pytest.approx(10)


def test_one_member_can_be_missing_where_the_others_are_there(textured: Make) -> None:
    grey = textured(64, 64)
    grey[...] = grey[..., :1]
    (row,) = MetricSet(["colour"]).measure([(picture(grey), picture(grey))])
    assert "no variety of colour" in (row["saturation"].missing or "")
    assert [name for name, one in row.items() if one.value is None] == ["saturation"]


def test_a_name_that_a_family_member_has_is_taken() -> None:
    metrics.names()
    with pytest.raises(WrongUse, match="two metrics are called 'zoom'"):
        family("lens", signed("zoom", "", 1, "Zoom."), prepare=len)(lambda source, result: {})


def picture(pixels: Pixels) -> Picture:
    return Picture.from_pixels(pixels)
