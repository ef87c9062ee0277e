"""A row for each model: whether it edits, undoes and preserves the rest, for how many rounds, and its
score."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from convergebench.analysis.headline.chain_rounds import Chain, RoundQuality, Thresholds, chains_of
from convergebench.analysis.headline.edit_decisions import Decider, EditDecisions, edit_decisions
from convergebench.analysis.headline.ranked_models import Chains, ranked_models, shared_chains
from convergebench.analysis.headline.resemblance import Resemblance, resemblances
from convergebench.analysis.headline.reversal_grades import ReversalGrades, reversal_grades
from convergebench.analysis.headline.seen_values import FACE_DISTANCE
from convergebench.analysis.headline.usable_rounds import UsableRounds, usable_rounds
from convergebench.analysis.round_trip.results import ModelUse, Results, Role
from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean
from convergebench.analysis.statistics.significance_letters import significance_letters
from convergebench.types import MetricFacts, SuiteId, is_portrait

STAYED = 0.5
"""If at least this share of the footprint's core still looks edited, the edit counts as not undone."""
HEADLINE_SCORE = "headline_score"
"""Not `score`, which a metric of a user may be called."""
SCORE = MetricFacts(HEADLINE_SCORE, "1", "higher", 100.0, 0.0, "quality")
DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True)
class HeadlineRow:
    """A model's answers; None is missing, never zero."""

    rank: int | None
    model: str
    role: Role
    score: Interval | None
    """100 × the mean over rounds of g · √(U · K)."""
    group: str
    did: Interval | None
    """The share of rounds whose edit happened."""
    did_is_bound: bool
    undid: Interval | None
    stayed: int
    """Rounds after which most of the edit was still visible."""
    rounds: int
    """Rounds that were edited and returned, and of which it is known what stayed."""
    kept_first: Interval | None
    kept_last: Interval | None
    usable: UsableRounds | None
    session_seconds: float | None
    session_usd: float | None


@dataclass(frozen=True)
class Headline:
    """Ranked models best first, then models without a score; probes and floors separately, as calibration."""

    suite: SuiteId
    rounds: int
    rows: tuple[HeadlineRow, ...]
    scored: Mapping[str, tuple[Chain, ...]]
    """By model: the chains that its score is over."""
    calibration: tuple[HeadlineRow, ...]
    cases: int
    """Cases that are decided and complete for every ranked model; the score covers these."""
    all_cases: int
    too_few_cases: Mapping[str, int]
    """Models without a rank, because the others could only be compared on their few cases; how many cases."""
    deciders: Mapping[Decider, int]
    """By decider of whether an edit happened: the number of cases that it decides."""
    graded_cases: int
    """Cases whose `undid` is a judge's grade, and not measured."""
    face_cases: int
    """Cases in which a changed face limits what counts as undone."""
    uncompared_face_cases: int
    """Cases with a portrait in which faces were not compared for every ranked model."""
    judges: tuple[str, ...]
    """The judges whose verdicts are used."""
    thresholds: Thresholds
    resemblances: tuple[Resemblance, ...]
    """What the last returns of models look like, where they look like a known wear."""


