"""Limits shared by the stages of a run: a lane for each provider, the budget, and the stop signal."""

from __future__ import annotations

import asyncio

from convergebench.engine.budget import Budget, SpendingLedger
from convergebench.engine.limits import Lane, Limits, Patience, lane_for, patience_with
from convergebench.engine.run_limits import RunLimits
from convergebench.judges import JudgeFacts
from convergebench.provider_limits import limits_at
from convergebench.store import Workspace
from convergebench.store.spending import WorkspaceSpending
from convergebench.types import Editor

QUESTIONS_AT_ONCE = 8


class StopSignal(asyncio.Event):
    """A stop signal that also stops its children; a child can stop alone."""

    def __init__(self) -> None:
        super().__init__()
        self._children: list[StopSignal] = []

    def child(self) -> StopSignal:
        signal = StopSignal()
        self._children.append(signal)
        if self.is_set():
            signal.set()
        return signal

    def set(self) -> None:
        super().set()
        for child in self._children:
            child.set()


def limits_in(workspace: Workspace, run: int, limits: RunLimits) -> SharedLimits:
    """The limits of a run, with its spending recorded in the workspace."""
    return SharedLimits(limits, WorkspaceSpending(workspace, run, limits.max_total_usd))


class SharedLimits:
    """One lane for each provider, shared by its editors and judges; one budget; one stop signal for all.

    A stage that cannot continue ends alone, by a child of that signal. An exhausted budget, an interrupt or
    an error ends the whole run after requests in flight have finished.
    """

    def __init__(self, limits: RunLimits, ledger: SpendingLedger | None = None) -> None:
        self.limits = limits
        self.stop = StopSignal()
        self._budget = Budget(limits.max_cost_usd, ledger)
        self._lanes: dict[str, Lane] = {}

    def for_editor(self, editor: Editor, stop: asyncio.Event) -> Limits:
        lane = lane_for(editor.facts, self.limits.concurrency, self.limits.per_minute)
        patience = patience_with(editor, self.limits.patience)
        return self._limits(editor.facts.provider, lane, stop, patience)

    def for_judge(self, facts: JudgeFacts, concurrency: int | None, stop: asyncio.Event) -> Limits:
        """The first caller sets the width of a provider's lane; an explicit, larger number widens it."""
        per_minute = self.limits.per_minute or limits_at(facts.provider).per_minute
        lane = Lane(questions_at_once(facts, concurrency), per_minute)
        limits = self._limits(facts.provider, lane, stop, self.limits.patience)
        if concurrency is not None:
            self._lanes[facts.provider].widen(concurrency)
        return limits

    def _limits(self, provider: str, lane: Lane, stop: asyncio.Event, patience: Patience) -> Limits:
        return Limits(self._lanes.setdefault(provider, lane), patience, self._budget, stop)


def questions_at_once(facts: JudgeFacts, concurrency: int | None) -> int:
    return concurrency or limits_at(facts.provider).at_once or QUESTIONS_AT_ONCE
