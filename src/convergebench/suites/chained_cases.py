"""Cases for protocols with several edits of a picture, or none, built from a suite's own cases."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from convergebench.suites._pairs import PAIRS
from convergebench.suites.own_edits import AREA
from convergebench.types import Case, Undoable

STAY = "Change nothing: give back the image exactly as it is."

_AREAS = {pair.id: pair.area for pair in PAIRS}


def chained(cases: Sequence[Case], suite: Sequence[Case], length: int, protocol: str) -> tuple[Case, ...]:
    """For each case, a case with its edit first and then other edits of the same picture, `length` in all.

    The others are sampled from the whole suite with a seed derived from the case, so they do not depend on
    the chosen cases. They change different parts of the picture, since undoing one must not undo another. A
    reversible case gets only reversible edits. A case without enough other edits is left out.
    """
    by_picture: dict[str, list[Case]] = {}
    for case in suite:
        if case.backward is not None:
            by_picture.setdefault(case.source.id, []).append(case)
    return tuple(
        _joined(edits, protocol)
        for case in cases
        if len(edits := _combined(case, by_picture.get(case.source.id, ()), length)) == length
    )


def staying(cases: Sequence[Case]) -> tuple[Case, ...]:
    """For each picture, one case that requests no change."""
    first = {case.source.id: case for case in reversed(cases)}
    return tuple(
        Case(f"{id}/stay", case.sources, STAY, pair="stay", category="stay", kind=case.kind)
        for id, case in reversed(first.items())
    )


def _combined(first: Case, others: Sequence[Case], length: int) -> list[Case]:
    """The case itself, and others that can be combined with all previous ones, as far as available."""
    edits = [first]
    order = list(others)
    random.Random(first.id).shuffle(order)
    for other in order:
        allowed = _is_reversible(other) or not _is_reversible(first)
        if allowed and len(edits) < length and all(_area(other) != _area(one) for one in edits):
            edits.append(other)
    return edits


def _joined(edits: Sequence[Case], protocol: str) -> Case:
    first, *others = edits
    pairs = "+".join(one.pair for one in edits)
    return Case(
        id=f"{first.source.id}/{protocol}/{pairs}",
        sources=first.sources,
        forward=first.forward,
        backward=first.backward,
        pair=pairs,
        category="+".join(sorted({one.category for one in edits})),
        kind=first.kind,
        language=first.language,
        hints=dict(_hints(edits)),
        more=tuple(Undoable(one.forward, one.backward or "") for one in others),
    )


def _hints(edits: Sequence[Case]) -> Iterator[tuple[str, str]]:
    classes = [one.hints.get("reversibility", "reversible") for one in edits]
    yield "reversibility", next((one for one in classes if one != "reversible"), "reversible")
    if any(one.hints.get("already_shown") for one in edits):
        yield "already_shown", "yes"


def _is_reversible(case: Case) -> bool:
    return case.hints.get("reversibility", "reversible") == "reversible"


def _area(case: Case) -> str:
    """For built-in pairs and users' edits that name it; other edits are assumed not to overlap."""
    return case.hints.get(AREA) or _AREAS.get(case.pair, case.pair)
