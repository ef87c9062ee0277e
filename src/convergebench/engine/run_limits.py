"""What one run may ask, of whom and for how much money; all of its stages share it."""

from __future__ import annotations

import asyncio
import math

from convergebench.engine.limits import Budget, Lane, Limits, Patience, lane_for, patience_with
from convergebench.errors import WrongUse
from convergebench.judges import JudgeFacts
from convergebench.provider_limits import limits_at
from convergebench.types import Editor

QUESTIONS_AT_ONCE = 8


class Stop(asyncio.Event):
    """A sign to stop. What is under it stops with it, and can stop alone."""

    def __init__(self) -> None:
        super().__init__()
        self._under: list[Stop] = []

    def under(self) -> Stop:
        one = Stop()
        self._under.append(one)
        if self.is_set():
            one.set()
        return one

    def set(self) -> None:
        super().set()
        for one in self._under:
            one.set()


class Allowance:
    """One lane for each provider, for its editors and judges alike; one budget; one sign to stop for all.

    A stage that cannot go on ends alone, by a sign under that one. Money that runs out, an interrupt and an
    error end all of the run, when what is in flight has finished.
    """

    def __init__(
        self,
        max_cost_usd: float | None = None,
        per_minute: float | None = None,
        patience: Patience | None = None,
    ) -> None:
        check_allowance(max_cost_usd, per_minute)
        self.stop = Stop()
        self._budget = Budget(max_cost_usd)
        self._per_minute = per_minute
        self.patience = patience or Patience()
        self._lanes: dict[str, Lane] = {}

    def for_editor(self, editor: Editor, at_once: int | None, stop: Stop) -> Limits:
        lane = lane_for(editor.facts, at_once, self._per_minute)
        return self._limits(editor.facts.provider, lane, stop, patience_with(editor, self.patience))

    def for_judge(self, facts: JudgeFacts, at_once: int | None, stop: Stop) -> Limits:
        """Whoever asks this provider first says how wide its lane is; a number that is asked for here and is
        larger makes it wider."""
        per_minute = self._per_minute or limits_at(facts.provider).per_minute
        lane = Lane(questions_at_once(facts, at_once), per_minute)
        limits = self._limits(facts.provider, lane, stop, self.patience)
        if at_once is not None:
            self._lanes[facts.provider].widen(at_once)
        return limits

    def _limits(self, provider: str, lane: Lane, stop: Stop, patience: Patience) -> Limits:
        return Limits(self._lanes.setdefault(provider, lane), patience, self._budget, stop)


def check_allowance(max_cost_usd: float | None, per_minute: float | None) -> None:
    """WrongUse unless both can be kept; for settings, so that a run that cannot begin is not on record."""
    if max_cost_usd is not None and not 0 <= max_cost_usd < math.inf:
        raise WrongUse(
            f"--max-cost must be a number of dollars, 0 or more, not {max_cost_usd:g}; no limit without it"
        )
    if per_minute is not None and not 0 < per_minute < math.inf:
        raise WrongUse(f"--per-minute must be a number above 0, not {per_minute:g}")


def questions_at_once(facts: JudgeFacts, asked_for: int | None) -> int:
    return asked_for or limits_at(facts.provider).at_once or QUESTIONS_AT_ONCE
