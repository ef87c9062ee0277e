from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from convergebench import suites
from convergebench.analysis.round_trip.drift_kinds import DRIFT_KINDS, leading_drift, sizes
from convergebench.analysis.round_trip.drift_profile import drift_profile, profile_of
from convergebench.analysis.round_trip.local_changes import Values
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.editors import _degradations as _wear
from convergebench.errors import WrongUse
from convergebench.metrics import MetricSet, expand, facts
from convergebench.picture import Picture
from convergebench.types import Pixels


@dataclass(frozen=True)
class Probe:
    name: str
    way: str
    """The way to drift that must lead. Scaling down and up again is a blur: both lose fine detail."""
    strengths: tuple[Mapping[str, float], ...]
    amount: Callable[[Values], float] | None = None
    applied: Callable[[Mapping[str, float]], float] | None = None

    def apply(self, pixels: Pixels, strength: Mapping[str, float]) -> Pixels:
        wear: Callable[..., Pixels] = getattr(_wear, self.name)
        return wear(pixels, seed=1, **strength)


def shift_error(values: Values, strength: Mapping[str, float]) -> float:
    return math.hypot(values["shift_x"] - strength["dx"], values["shift_y"] - strength["dy"])


PROBES = (
    Probe("jpeg", "blocking", ({"quality": 30}, {"quality": 50})),
    Probe("resize", "blur", ({"scale": 0.5}, {"scale": 0.75})),
    Probe("blur", "blur", ({"sigma": 1.2}, {"sigma": 0.6})),
    Probe("noise", "noise", ({"sigma": 8.0}, {"sigma": 4.0}), lambda v: v["noise"], lambda s: s["sigma"]),
    Probe("sharpen", "sharpening", ({"amount": 1.0}, {"amount": 0.5})),
    Probe("shift", "shift", ({"dx": 3.0, "dy": -2.0}, {"dx": -2.0, "dy": 1.0})),
    Probe("zoom", "zoom", ({"percent": 2.0}, {"percent": -1.5}), lambda v: v["zoom"], lambda s: s["percent"]),
    Probe(
        "rotate",
        "rotation",
        ({"degrees": 1.0}, {"degrees": -0.5}),
        lambda v: v["rotation"],
        lambda s: s["degrees"],
    ),
    Probe("tint", "cast", ({"amount": 10.0}, {"amount": -5.0})),
    Probe(
        "desaturate",
        "saturation",
        ({"percent": 25.0}, {"percent": 12.0}),
        lambda v: 100 * (1 - v["saturation"]),
        lambda s: s["percent"],
    ),
    Probe(
        "contrast",
        "contrast",
        ({"percent": 20.0}, {"percent": -10.0}),
        lambda v: 100 * (v["contrast"] - 1),
        lambda s: s["percent"],
    ),
)
Measured = dict[tuple[str, int, str], Values]
"""By probe, number of its strength, and picture."""


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    sources = {case.source.id: case.source for case in suites.load("converge@0").cases}
    return {name: Picture.from_file(sources[name].path) for name in sorted(sources)[::3]}


@pytest.fixture(scope="module")
def measured(pictures: dict[str, Picture]) -> Measured:
    """All probes at all strengths on every third built-in picture."""
    ruler = MetricSet(["drift"])
    values: Measured = {}
    for name, picture in pictures.items():
        for probe, number, strength in strengths():
            worn = Picture.from_pixels(probe.apply(picture.pixels, strength))
            (row,) = ruler.measure([(picture, worn)])
            values[probe.name, number, name] = {
                m.metric: m.value for m in row.values() if m.value is not None
            }
    return values


def strengths() -> Iterator[tuple[Probe, int, Mapping[str, float]]]:
    for probe in PROBES:
        for number, strength in enumerate(probe.strengths):
            yield probe, number, strength


def test_every_probe_is_led_by_its_own_way_to_drift(measured: Measured) -> None:
    led = Counter((probe, leading_drift(values) or "nothing") for (probe, _, _), values in measured.items())
    print("\n" + confusion_matrix(led))
    right = sum(led[probe.name, probe.way] for probe in PROBES)
    assert right >= 0.95 * led.total()
    for probe in PROBES:
        everything = sum(count for (name, _), count in led.items() if name == probe.name)
        assert led[probe.name, probe.way] >= 0.9 * everything, probe.name


@pytest.mark.parametrize("probe", [one for one in PROBES if one.amount], ids=lambda one: one.name)
def test_the_measured_amount_is_the_applied_one(probe: Probe, measured: Measured) -> None:
    assert probe.amount is not None
    assert probe.applied is not None
    for (name, number, picture), values in measured.items():
        if name == probe.name:
            applied = probe.applied(probe.strengths[number])
            assert probe.amount(values) == pytest.approx(applied, rel=0.1), picture


def test_the_measured_shift_is_the_applied_one(measured: Measured) -> None:
    probe = next(one for one in PROBES if one.name == "shift")
    for (name, number, picture), values in measured.items():
        if name == "shift":
            strength = probe.strengths[number]
            assert shift_error(values, strength) < 0.1 * math.hypot(strength["dx"], strength["dy"]), picture


