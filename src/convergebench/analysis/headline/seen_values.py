"""What counts as undone and as kept in the score, from the measurements of a return.

A person looks at more than pixels in their places: a small change makes another face, and a picture that
moved as a whole is still that picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TypeAlias

from convergebench.analysis.round_trip.results import Results
from convergebench.metrics.face_distance import NO_FACE
from convergebench.types import Measurement

FACE_DISTANCE = "face_distance"
ALIKE = 0.20
"""Faces no further apart count as the same: JPEG at quality 75, noise of σ 8 and a zoom of 1 % move no face
of 13 portraits further."""
SAME_FACE = 0.45
"""From here on it is another person's. A return shows the source's own photograph, so that less is allowed
than between two photographs of one person (0.6): docs/headline.md has the grades."""
ANOTHER_FACE = 0.5
"""The most that is undone with another person's face."""

Values: TypeAlias = Mapping[str, Measurement]
CaseRound: TypeAlias = tuple[str, int]


def undid_seen(values: Values, face_distance: float | None) -> float | None:
    """`undid`, and at most what the distance of the faces allows; None if `undid` is missing."""
    undid = _value(values, "undid")
    if undid is None or face_distance is None:
        return undid
    changed = min(max((face_distance - ALIKE) / (SAME_FACE - ALIKE), 0.0), 1.0)
    return min(undid, 1 - (1 - ANOTHER_FACE) * changed)


def kept_seen(values: Values) -> float | None:
    """The geometric mean of `kept` as the picture is and after registration, or the former alone.

    A reframed picture differs at every edge; a person sees that it moved, and that it is the same picture.
    """
    as_it_is, registered = _value(values, "kept"), _value(values, "kept_registered")
    return as_it_is if as_it_is is None or registered is None else sqrt(as_it_is * registered)


def face_distance_of(values: Values) -> float | None:
    return _value(values, FACE_DISTANCE)


def rounds_with_faces(results: Results) -> frozenset[CaseRound]:
    """The rounds in which faces were compared for every ranked model, so that all are scored by one rule.

    A return in which no face was found was compared: it is judged by the rest.
    """
    ranked = {model for model, role in results.roles().items() if role == "model"}
    compared: dict[CaseRound, bool] = {}
    for item in results.returns:
        if item.model in ranked or not ranked:
            key = item.case, item.round
            compared[key] = compared.get(key, True) and _was_compared(item.values.get(FACE_DISTANCE))
    return frozenset(key for key, every in compared.items() if every)


def _was_compared(found: Measurement | None) -> bool:
    return found is not None and (found.value is not None or found.missing in NO_FACE)


def _value(values: Values, name: str) -> float | None:
    found = values.get(name)
    return found.value if found else None
