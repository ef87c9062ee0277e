"""What a model's returns look like, on values written by hand."""

from __future__ import annotations

from statistics import median

import pytest

from convergebench import suites
from convergebench.analysis import Results, Return, Role
from convergebench.analysis.headline.known_wear import KNOWN_WEAR
from convergebench.analysis.headline.resemblance import Resemblance, resemblances
from convergebench.editors._degradations import jpeg
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.types import Measurement


def returns(
    model: str, *rounds: tuple[float, float], role: Role = "model", cases: tuple[str, ...] = ("a", "b")
) -> list[Return]:
    """A round is ꟻLIP's mean and its peak."""
    return [
        Return(
            model, role, case, case, "hat", "portrait", "accessories", 0, number, f"{model}{case}{number}",
            {"flip": Measurement("flip", "1", mean), "flip_peak": Measurement("flip_peak", "1", peak)},
        )
        for case in cases
        for number, (mean, peak) in enumerate(rounds, 1)
    ]  # fmt: skip


def found(*groups: list[Return]) -> tuple[Resemblance, ...]:
    every = tuple(one for group in groups for one in group)
    return resemblances(Results("suite", max(one.round for one in every), (), every, (), ()))


def test_returns_look_like_the_known_wear_with_the_nearest_mean() -> None:
    for wear in KNOWN_WEAR:
        (one,) = found(returns("m", (0.5, 0.5), (wear.flip, wear.peak)))
        assert one.wear.flip == wear.flip and one.round == 2


def test_a_probe_of_the_workspace_is_named_with_its_rounds_before_the_scale() -> None:
    probe = returns("jpeg?quality=30", (0.05, 0.2), (0.08, 0.25), role="probe")
    (one,) = found(returns("m", (0.01, 0.1), (0.085, 0.25)), probe)
    assert one.model == "m" and one.wear.label == "jpeg?quality=30 after 2 rounds"


def test_a_probe_of_other_cases_is_no_measure() -> None:
    probe = returns("jpeg", (0.085, 0.25), role="probe", cases=("a",))
    (one,) = found(returns("m", (0.085, 0.25)), probe)
    assert "jpeg" not in one.wear.label


def test_the_scale_is_what_jpeg_does_to_the_pictures_of_a_suite() -> None:
    """Three pictures give about the medians of all twelve."""
    paths = {case.source.digest: case.source.path for case in suites.load("converge-small").cases}
    values: dict[str, list[float]] = {}
    for path in list(paths.values())[:3]:
        source = Picture.from_file(path)
        for quality in (75, 30, 10):
            worn = Picture.from_pixels(jpeg(source.pixels, seed=0, quality=quality))
            (row,) = MetricSet(["flip"]).measure([(source, worn)])
            values.setdefault(f"JPEG at quality {quality}", []).append(row["flip"].value or 0.0)
    scale = {wear.label: wear.flip for wear in KNOWN_WEAR}
    for label, found in values.items():
        assert median(found) == pytest.approx(scale[label], rel=0.25)


def test_local_damage_looks_like_no_wear() -> None:
    assert found(returns("m", (0.008, 0.8))) == ()


def test_a_wear_that_is_further_than_one_of_another_peak_is_not_named() -> None:
    assert found(returns("m", (0.183, 0.60))) == ()  # nearest is JPEG at quality 10, with a peak of 0.375


def test_nothing_is_said_of_unchanged_pictures_or_far_from_every_wear() -> None:
    assert found(returns("m", (0.0, 0.0))) == ()
    assert found(returns("m", (0.9, 1.0))) == ()
