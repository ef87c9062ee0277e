"""The remaining work of a refinement and the cost of its edits, before any request is sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from convergebench.engine.judging.judgement_queue import LOOKUP_BATCH
from convergebench.engine.refining.plan import Pipeline
from convergebench.judges import Verdict
from convergebench.protocols import one_shot
from convergebench.refinement.prepare import PreparedRefinement
from convergebench.results.judgements import stored_verdicts
from convergebench.results.refinements import refinements
from convergebench.store import DATABASE, Workspace
from convergebench.types import EditorFacts


@dataclass(frozen=True)
class Forecast:
    """What a reply asks for, and which pictures follow, is not known in advance: these are upper bounds."""

    pipeline: str
    primaries: int
    looks: int
    edits: int
    judgements: int
    cost_usd: float | None
    """Cost of the edits; None if a price is unknown."""


def forecast(prepared: PreparedRefinement) -> list[Forecast]:
    """One for each model."""
    folder = Path(prepared.settings.workspace)
    if not (folder / DATABASE).is_file():
        return [_forecast(prepared, None, one) for one in prepared.pipelines]
    with Workspace.existing(folder) as workspace:
        return [_forecast(prepared, workspace, one) for one in prepared.pipelines]


def _forecast(prepared: PreparedRefinement, workspace: Workspace | None, pipeline: Pipeline) -> Forecast:
    settings, model = prepared.settings, pipeline.primary
    done = workspace.finished_edits(one_shot().name) if workspace else {}
    primaries = sum(
        not done.get((model.facts.fingerprint, case.fingerprint, settings.seed), 0) for case in prepared.cases
    )
    looks, edits = _to_do(prepared, workspace, pipeline)
    return Forecast(
        pipeline.facts.title,
        primaries,
        looks,
        edits,
        _unjudged(prepared, workspace, pipeline),
        _cost(model.facts, primaries, pipeline.executor.facts, edits),
    )


def _to_do(prepared: PreparedRefinement, workspace: Workspace | None, pipeline: Pipeline) -> tuple[int, int]:
    """Replies and further edits, at most."""
    rounds, wanted = prepared.settings.rounds, {case.fingerprint for case in prepared.cases}
    looks = edits = rounds * len(wanted)
    if workspace is None or not rounds:
        return looks, edits
    who, how = pipeline.facts.fingerprint, prepared.plan.protocol
    for case in refinements(workspace, suite=prepared.suite, editors=(who,), protocols=(how,)):
        if case.fingerprint in wanted and case.seed == prepared.settings.seed:
            settled = case.rounds[:rounds]
            over = bool(settled) and settled[-1].is_content
            looks -= rounds if over else sum(one.advice is not None for one in settled)
            edits -= rounds if over else sum(one.stage.picture is not None for one in settled)
    return looks, edits


def _unjudged(prepared: PreparedRefinement, workspace: Workspace | None, pipeline: Pipeline) -> int:
    """Judgements that are still to be requested, at most."""
    if prepared.judge is None:
        return 0
    most = prepared.most_judgements // len(prepared.pipelines)
    if workspace is None:
        return most
    fingerprint = prepared.judge.facts.fingerprint
    made = prepared.judgements_of(prepared.refined(workspace, [pipeline]))
    keys = [one.task.request_to(fingerprint).key for one in made if one.task]
    stored: dict[str, Verdict] = {}
    for start in range(0, len(keys), LOOKUP_BATCH):
        stored |= stored_verdicts(workspace, keys[start : start + LOOKUP_BATCH])
    again = prepared.settings.retry_missing
    answered = {key for key, verdict in stored.items() if verdict.outcome == "ok" or not again}
    return most - sum(key in answered for key in keys)


def _cost(model: EditorFacts, primaries: int, executor: EditorFacts, edits: int) -> float | None:
    if model.price_usd is None or executor.price_usd is None:
        return None
    return primaries * model.price_usd + edits * executor.price_usd
