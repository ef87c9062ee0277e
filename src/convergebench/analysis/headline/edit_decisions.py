"""Whether each forward edit happened, decided by the same method for all models of a table.

Three deciders are tried in turn for each case: a judge's verdict, CLIP's direction, and pixels. The first
that decides every round of every ranked model is used. Pixels can refute most edits but not confirm them: an
edit that they do not refute counts as done, and the share of edits is then an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from convergebench.analysis.round_trip.forward_success import TOWARDS
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.types import Measurement

Decider: TypeAlias = Literal["judge", "CLIP", "pixels"]
ChainRound: TypeAlias = tuple[str, str, int, int]
"""Model, case, seed and round."""

EDIT_EVIDENCE = "edit_evidence"
"""By pixels: 1 confirms the edit, 0 refutes it; otherwise it is missing, with the reason."""
FORWARD_VERDICT = "forward_verdict"
"""By a judge: 1 if the requested change is visible, 0 if not."""

_Forward: TypeAlias = Mapping[str, Measurement]


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

    @property
    def has_bounds(self) -> bool:
        return any(one.is_bound for one in self.rounds.values())


def edit_decisions(results: Results, models: Iterable[str]) -> EditDecisions:
    """The decisions on every round; `models` are the models that must share a decider."""
    ranked = set(models)
    by_case: dict[str, list[Return | FailedStep]] = {}
    edited: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    for item in (one for one in edited if one.forwards or isinstance(one, Return)):
        by_case.setdefault(item.case, []).append(item)
    rounds: dict[ChainRound, Decision] = {}
    deciders: dict[str, Decider] = {}
    for case, items in by_case.items():
        decider, decide = _decider_of([item for item in items if item.model in ranked] or items)
        deciders[case] = decider
        for item in items:
            decision = _decision(item.forwards, decider, decide)
            if decision is not None:
                rounds[item.model, item.case, item.seed, item.round] = decision
    return EditDecisions(rounds, deciders)


def _decider_of(items: Sequence[Return | FailedStep]) -> tuple[Decider, Callable[[_Forward], bool | None]]:
    for decider, decide in _DECIDERS[:-1]:
        if all(item.forwards for item in items) and all(
            decide(forward) is not None for item in items for forward in item.forwards
        ):
            return decider, decide
    return _DECIDERS[-1]


def _decision(
    forwards: Sequence[_Forward], decider: Decider, decide: Callable[[_Forward], bool | None]
) -> Decision | None:
    """All forward edits of a round must have happened."""
    verdicts = [decide(forward) for forward in forwards]
    if not verdicts:
        return None
    if False in verdicts:
        return Decision(False, decider)
    if None not in verdicts:
        return Decision(True, decider)
    is_measured = decider == "pixels" and all(EDIT_EVIDENCE in forward for forward in forwards)
    return Decision(True, decider, is_bound=True) if is_measured else None


def _by_judge(forward: _Forward) -> bool | None:
    value = _value(forward, FORWARD_VERDICT)
    return None if value is None else value > 0.5


def _by_clip(forward: _Forward) -> bool | None:
    """Flips and similar edits have no caption, so pixels decide them."""
    value = _value(forward, CLIP_DIRECTION)
    if value is not None:
        return value > TOWARDS
    return _by_pixels(forward) if CLIP_DIRECTION in forward else None


def _by_pixels(forward: _Forward) -> bool | None:
    value = _value(forward, EDIT_EVIDENCE)
    return None if value is None else value > 0.5


_DECIDERS: tuple[tuple[Decider, Callable[[_Forward], bool | None]], ...] = (
    ("judge", _by_judge),
    ("CLIP", _by_clip),
    ("pixels", _by_pixels),
)


def _value(forward: _Forward, name: str) -> float | None:
    return forward[name].value if name in forward else None