def headline(results: Results, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Headline:
    roles = results.roles()
    models = [model for model, role in roles.items() if role == "model"]
    decisions, grades, by_model = _followed(results, roles, models)
    having = _chains_with_score(by_model, models)
    ranked = ranked_models(having)
    too_few = {model: len({case for case, _ in having[model]}) for model in having if model not in ranked}
    if too_few:  # their verdicts decide nothing
        models = [model for model in models if model not in too_few]
        decisions, grades, by_model = _followed(results, roles, models)
        having = _chains_with_score(by_model, models)
    shared = shared_chains(having, having)
    scored = {model: () if model in too_few else _scored(found, shared) for model, found in by_model.items()}
    uses = {use.model: use for use in results.uses}
    rows = {
        model: _row(
            model,
            role,
            by_model[model],
            scored[model],
            decisions,
            results.rounds,
            uses.get(model),
            thresholds,
        )
        for model, role in roles.items()
    }
    cases = {case for case, _ in shared}
    deciders = [decisions.deciders[case] for case in cases if case in decisions.deciders]
    return Headline(
        suite=results.suite,
        rounds=results.rounds,
        rows=_ranked([rows[model] for model in (*models, *too_few)], by_model, shared),
        calibration=tuple(rows[model] for model, role in roles.items() if role != "model"),
        scored=scored,
        cases=len(cases),
        all_cases=len({one.case for found in by_model.values() for one in found}),
        too_few_cases=too_few,
        deciders={name: deciders.count(name) for name in dict.fromkeys(sorted(deciders))},
        graded_cases=len(cases & grades.cases),
        face_cases=len(cases & _cases_with_faces(by_model.values()) - grades.cases),
        uncompared_face_cases=len(cases & _portraits_without_faces(results, models) - grades.cases),
        judges=tuple(dict.fromkeys((*decisions.judges, *grades.judges))),
        thresholds=thresholds,
        resemblances=resemblances(results),
    )


def _followed(
    results: Results, roles: Collection[str], ranked: Sequence[str]
) -> tuple[EditDecisions, ReversalGrades, dict[str, list[Chain]]]:
    """The chains of each model, decided and graded alike for those that are ranked."""
    decisions, grades = edit_decisions(results, ranked), reversal_grades(results, ranked)
    chains = chains_of(results, decisions, grades)
    return decisions, grades, {model: [one for one in chains if one.model == model] for model in roles}


def _cases_with_faces(chains: Iterable[Sequence[Chain]]) -> frozenset[str]:
    return frozenset(
        one.case
        for of_model in chains
        for one in of_model
        if any(quality.face_distance is not None for quality in one.rounds)
    )


def _portraits_without_faces(results: Results, models: Collection[str]) -> frozenset[str]:
    """Cases with a portrait in which some model's returns were not compared, not even in vain."""
    returns = [
        item for item in results.returns if item.model in models and is_portrait(item.kind, item.picture)
    ]
    compared = {(item.model, item.case) for item in returns if FACE_DISTANCE in item.values}
    return frozenset(item.case for item in returns if (item.model, item.case) not in compared)


def _chains_with_score(by_model: Mapping[str, Sequence[Chain]], models: Iterable[str]) -> dict[str, Chains]:
    """Of each model that has any score."""
    found = {
        model: frozenset((one.case, one.seed) for one in by_model[model] if one.score is not None)
        for model in models
    }
    return {model: chains for model, chains in found.items() if chains}


def _scored(chains: Sequence[Chain], shared: frozenset[tuple[str, int]]) -> tuple[Chain, ...]:
    return tuple(
        one for one in chains if one.score is not None and (not shared or (one.case, one.seed) in shared)
    )


def _row(
    model: str,
    role: Role,
    chains: Sequence[Chain],
    scored: Sequence[Chain],
    decisions: EditDecisions,
    rounds: int,
    use: ModelUse | None,
    thresholds: Thresholds,
) -> HeadlineRow:
    made = {key: one for key, one in decisions.rounds.items() if key[0] == model}
    cases = {one.case: one.picture for one in chains}
    returned = [(one.picture, quality) for one in chains for quality in one.rounds]
    left = [one.left_behind for _, one in returned if one.happened and one.left_behind is not None]
    return HeadlineRow(
        rank=None,
        model=model,
        role=role,
        score=_mean([(one.picture, 100 * (one.score or 0.0)) for one in scored], most=100.0),
        group="",
        did=_mean(
            [(cases[case], float(one.happened)) for (_, case, _, _), one in made.items() if case in cases]
        ),
        did_is_bound=any(one.is_bound for one in made.values()),
        undid=_mean([(picture, one.undid) for picture, one in returned if one.undid is not None]),
        stayed=sum(one >= STAYED for one in left),
        rounds=len(left),
        kept_first=_kept_at(chains, 1),
        kept_last=_kept_at(chains, rounds),
        usable=usable_rounds(chains, thresholds, rounds),
        session_seconds=_per_session(use, rounds, use.mean_seconds if use else None),
        session_usd=_per_session(use, rounds, _usd_per_edit(use)),
    )


def _per_session(use: ModelUse | None, rounds: int, per_edit: float | None) -> float | None:
    """A session is one chain of all rounds; missing edits count as the mean of those that were made."""
    if use is None or per_edit is None or not use.trajectories:
        return None
    edits = use.edits / use.complete if use.complete and use.complete == use.trajectories else 2.0 * rounds
    return edits * per_edit


def _usd_per_edit(use: ModelUse | None) -> float | None:
    """What failed attempts cost is part of the price of the edits that were made."""
    if use is None or use.cost_usd is None or not use.edits:
        return None
    return use.cost_usd / use.edits


def _kept_at(chains: Sequence[Chain], number: int) -> Interval | None:
    at: list[tuple[str, RoundQuality]] = [
        (one.picture, one.rounds[number - 1]) for one in chains if len(one.rounds) >= number
    ]
    return _mean([(picture, one.kept) for picture, one in at if one.kept is not None])


def _mean(values: Sequence[tuple[str, float]], most: float = 1.0) -> Interval | None:
    if not values:
        return None
    return clustered_mean(
        np.array([value for _, value in values]), [picture for picture, _ in values], possible=(0.0, most)
    )


def _ranked(
    rows: Sequence[HeadlineRow], by_model: Mapping[str, Sequence[Chain]], shared: frozenset[tuple[str, int]]
) -> tuple[HeadlineRow, ...]:
    """Best first; equal scores share a rank."""
    ordered = sorted(rows, key=lambda row: (row.score is None, -(row.score.mean if row.score else 0.0)))
    scored = [row for row in ordered if row.score is not None]
    values = {
        row.model: {
            (one.case, one.seed): (one.picture, 100 * one.score)
            for one in by_model[row.model]
            if one.score is not None and (one.case, one.seed) in shared
        }
        for row in scored
    }
    letters = significance_letters(values, SCORE) if scored else {}
    means = [row.score.mean for row in scored if row.score is not None]
    return tuple(
        replace(row, rank=1 + means.index(row.score.mean), group=letters[row.model]) if row.score else row
        for row in ordered
    )
