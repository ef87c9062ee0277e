"""The kinds of drift, each in units of the just noticeable amount.

The part explained by another drift is removed first: contrast raises the chroma and the detail too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from convergebench.analysis.round_trip.local_changes import Values, local_change
from convergebench.metrics.drift.casts import cast_word

Group: TypeAlias = Literal["place", "colour", "detail"]


@dataclass(frozen=True)
class DriftKind:
    """One kind of drift."""

    name: str
    group: Group
    noticeable: float
    """The just noticeable amount."""
    needs: tuple[str, ...]
    amount: Callable[[Values], float]
    """Signed if the sign is meaningful; 0 without such drift."""
    words: Callable[[float, Values], str]
    """Describes a typical amount, given the typical values that belong to it."""

    def words_either_way(self, amount: float, values: Values) -> str:
        """The same of a drift that has no direction."""
        size = _SIGN.sub("", _LIGHTER.sub("lightness ", self.words(amount, values)))
        return f"{size} either way"


_SIGN, _LIGHTER = re.compile(r"[+−](?=\d)"), re.compile(r"(?:lighter|darker) by ")

LOST_EVERYWHERE = 1.0
"""Halvings of the fine detail. What edits of 2 to 10 % of a picture leave behind changes it by 0.2 at most
(18 returns of built-in editors). A picture that was halved and doubled in size has lost 2 to 3 everywhere."""
_FAINTEST = 0.05
"""Lower ratios count as this value: the remains in a blank picture must not appear sharp or colourful."""


def _contrast_log(values: Values) -> float:
    return math.log(max(values.get("contrast", 1.0), _FAINTEST))


def _detail_log(values: Values) -> float:
    """Doublings of the energy of fine detail, beyond those caused by contrast."""
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


def drift_amounts(values: Values) -> dict[str, float]:
    """The signed amount of each kind of drift in one return; kinds without a value are omitted.

    If the map shows a local change and the rest is preserved, what that change explains has not drifted.
    """
    is_local = local_change(values) is not None
    amounts: dict[str, float] = {}
    for way in DRIFT_KINDS:
        if all(map(values.__contains__, way.needs)):
            amount = way.amount(values)
            amounts[way.name] = 0.0 if is_local and _may_be_local(way, amount) else amount
    return amounts


def _may_be_local(way: DriftKind, amount: float) -> bool:
    """Whether one changed place can explain the drift."""
    return way.group != "place" and not (way.name == "blur" and amount >= LOST_EVERYWHERE)


def sizes(values: Values) -> dict[str, float]:
    """Each kind of drift in just noticeable amounts; kinds without a value are omitted."""
    return sizes_of(drift_amounts(values))


def sizes_of(amounts: Mapping[str, float]) -> dict[str, float]:
    """The same, of amounts by kind."""
    return {way.name: abs(amounts[way.name]) / way.noticeable for way in DRIFT_KINDS if way.name in amounts}


def leading_drift(values: Values) -> str | None:
    """The most noticeable kind of drift in one return, or None if none is noticeable.

    >>> leading_drift({"noise": 8.0, "noise_ratio": 4.0, "contrast": 1.1})
    'noise'
    """
    return most_noticed(sizes(values))


def most_noticed(noticed: Mapping[str, float]) -> str | None:
    """The most noticeable kind of drift, or None if none is noticeable."""
    name = max(noticed, key=noticed.__getitem__, default=None)
    return name if name is not None and noticed[name] >= 1 else None
