"""Changes in one place, told from changes of the whole picture by the difference map of a return.

A remainder of an edit moves the averages of colour and detail too: a red ellipse left on an otherwise
identical picture raises saturation and contrast. It is named as what it is and counts as no drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeAlias

Values: TypeAlias = Mapping[str, float]
"""Measurements by name; what is missing is not in it."""
LocalChange: TypeAlias = Literal["left behind", "rewritten"]

REST_KEPT = 0.9
"""With at least this much kept, no change of the whole picture is seen."""
PLAIN_PEAK = 0.4
"""Above the smoothed peaks of JPEG at quality 10, noise of 16 levels and a blur of 2 px."""
STILL_THERE = 0.5
"""Of the edit's core: what looks more like the edited picture than like its input."""
VISIBLE_SHARE = 0.1
"""Of the picture: where `kept` was not measured, more than this is no local change."""


@dataclass(frozen=True)
class VisibleChange:
    """What the map shows in several returns and no drift explains."""

    name: LocalChange | Literal["visibly changed"]
    share: float
    """Of the picture: the median over the returns that have it."""
    count: int
    n: int
    """Returns whose map was made."""

    @property
    def words(self) -> str:
        percent = "under 1" if self.share < 0.005 else f"{100 * self.share:.0f}"
        return f"{self.name}: {percent} % of the picture in {self.count} of {self.n}"


def local_change(values: Values) -> LocalChange | None:
    """What is plainly visible where this return was edited, while the rest was kept."""
    if values.get("kept", 0.0) < REST_KEPT or values.get("flip_peak", 0.0) < PLAIN_PEAK:
        return None
    # A blur has high peaks at edges everywhere, no more so inside the footprints than outside of them.
    if values.get("rewritten", 0.0) <= values.get("collateral", 0.0):
        return None
    return "left behind" if values.get("left_behind", 0.0) >= STILL_THERE else "rewritten"


def is_broken(values: Values, is_moved: bool) -> bool:
    """Whether the map shows more than a change in one place, whatever the averages of the picture say.

    A picture that moved differs everywhere: it is judged after registration, or not at all.
    """
    if "kept" in values:
        return max(values["kept"], values.get("kept_registered", 0.0)) < REST_KEPT
    return not is_moved and values.get("flip_area", 0.0) > VISIBLE_SHARE


def visible_changes(returns: Sequence[Values], unexplained: Sequence[Values]) -> tuple[VisibleChange, ...]:
    """Local changes, and the changes of those returns that are broken and in which no drift is noticed."""
    n = sum("flip_area" in values for values in returns)
    shares: dict[LocalChange | Literal["visibly changed"], list[float]] = {
        "left behind": [_edited_and_visible(one) for one in returns if local_change(one) == "left behind"],
        "rewritten": [_edited_and_visible(one) for one in returns if local_change(one) == "rewritten"],
        "visibly changed": [one["flip_area"] for one in unexplained if "flip_area" in one],
    }
    return tuple(VisibleChange(name, median(some), len(some), n) for name, some in shares.items() if some)


def _edited_and_visible(values: Values) -> float:
    """Share of the picture that lies in the footprints and is visibly changed.

    The visible share of the picture is that of the footprints and that of the rest, weighted by their sizes;
    of these four numbers the size of the footprints is the one that is not stored.
    """
    inside, outside = values["rewritten"], values.get("collateral", 0.0)
    size = (values.get("flip_area", 0.0) - outside) / (inside - outside)
    return inside * min(1.0, max(0.0, size))
