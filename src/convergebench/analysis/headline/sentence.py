"""The headline in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convergebench.analysis.headline.chain_rounds import Ending
from convergebench.analysis.headline.headline import Headline, HeadlineRow
from convergebench.analysis.headline.usable_rounds import UsableRounds

THEN: Mapping[Ending, str] = {
    "not edited": "edits no longer happen",
    "not undone": "edits are no longer undone",
    "rest changed": "the rest of the picture goes",
    "another person": "the face is another person's",
    "refused": "it refuses",
}
_MOST_NAMES = 4


def headline_sentence(found: Headline) -> str:
    """How long the best model stays usable and what ends that, and which other models do not differ from
    it."""
    scored = [row for row in found.rows if row.score is not None]
    if not scored:
        return "No model has a headline score."
    best = scored[0]
    alike = [row.model for row in scored[1:] if set(row.group) & set(best.group)]
    others = [row for row in scored[1:] if row.model not in alike]
    parts = [_of_model(best)]
    if alike:
        parts.append(f"{_listed(alike)} cannot be told apart from it")
    elif others:
        link = "next is" if others[0].usable is None else "next,"
        parts.append(f"{link} {_of_model(others[0])}")
    on = f" (ranked on {found.cases} of {found.all_cases} cases)" if found.cases < found.all_cases else ""
    return f"{'; '.join(parts)}{on}."


def _of_model(row: HeadlineRow) -> str:
    usable = row.usable
    if usable is None:
        return row.model
    if usable.chief_ending is None:
        every = "the only round" if usable.horizon == 1 else f"all {usable.horizon} rounds"
        return f"{row.model} stays usable for {every}"
    if usable.mean < 0.05:
        return f"{row.model} is not usable for a single round ({usable.chief_ending})"
    rounds = "round" if f"{usable.mean:.1f}" == "1.0" else "rounds"
    return f"{row.model} stays usable for {usable.mean:.1f} {rounds}, {_then(usable, usable.chief_ending)}"


def _then(usable: UsableRounds, ending: Ending) -> str:
    """What ends most chains, said as what ends a few if most do not end."""
    if 2 * usable.ended > usable.n:
        return f"then {THEN[ending]}"
    return f"and in {usable.endings[ending]} of {usable.n} chains {THEN[ending]}"


def _listed(names: Sequence[str]) -> str:
    """The first of many, and how many more: a verdict of ten long names filled seven lines.

    >>> _listed(["a"]), _listed(["a", "b", "c"]), _listed(["a", "b", "c", "d", "e"])
    ('a', 'a, b and c', 'a, b and 3 others')
    """
    if len(names) == 1:
        return names[0]
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 2])} and {len(names) - _MOST_NAMES + 2} others"
    return f"{', '.join(names[:-1])} and {names[-1]}"