def test_the_tint_probe_is_called_green_and_its_inverse_magenta(measured: Measured) -> None:
    for number, word in enumerate(("green", "magenta")):
        returns = [values for (name, n, _), values in measured.items() if (name, n) == ("tint", number)]
        assert f"{word} cast" in profile_of(1, returns).sentence


def test_an_unchanged_picture_has_no_leading_drift() -> None:
    perfect = {name: facts(name).perfect for name in expand(["drift"])}
    assert leading_drift(perfect) is None
    assert set(sizes(perfect)) == {way.name for way in DRIFT_KINDS}
    assert not any(sizes(perfect).values())
    assert profile_of(3, [perfect]).sentence == "by round 3: no shift, colour held, detail held"


def test_the_sentence_names_what_is_noticed_most_first() -> None:
    values = {
        "noise": 9.0,
        "noise_ratio": 6.1,
        "contrast": 1.1,
        "saturation": 1.1,
        "energy_high": 1.21,
        "cast_l": 0.2,
        "shift_x": 0.1,
        "shift_y": 0.0,
    }
    assert profile_of(10, [values]).sentence == "by round 10: noise ×6.1, contrast +10 %, no shift"


def test_what_contrast_explains_is_not_called_saturation_or_sharpening() -> None:
    doubled = {"contrast": 2.0, "saturation": 2.0, "energy_high": 4.0}
    assert {name for name, size in sizes(doubled).items() if size > 0.01} == {"contrast"}


def test_drifts_in_differing_directions_do_not_cancel_out() -> None:
    profile = profile_of(1, [{"zoom": 2.0}, {"zoom": -2.0}, {"zoom": 2.0}, {"zoom": -2.0}])
    assert profile.drifts["zoom"].noticed == pytest.approx(5)
    assert "zoom 2.0 % either way" in profile.sentence


@pytest.mark.parametrize(
    ("returns", "words"),
    [
        ([{"cast_l": 3.0}, {"cast_l": -3.0}], "lightness 3.0 L* either way"),
        ([{"contrast": 0.9}, {"contrast": 1.1}], "contrast 10 % either way"),
    ],
)
def test_a_drift_either_way_is_said_without_a_direction(returns: list[dict[str, float]], words: str) -> None:
    assert f"by round 1: {words}" in profile_of(1, returns).sentence


def test_detail_lost_in_some_pictures_and_gained_in_others_is_told_of_each_apart() -> None:
    profile = profile_of(1, [{"energy_high": share} for share in (0.25, 0.25, 0.25, 4.0)])
    assert profile.sentence.startswith("by round 1: fine detail −75 % in 3 of 4, fine detail ×4.0 in 1 of 4")


STILL = {"shift_x": 0.1, "shift_y": 0.0, "zoom": 0.0, "cast_l": 0.1, "contrast": 1.0, "energy_high": 1.02}
RED_ELLIPSE = {
    "shift_x": 0.0, "shift_y": 0.0, "zoom": 0.0, "cast_l": -11.5, "saturation": 1.57, "contrast": 1.6,
    "energy_high": 2.0, "noise": 4.0, "noise_ratio": 2.0,
    "kept": 1.0, "flip_peak": 0.9, "flip_area": 0.03, "collateral": 0.0, "rewritten": 0.6,
}  # fmt: skip
"""The drift of a picture that is the source's but for a red ellipse on 3 % of it."""


def test_three_reframed_of_eighteen_do_not_move_the_typical_picture() -> None:
    reframed = {**STILL, "shift_x": 41.0, "zoom": -25.0}
    profile = profile_of(3, [reframed] * 3 + [STILL] * 15)
    assert profile.sentence == "by round 3: 3 of 18 reframed, colour held, detail held"
    assert profile.drifts["shift"].noticed == pytest.approx(0.1)
    assert profile.leading is None


def test_where_most_were_reframed_the_sentence_says_how_far_and_how_many() -> None:
    profile = profile_of(3, [{**STILL, "zoom": -25.0}] * 12 + [STILL] * 6)
    assert profile.sentence == "by round 3: zoom −25.0 % in 12 of 18, colour held, detail held"


def test_a_picture_that_lost_its_fine_detail_is_not_called_sharp_beside_a_remainder() -> None:
    """As after halving and doubling its size, which from a distance nobody sees."""
    soft = {**RED_ELLIPSE, "left_behind": 0.0, "energy_high": 0.16, "contrast": 1.0}
    profile = profile_of(1, [soft])
    assert profile.sentence is not None and "fine detail −84 %" in profile.sentence
    assert "rewritten: 3 % of the picture" in profile.sentence and "detail held" not in profile.sentence


def test_a_red_ellipse_left_behind_is_no_cast_contrast_or_noise() -> None:
    profile = profile_of(1, [{**RED_ELLIPSE, "left_behind": 1.0}])
    expected = "left behind: 3 % of the picture in 1 of 1, elsewhere no shift, colour held, detail held"
    assert profile.sentence == f"by round 1: {expected}"
    assert leading_drift(RED_ELLIPSE) is None


