"""The drift fingerprint: which way a model's pictures decay, round by round, in numbers and in a sentence.

Every way to drift is divided by what a person just notices, so that pixels, degrees and ratios can be
compared. What another drift explains is taken off first: contrast raises the chroma and the detail too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from convergebench.analysis.round_trip.results import Results, Return
from convergebench.errors import WrongUse
from convergebench.metrics.drift.casts import cast_word

Values: TypeAlias = Mapping[str, float]
"""Drift metrics by name; what is missing is not in it."""
Group: TypeAlias = Literal["place", "colour", "detail"]


@dataclass(frozen=True)
class DriftKind:
    """One way to drift."""

    name: str
    group: Group
    noticeable: float
    """The amount that a person just notices."""
    needs: tuple[str, ...]
    amount: Callable[[Values], float]
    """Signed where a sign means something; 0 where this way did not drift."""
    words: Callable[[float, Values], str]
    """Of a typical amount, and of the mean values that it goes with."""


_FAINTEST = 0.05
"""Ratios below it count as this: what is left in a blank picture must not look sharp or colourful."""


def _contrast_log(values: Values) -> float:
    return math.log(max(values.get("contrast", 1.0), _FAINTEST))


def _detail_log(values: Values) -> float:
    """Doublings of the fine detail's energy beyond those that contrast makes."""
    return math.log2(max(values["energy_high"], _FAINTEST**2)) - 2 * _contrast_log(values) / math.log(2)


def _percent(ratio: float) -> str:
    if ratio >= 3:
        return f"×{ratio:.1f}"
    return f"{100 * (ratio - 1):+.0f} %".replace("-", "−")


def _cast(amount: float, a: float, b: float) -> str:
    if math.hypot(a, b) < amount / 2:
        return f"casts of ΔE {amount:.1f} in differing directions"
    return f"{cast_word(a, b)} cast of ΔE {amount:.1f}"


def _plain(amount: float, unit: str) -> str:
    return f"{amount:+.1f}{unit}".replace("-", "−")


DRIFT_KINDS = (
    DriftKind(
        "shift", "place", 1.0, ("shift_x", "shift_y"),
        lambda v: math.hypot(v["shift_x"], v["shift_y"]),
        lambda amount, v: f"shift {amount:.1f} px",
    ),
    DriftKind("zoom", "place", 0.4, ("zoom",), lambda v: v["zoom"], lambda x, v: f"zoom {_plain(x, ' %')}"),
    DriftKind(
        "rotation", "place", 0.22, ("rotation",),
        lambda v: v["rotation"],
        lambda x, v: f"rotation {_plain(x, '°')}",
    ),
    DriftKind(
        "aspect", "place", 1.0, ("aspect_change",),
        lambda v: v["aspect_change"],
        lambda x, v: f"aspect {_plain(x, ' %')}",
    ),
    DriftKind(
        "lightness", "colour", 1.0, ("cast_l",),
        lambda v: v["cast_l"],
        lambda x, v: f"{'lighter' if x > 0 else 'darker'} by {abs(x):.1f} L*",
    ),
    DriftKind(
        "cast", "colour", 1.0, ("cast_a", "cast_b"),
        lambda v: math.hypot(v["cast_a"], v["cast_b"]),
        lambda x, v: _cast(x, v["cast_a"], v["cast_b"]),
    ),
    DriftKind(
        "saturation", "colour", math.log(1.05), ("saturation",),
        lambda v: math.log(max(v["saturation"], _FAINTEST)) - _contrast_log(v),
        lambda x, v: f"saturation {_percent(math.exp(x))}",
    ),
    DriftKind(
        "contrast", "colour", math.log(1.04), ("contrast",),
        _contrast_log,
        lambda x, v: f"contrast {_percent(math.exp(x))}",
    ),
    DriftKind(
        "blur", "detail", 0.4, ("energy_high",),
        lambda v: max(0.0, -_detail_log(v)),
        lambda x, v: f"fine detail {_percent(2**-x)}",
    ),
    DriftKind(
        "sharpening", "detail", 0.4, ("energy_high",),
        lambda v: max(0.0, _detail_log(v)),
        lambda x, v: f"fine detail {_percent(2**x)}",
    ),
    DriftKind(
        "noise", "detail", 1.5, ("noise", "noise_ratio"),
        lambda v: v["noise"],
        lambda x, v: f"noise ×{v['noise_ratio']:.1f}",
    ),
    DriftKind(
        "blocking", "detail", 0.25, ("blocking",),
        lambda v: max(0.0, v["blocking"]),
        lambda x, v: f"8 × 8 blocks {_plain(x, ' levels')}",
    ),
)  # fmt: skip
_RATIOS = frozenset({"saturation", "contrast", "energy_low", "energy_mid", "energy_high", "noise_ratio"})
_OPPOSITE = {"blur": "sharpening", "sharpening": "blur"}
HELD: Mapping[Group, str] = {"place": "no shift", "colour": "colour held", "detail": "detail held"}


