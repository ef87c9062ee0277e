"""Cases for protocols that make several edits of a picture, or none, made of a suite's own cases."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from convergebench.suites._pairs import PAIRS
from convergebench.types import Case, Undoable

STAY = "Change nothing: give back the image exactly as it is."

_AREAS = {pair.id: pair.area for pair in PAIRS}


def chained(cases: Sequence[Case], suite: Sequence[Case], length: int, protocol: str) -> tuple[Case, ...]:
    """For each case, one that makes its edit first and then others of the same picture, `length` in all.

    The others are drawn from the whole suite with a seed made of the case, so that they do not depend on
    which cases were chosen. They touch different parts of the picture, since undoing one must not undo
    another. A case whose edit can be undone for certain gets only such edits; one without enough others is
    left out.
    """
    by_picture: dict[str, list[Case]] = {}
    for case in suite:
        by_picture.setdefault(case.source.id, []).append(case)
    return tuple(
        _joined(edits, protocol)
        for case in cases
        if len(edits := _combined(case, by_picture[case.source.id], length)) == length
    )


def staying(cases: Sequence[Case]) -> tuple[Case, ...]:
    """For each picture, one case that asks for no change at all."""
    first = {case.source.id: case for case in reversed(cases)}
    return tuple(
        Case(f"{id}/stay", case.sources, STAY, pair="stay", category="stay", kind=case.kind)
        for id, case in reversed(first.items())
    )


def _combined(first: Case, others: Sequence[Case], length: int) -> list[Case]:
    """The case itself, and others that can be combined with all before them, as far as there are any."""
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
    """Of the built-in pairs; the edits of another suite are assumed not to overlap."""
    return _AREAS.get(case.pair, case.pair)
