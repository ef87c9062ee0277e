"""Local changes, distinguished from changes of the whole picture by the difference map of a return.

The remainder of an edit also shifts the averages of colour and detail: a red ellipse left on an otherwise
identical picture raises saturation and contrast. It is reported as a local change and does not count as
drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeAlias

Values: TypeAlias = Mapping[str, float]
"""Measurements by name, without missing ones."""
LocalChange: TypeAlias = Literal["left behind", "rewritten"]

REST_KEPT = 0.9
"""With at least this value of `kept`, no change of the whole picture is visible."""
PLAIN_PEAK = 0.4
"""Above the smoothed peaks that JPEG at quality 10, noise of 16 levels and a blur of 2 px cause."""
STILL_THERE = 0.5
"""Share of the edit's core that is more similar to the edited picture than to its input."""
VISIBLE_SHARE = 0.1
"""Share of the picture: without a value of `kept`, a larger change is not local."""


@dataclass(frozen=True)
class VisibleChange:
    """A change that the maps of several returns show and no drift explains."""

    name: LocalChange | Literal["visibly changed"]
    share: float
    """Share of the picture: the median over the returns with this change."""
    count: int
    n: int
    """Number of returns with a difference map."""

    @property
    def words(self) -> str:
        percent = "under 1" if self.share < 0.005 else f"{100 * self.share:.0f}"
        return f"{self.name}: {percent} % of the picture in {self.count} of {self.n}"


def local_change(values: Values) -> LocalChange | None:
    """The clearly visible change in the edited region of this return, if the rest is preserved."""
    if values.get("kept", 0.0) < REST_KEPT or values.get("flip_peak", 0.0) < PLAIN_PEAK:
        return None
    # A blur has high peaks at all edges, inside the footprints as well as outside.
    if values.get("rewritten", 0.0) <= values.get("collateral", 0.0):
        return None
    return "left behind" if values.get("left_behind", 0.0) >= STILL_THERE else "rewritten"


def is_broken(values: Values, is_moved: bool) -> bool:
    """Whether the map shows more than a local change, even if the picture's averages are unchanged.

    A picture that moved differs everywhere: it is compared after registration, or not at all.
    """
    if "kept" in values:
        return max(values["kept"], values.get("kept_registered", 0.0)) < REST_KEPT
    return not is_moved and values.get("flip_area", 0.0) > VISIBLE_SHARE


def visible_changes(returns: Sequence[Values], unexplained: Sequence[Values]) -> tuple[VisibleChange, ...]:
    """Local changes, and the changes of returns with global damage but no noticeable drift."""
    n = sum("flip_area" in values for values in returns)
    shares: dict[LocalChange | Literal["visibly changed"], list[float]] = {
        "left behind": [_edited_and_visible(one) for one in returns if local_change(one) == "left behind"],
        "rewritten": [_edited_and_visible(one) for one in returns if local_change(one) == "rewritten"],
        "visibly changed": [one["flip_area"] for one in unexplained if "flip_area" in one],
    }
    return tuple(VisibleChange(name, median(some), len(some), n) for name, some in shares.items() if some)


def _edited_and_visible(values: Values) -> float:
    """Share of the picture that is inside the footprints and visibly changed.

    The visibly changed share of the picture is the mean of that of the footprints and that of the rest,
    weighted by their sizes. Of these four numbers, only the size of the footprints is not stored; it follows
    from the others.
    """
    inside, outside = values["rewritten"], values.get("collateral", 0.0)
    size = (values.get("flip_area", 0.0) - outside) / (inside - outside)
    return inside * min(1.0, max(0.0, size))