def test_another_filling_of_the_edited_place_is_called_rewritten() -> None:
    clean = {**STILL, "kept": 1.0, "flip_peak": 0.1, "flip_area": 0.0, "collateral": 0.0, "rewritten": 0.0}
    profile = profile_of(1, [{**RED_ELLIPSE, "left_behind": 0.0}] * 7 + [clean] * 5)
    assert "rewritten: 3 % of the picture in 7 of 12, elsewhere no shift" in profile.sentence


def test_the_share_left_behind_does_not_count_what_is_visible_in_the_rest() -> None:
    footprints, inside, outside = 0.08, 0.5, 0.1
    area = footprints * inside + (1 - footprints) * outside
    values = {
        **RED_ELLIPSE,
        "flip_area": area,
        "rewritten": inside,
        "collateral": outside,
        "left_behind": 1.0,
    }
    assert "left behind: 4 % of the picture" in profile_of(1, [values]).sentence


def test_a_blur_is_a_blur_even_where_the_rest_is_called_kept() -> None:
    values = {**STILL, "energy_high": 0.4, "kept": 0.93, "flip_peak": 0.45, "flip_area": 0.16}
    assert leading_drift({**values, "collateral": 0.17, "rewritten": 0.15}) == "blur"
    assert leading_drift(values) == "blur"


def test_nothing_is_called_held_that_the_map_shows_broken() -> None:
    broken = {**STILL, "kept": 0.4, "flip_peak": 0.9, "flip_area": 0.7}
    assert profile_of(2, [broken]).sentence == (
        "by round 2: visibly changed: 70 % of the picture in 1 of 1, no shift"
    )
    whole_picture_edit = {**STILL, "flip_peak": 0.9, "flip_area": 0.7}
    assert "held" not in profile_of(2, [whole_picture_edit]).sentence
    sound = {**STILL, "kept": 1.0, "flip_peak": 0.1, "flip_area": 0.0}
    assert profile_of(2, [broken, sound, sound]).sentence.endswith(
        "no shift, colour held in 2 of 3, detail held in 2 of 3"
    )


def test_a_picture_that_only_moved_is_not_called_broken() -> None:
    moved = {**STILL, "shift_x": 3.0, "kept": 0.6, "kept_registered": 0.99, "flip_area": 0.3}
    assert profile_of(1, [moved]).sentence == "by round 1: shift 3.0 px, colour held, detail held"


def test_losses_and_gains_that_cancel_are_no_typical_drift_and_not_held() -> None:
    profile = profile_of(1, [{"energy_high": share} for share in (0.5, 0.5, 0.5, 2.0, 2.0, 2.0)])
    assert profile.leading is None
    assert profile.sentence.startswith(
        "by round 1: fine detail −50 % in 3 of 6, fine detail +100 % in 3 of 6"
    )
    assert "detail held" not in profile.sentence


def test_the_size_of_what_happened_to_a_few_is_theirs() -> None:
    profile = profile_of(1, [{"cast_l": 8.0}] * 2 + [{"cast_l": 0.0}] * 8)
    assert "lighter by 8.0 L* in 2 of 10" in profile.sentence


def test_one_of_many_is_counted_and_not_described() -> None:
    profile = profile_of(1, [{"cast_l": 8.0}] + [{"cast_l": 0.0}] * 17)
    assert (
        profile.sentence == "by round 1: place not measurable, colour held in 17 of 18, detail not measurable"
    )


def test_a_blank_result_lost_its_contrast() -> None:
    assert leading_drift({"contrast": 0.0, "energy_high": 0.0, "saturation": 0.0}) == "contrast"


def test_what_could_not_be_measured_is_said(
    returned: Callable[..., Return], results_of: Callable[..., Results]
) -> None:
    gone = "the result cannot be registered to the source"
    results = results_of(
        returned("m", round=1, shift_x=gone, shift_y=gone, aspect=1.0, noise=3.0, noise_ratio=2.0),
        returned("m", round=2, shift_x=gone, shift_y=gone, noise=6.0, noise_ratio=4.0),
        rounds=3,
    )
    first, second = drift_profile(results, "m")
    assert first.sentence == "by round 1: noise ×2.0, place not measurable, colour not measurable"
    assert second.drifts["noise"].noticed == 2 * first.drifts["noise"].noticed
    assert second.drifts["noise"].n == 1
    with pytest.raises(WrongUse, match="choose one of: m"):
        drift_profile(results, "another")


def confusion_matrix(led: Mapping[tuple[str, str], int]) -> str:
    columns = [
        *dict.fromkeys(probe.way for probe in PROBES),
        *sorted({way for _, way in led} - {p.way for p in PROBES}),
    ]
    lines = ["probe".ljust(12) + "".join(column[:10].rjust(11) for column in columns)]
    for probe in PROBES:
        counts = (led.get((probe.name, column), 0) for column in columns)
        lines.append(probe.name.ljust(12) + "".join(str(count or "·").rjust(11) for count in counts))
    return "\n".join(lines)