@dataclass(frozen=True)
class Drift:
    """One way to drift over several returns."""

    way: DriftKind
    amount: float
    """Typical size, with the sign that prevails."""
    noticed: float
    """The mean size, in amounts that are just noticed: below 1 it is not."""
    either_way: bool
    """Whether the signs differ so much that the mean is less than half the typical size."""
    n: int
    moved: int
    """Returns that drifted this way at all."""


@dataclass(frozen=True)
class RoundProfile:
    """What the returns of one round drifted in; ways that could not be measured are not in it."""

    round: int
    values: Values
    drifts: Mapping[str, Drift]

    @property
    def leading(self) -> str | None:
        """The way that is noticed most, or None where none is noticed."""
        noticed = {name: drift.noticed for name, drift in self.drifts.items()}
        return _largest(noticed)

    @property
    def sentence(self) -> str:
        """What a person would notice, most first, then what held."""
        seen = sorted((d for d in self.drifts.values() if d.noticed >= 1), key=lambda d: -d.noticed)
        return f"by round {self.round}: {', '.join([*map(self._drift_words, seen), *self._calm_groups()])}"

    def _drift_words(self, drift: Drift) -> str:
        opposite = self.drifts.get(_OPPOSITE.get(drift.way.name, ""))
        if opposite is None or opposite.noticed < 1:
            return drift.way.words(drift.amount, self.values) + (" either way" if drift.either_way else "")
        # One mean over all would say of the same pictures that they lost and that they gained.
        amount = drift.amount * drift.n / drift.moved
        return f"{drift.way.words(amount, self.values)} in {drift.moved} of {drift.n}"

    def _calm_groups(self) -> list[str]:
        calm = []
        for group, held in HELD.items():
            mine = [drift for drift in self.drifts.values() if drift.way.group == group]
            if not any(drift.way.name != "aspect" for drift in mine):
                calm.append(f"{group} not measurable")
            elif all(drift.noticed < 1 for drift in mine):
                calm.append(held)
        return calm


def sizes(values: Values) -> dict[str, float]:
    """Each way to drift in amounts that are just noticed; those without a value are left out."""
    return {way.name: abs(way.amount(values)) / way.noticeable for way in _measured(values)}


def leading_drift(values: Values) -> str | None:
    """The way to drift that is noticed most in one return, or None where none is noticed.

    >>> leading_drift({"noise": 8.0, "noise_ratio": 4.0, "contrast": 1.1})
    'noise'
    """
    return _largest(sizes(values))


def drift_profile(results: Results, model: str) -> tuple[RoundProfile, ...]:
    """A model's drift at every round that has a return with drift values."""
    if model not in results.roles():
        known = ", ".join(results.roles())
        raise WrongUse(f"there is no model {model} in these results; choose one of: {known}")
    grouped = results.returns_by_round()
    returns = {number: grouped.get((model, number), []) for number in range(1, results.rounds + 1)}
    rounds = (profile_of(number, [values_of(one) for one in mine]) for number, mine in returns.items())
    return tuple(one for one in rounds if one.drifts)


def values_of(returned: Return) -> dict[str, float]:
    """What was measured of a return."""
    return {name: m.value for name, m in returned.values.items() if m.value is not None}


def profile_of(number: int, returns: Sequence[Values]) -> RoundProfile:
    """The profile of one round from the values of its returns."""
    drifts = {}
    measured = [(values, _measured(values)) for values in returns]
    for way in DRIFT_KINDS:
        amounts = [way.amount(values) for values, found in measured if way in found]
        if amounts:
            drifts[way.name] = _drift(way, amounts)
    return RoundProfile(number, _means(returns), drifts)


def _drift(way: DriftKind, amounts: Sequence[float]) -> Drift:
    mean = math.fsum(amounts) / len(amounts)
    size = math.fsum(map(abs, amounts)) / len(amounts)
    return Drift(
        way,
        amount=math.copysign(size, mean),
        noticed=size / way.noticeable,
        either_way=abs(mean) < size / 2,
        n=len(amounts),
        moved=sum(amount != 0 for amount in amounts),
    )


def _means(returns: Sequence[Values]) -> Values:
    """Geometric means of ratios, means of everything else, each over the returns that have it."""
    means = {}
    for name in dict.fromkeys(name for values in returns for name in values):
        there = [values[name] for values in returns if name in values and math.isfinite(values[name])]
        if there:
            means[name] = _geometric_mean(there) if name in _RATIOS else math.fsum(there) / len(there)
    return means


def _geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(math.log(max(ratio, 1e-6)) for ratio in ratios) / len(ratios))


def _measured(values: Values) -> list[DriftKind]:
    return [way for way in DRIFT_KINDS if all(name in values for name in way.needs)]


def _largest(noticed: Mapping[str, float]) -> str | None:
    name = max(noticed, key=noticed.__getitem__, default=None)
    return name if name is not None and noticed[name] >= 1 else None
