"""Whether each forward edit happened, decided by the same method for all models of a table.

Three deciders are tried in turn for each case: a judge's verdict, CLIP's direction, and pixels. The first
that decides every round of every ranked model is used. Pixels can refute most edits but not confirm them: an
edit that they do not refute counts as done, and the share of edits is then an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from convergebench.analysis.round_trip.forward_success import TOWARDS
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.analysis.round_trip.round_verdicts import ByJudge
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.types import Measurement

Decider: TypeAlias = Literal["judge", "CLIP", "pixels"]
ChainRound: TypeAlias = tuple[str, str, int, int]
"""Model, case, seed and round."""

EDIT_EVIDENCE = "edit_evidence"
"""By pixels: 1 confirms the edit, 0 refutes it; otherwise it is missing, with the reason."""

_Forward: TypeAlias = Mapping[str, Measurement]
_Round: TypeAlias = Return | FailedStep
_Decide: TypeAlias = Callable[[_Round], Sequence[bool | None]]
"""Whether each forward edit of a round happened; None if it cannot tell."""


@dataclass(frozen=True)
class Decision:
    happened: bool
    by: Decider
    is_bound: bool = False
    """Whether it is only not refuted."""


@dataclass(frozen=True)
class EditDecisions:
    """By chain and round; undecided rounds are left out."""

    rounds: Mapping[ChainRound, Decision]
    deciders: Mapping[str, Decider]
    """By case."""
    judges: tuple[str, ...] = ()
    """The judges that decided, if any did."""


def edit_decisions(results: Results, models: Iterable[str]) -> EditDecisions:
    """The decisions on every round; `models` are the models that must share a decider."""
    ranked = set(models)
    by_case: dict[str, list[_Round]] = {}
    edited: tuple[_Round, ...] = (*results.returns, *results.troubles)
    for item in (one for one in edited if one.forwards or isinstance(one, Return)):
        by_case.setdefault(item.case, []).append(item)
    rounds: dict[ChainRound, Decision] = {}
    deciders: dict[str, Decider] = {}
    judges: dict[str, None] = {}
    for case, items in by_case.items():
        deciding = [item for item in items if item.model in ranked] or items
        together = common_judges(by_judge for item in deciding for by_judge in _happened(item))
        decider, decide = _decider_of(deciding, together)
        deciders[case] = decider
        judges |= dict.fromkeys(together if decider == "judge" else ())
        for item in items:
            decision = _decision(item, decider, decide)
            if decision is not None:
                rounds[item.model, item.case, item.seed, item.round] = decision
    return EditDecisions(rounds, deciders, tuple(judges))


def common_judges(verdicts: Iterable[ByJudge]) -> tuple[str, ...]:
    """The judges that answered every question."""
    answered = [frozenset(by_judge) for by_judge in verdicts]
    return tuple(sorted(frozenset[str].intersection(*answered))) if answered else ()


def _happened(item: _Round) -> Sequence[ByJudge]:
    """An empty answer for a round without a verdict, so that its judges are not taken for unanimous."""
    return item.verdicts.happened or ({},)


def _decider_of(items: Sequence[_Round], judges: Sequence[str]) -> tuple[Decider, _Decide]:
    if judges:
        return "judge", partial(_by_judges, judges=judges)
    if all(item.forwards and None not in _by_clip(item) for item in items):
        return "CLIP", _by_clip
    return "pixels", _by_pixels


def _decision(item: _Round, decider: Decider, decide: _Decide) -> Decision | None:
    """All forward edits of a round must have happened."""
    verdicts = decide(item)
    if not verdicts:
        return None
    if False in verdicts:
        return Decision(False, decider)
    if None not in verdicts:
        return Decision(True, decider)
    is_measured = decider == "pixels" and all(EDIT_EVIDENCE in forward for forward in item.forwards)
    return Decision(True, decider, is_bound=True) if is_measured else None


def _by_judges(item: _Round, judges: Sequence[str]) -> list[bool | None]:
    """By the majority of verdicts; each judge has one vote, and a tie is a no."""
    return [
        sum(by_judge[one] for one in judges) > 0.5 * len(judges) if set(judges) <= set(by_judge) else None
        for by_judge in item.verdicts.happened
    ]


def _by_clip(item: _Round) -> list[bool | None]:
    """Flips and similar edits have no caption, so pixels decide them."""

    def decide(forward: _Forward) -> bool | None:
        value = _value(forward, CLIP_DIRECTION)
        if value is not None:
            return value > TOWARDS
        return _confirmed(forward) if CLIP_DIRECTION in forward else None

    return [decide(forward) for forward in item.forwards]


def _by_pixels(item: _Round) -> list[bool | None]:
    return [_confirmed(forward) for forward in item.forwards]


def _confirmed(forward: _Forward) -> bool | None:
    value = _value(forward, EDIT_EVIDENCE)
    return None if value is None else value > 0.5


def _value(forward: _Forward, name: str) -> float | None:
    return forward[name].value if name in forward else None
