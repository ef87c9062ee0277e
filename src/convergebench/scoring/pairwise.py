"""Single edits of a suite compared pair by pair, beside the benchmark's own figures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from convergebench.benchmarks.registry import benchmark_of
from convergebench.engine.judging.comparing import ComparedModels, compare_models
from convergebench.engine.judging.judge_tasks import JudgingProgress
from convergebench.engine.judging.pairwise_candidates import PairwiseCandidate, pairwise_candidates
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.errors import WrongUse
from convergebench.judges import Judge, JudgeFacts, JudgeReply, Question, rubric
from convergebench.results import Records
from convergebench.scoring.pointwise import Scored
from convergebench.store import Workspace
from convergebench.types import Suite


@dataclass(frozen=True)
class ScoredWithPairs:
    scored: Scored
    compared: ComparedModels | None
    """None if judging ended before."""


def suite_pairs(workspace: Workspace, suite: Suite, models: Sequence[str] = ()) -> list[PairwiseCandidate]:
    """Every comparison of two models on the suite's cases: of all models, of all with the one that is named,
    or of those that are named. Raises WrongUse if there is none."""
    name, records = suite.id, Records.of(workspace)
    rubrics = [rubric(one) for one in benchmark_of(suite.name).compared_by(suite.name)]
    cases = {case.id for case in suite.cases}
    named = {one.label for one in records.editors.values() if models and one.is_one_of(models)}
    among = models if len(models) > 1 else ()
    found = [
        one
        for one in pairwise_candidates(records, rubrics, suite=name, models=among)
        if one.first.case in cases and one.first.suite == name
        if not named or named & {one.first.model, one.second.model}
    ]
    if not found:
        raise WrongUse(
            f"{workspace.folder} has no two models with pictures of the same case of {name}; "
            "run or import another model, or leave --pairwise out"
        )
    return found


async def score_with_pairs(
    score: Callable[[Judge], Awaitable[Scored]],
    pairs: Sequence[PairwiseCandidate],
    judge: Judge,
    workspace: Workspace,
    suite: Suite,
    *,
    comparisons: int | None = None,
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> ScoredWithPairs:
    """Score first, then compare, by one judge that is started once. The limits hold for both together."""
    kept = _KeptOpen(judge)
    try:
        scored = await score(kept)
        if scored.judged.interrupted or scored.judged.unusable:
            return ScoredWithPairs(scored, None)
        settings = {"command": "score", "suite": suite.id, "pairwise": True}
        compared = await compare_models(
            pairs, kept, workspace, settings, comparisons=comparisons,
            limits=limits.after(scored.judged.spent_usd), retry_missing=retry_missing, progress=progress,
        )  # fmt: skip
        return ScoredWithPairs(scored, compared)
    finally:
        await kept.end()


class _KeptOpen:
    """A judge that stays open between two stages: starting a model can take minutes."""

    def __init__(self, judge: Judge) -> None:
        self.facts: JudgeFacts = judge.facts
        self._judge = judge
        self._started = False

    async def start(self) -> None:
        if not self._started:
            await self._judge.start()
            self._started = True

    async def ask(self, question: Question) -> JudgeReply:
        return await self._judge.ask(question)

    async def close(self) -> None:
        pass

    async def end(self) -> None:
        if self._started:
            await self._judge.close()
