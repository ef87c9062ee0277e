"""Comparing models by a judge: all comparisons, or as many as were asked for, the most informative first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convergebench.analysis.judged.bradley_terry import WINNER_BY_SHARE, Winner
from convergebench.analysis.judged.next_comparison import AdaptiveOrder, PossibleComparison
from convergebench.analysis.judged.pairwise_summary import PairwiseVerdicts
from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging.judge_tasks import (
    JudgingOutcome,
    JudgingProgress,
    judge_in_run,
    judging_run,
)
from convergebench.engine.judging.judgement_queue import LOOKUP_BATCH
from convergebench.engine.judging.pairwise_candidates import PairwiseCandidate
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.engine.shared_limits import limits_in
from convergebench.judges import Judge, Verdict
from convergebench.judges.rubric import CHOICES
from convergebench.results.judgements import stored_verdicts
from convergebench.store import Workspace


@dataclass(frozen=True)
class ComparedModels:
    """The comparisons that were asked for, now or earlier, and those that need no judge."""

    verdicts: Sequence[PairwiseVerdicts]
    judged: JudgingOutcome
    possible: int
    """All comparisons that could be asked for."""


async def compare_models(
    candidates: Sequence[PairwiseCandidate],
    judge: Judge,
    workspace: Workspace,
    settings: Mapping[str, Any],
    *,
    comparisons: int | None = None,
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> ComparedModels:
    """Ask for both orders of every comparison, or of `comparisons` of them, as a separate run.

    Comparisons that the workspace has verdicts on come first and count. Each further one is of the two models
    whose interval is widest at that moment.
    """
    asked, same = [one for one in candidates if one.tasks], [one for one in candidates if not one.tasks]
    if comparisons is None or comparisons >= len(asked):
        tasks = [task for one in asked for task in one.tasks]
        judged = await judge_in_run(tasks, judge, workspace, settings, limits, retry_missing, progress)
    else:
        with judging_run(
            judge, workspace, {**settings, "comparisons": comparisons}, limits, retry_missing
        ) as run:
            stage = JudgingStage(
                judge, workspace, limits_in(workspace, run.id, limits), run=run.id,
                retry_missing=retry_missing, progress=progress, expected=2 * comparisons,
            )  # fmt: skip
            with interruptible(stage.interrupt):
                async with stage:
                    chosen = await _Adaptive(asked, stage, judge).ask(workspace, comparisons)
            judged = stage.judged([key for one in chosen for key in _keys(asked[one], judge)])
            run.ending = judged.ending
        asked = [asked[one] for one in chosen]
    found = list(_pairwise_verdicts([*asked, *same], iter(judged.verdicts)))
    return ComparedModels(found, judged, len(candidates))


class _Adaptive:
    """Keeps the judge busy with the comparisons that are worth most."""

    def __init__(self, candidates: Sequence[PairwiseCandidate], stage: JudgingStage, judge: Judge) -> None:
        self._candidates = candidates
        self._stage = stage
        self._keys = [_keys(one, judge) for one in candidates]
        self._order = AdaptiveOrder([_possible(one) for one in candidates])
        self._pending: dict[int, tuple[str, ...]] = {}

    async def ask(self, workspace: Workspace, comparisons: int) -> list[int]:
        """The numbers of the candidates that were asked for, in order."""
        chosen = self._begun(workspace)
        for number in chosen:
            self._order.take(number)
            self._add(number)
        while True:
            while len(chosen) < comparisons and len(self._pending) < self._stage.at_once:
                following = self._order.next()
                if following is None:
                    break
                chosen.append(following)
                self._add(following)
            if not self._pending or not await self._settle():
                return chosen

    def _begun(self, workspace: Workspace) -> list[int]:
        """Those with a verdict in one order at least."""
        keys = [key for of_one in self._keys for key in of_one]
        stored: set[str] = set()
        for start in range(0, len(keys), LOOKUP_BATCH):
            stored |= stored_verdicts(workspace, keys[start : start + LOOKUP_BATCH]).keys()
        return [number for number, of_one in enumerate(self._keys) if stored.intersection(of_one)]

    def _add(self, number: int) -> None:
        self._pending[number] = tuple(self._stage.add(self._candidates[number].tasks))

    async def _settle(self) -> bool:
        """Wait for a comparison to be decided; false if the stage ends before."""
        while True:
            decided = [number for number, keys in self._pending.items() if self._stage.is_settled(keys)]
            for number in decided:
                winners = [_winner(self._stage.verdict(key)) for key in self._pending.pop(number)]
                self._order.settle(number, _share(_verdicts_of(self._candidates[number], winners)))
            if decided:
                return True
            if not await self._stage.progress():
                return False


def _keys(one: PairwiseCandidate, judge: Judge) -> tuple[str, ...]:
    return tuple(task.request_to(judge.facts.fingerprint).key for task in one.tasks)


def _possible(one: PairwiseCandidate) -> PossibleComparison:
    place = one.first
    pair = (one.rubric.name, place.part, place.language, place.model, one.second.model)
    return PossibleComparison(pair, f"{place.suite}/{place.case}/{place.round}")


def _share(verdicts: PairwiseVerdicts) -> float | None:
    """The first model's part of the win."""
    outcome = verdicts.outcome
    return None if outcome is None else CHOICES[outcome.comparison.winner]


def _pairwise_verdicts(
    candidates: Sequence[PairwiseCandidate], verdicts: Iterator[Verdict | None]
) -> Iterator[PairwiseVerdicts]:
    """`verdicts` belong to the candidates' tasks, in order."""
    for one in candidates:
        yield _verdicts_of(one, [_winner(next(verdicts)) for _ in one.tasks])


def _verdicts_of(one: PairwiseCandidate, winners: Sequence[Winner | None]) -> PairwiseVerdicts:
    """`winners` are empty for identical pictures, which are a tie without a call to the judge."""
    shown, swapped = winners or ("tie", "tie")
    place = one.first
    return PairwiseVerdicts(
        one.rubric.name, place.model, one.second.model, shown, swapped, cluster=place.picture,
        suite=place.part, language=place.language, case=place.case,
    )  # fmt: skip


def _winner(verdict: Verdict | None) -> Winner | None:
    return None if verdict is None or verdict.value is None else WINNER_BY_SHARE[verdict.value]
