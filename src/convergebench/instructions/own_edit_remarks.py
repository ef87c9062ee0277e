"""What to know of users' own edits before any is made: inverses that nobody wrote, and how each is scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convergebench.instructions.fill_inverses import filled_inverses
from convergebench.suites.own_edits import OWN
from convergebench.types import Case

_MOST_NAMED = 6
_SCOPES = {"local": "one part of the picture", "global": "the whole picture"}


def own_edit_remarks(cases: Sequence[Case]) -> list[str]:
    """Lines for the user; none for a suite's own edits."""
    own = [case for case in cases if OWN in case.hints]
    return [
        *(
            f"Inverse of {forward!r}, by {origin}: {backward!r}"
            for (forward, backward), origin in filled_inverses(own).items()
        ),
        *_taken_as(own),
    ]


def _taken_as(own: Sequence[Case]) -> Iterator[str]:
    """Words decide what no category and no class of the user's did, and only in English."""
    from convergebench.metrics.regions import edit_scope  # loads the metrics

    groups: dict[str, dict[str, None]] = {}
    for case in own:
        kind = f"{_SCOPES[edit_scope(case.category)]}, {case.hints['reversibility']}"
        groups.setdefault(kind, {})[case.forward] = None
    if groups:
        yield (
            "How each edit is scored; where this is wrong, give it a category or a reversibility "
            "(docs/suites.md#your-own-edits):"
        )
    for kind, instructions in groups.items():
        named = ", ".join(map(repr, list(instructions)[:_MOST_NAMED]))
        more = f" and {len(instructions) - _MOST_NAMED} more" if len(instructions) > _MOST_NAMED else ""
        yield f"  {kind}: {named}{more}"
