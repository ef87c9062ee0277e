"""Everything that votes say, ready to be printed or drawn: raters, models, metrics, thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.judged.bradley_terry import Comparison, Strengths, bradley_terry
from convergebench.analysis.round_trip.results import Results
from convergebench.analysis.votes.metric_agreement import (
    Ceiling,
    PredictedVote,
    PredictorAgreement,
    TrustedMetric,
    agreements,
    ceiling,
    trusted_metric,
)
from convergebench.analysis.votes.rater_checks import RaterCheck, rater_checks
from convergebench.analysis.votes.visibility import (
    MeasuredThresholds,
    VisibleRound,
    measured_thresholds,
    visible_rounds,
)
from convergebench.analysis.votes.vote import QuestionKind, Vote
from convergebench.errors import WrongUse
from convergebench.protocols import one_shot
from convergebench.results import Records, load_results
from convergebench.results.round_trip_results import suites_with_returns
from convergebench.store import Workspace
from convergebench.types import SuiteId
from convergebench.votes.foreign_votes import read_foreign_votes
from convergebench.votes.predictors import category_groups, predicted_votes, round_groups, visibility_trials
from convergebench.votes.question_pool import QuestionPool, question_pool
from convergebench.votes.vote_store import HUMAN, read_votes


@dataclass(frozen=True)
class KindAgreement:
    """One kind of question on pairs: models by people's votes, and predictors against people."""

    kind: QuestionKind
    votes: int
    ties: int
    both_bad: int
    strengths: Strengths
    ceiling: Ceiling
    overall: tuple[PredictorAgreement, ...]
    by_round: Mapping[int, tuple[PredictorAgreement, ...]]
    by_category: Mapping[str, tuple[PredictorAgreement, ...]]
    trusted: tuple[TrustedMetric, ...]
    """Over all votes, then by round, then by category."""
    drift: frozenset[str]
    """Metrics that say in which way a picture changed; they are never the ones to trust."""


@dataclass(frozen=True)
class VisibilityAgreement:
    answers: int
    models: tuple[VisibleRound, ...]
    thresholds: MeasuredThresholds | str
    """Or why they cannot be measured."""


@dataclass(frozen=True)
class VoteFindings:
    """One analysis, of all raters or of those that are not marked."""

    kinds: tuple[KindAgreement, ...]
    visibility: VisibilityAgreement | None


@dataclass(frozen=True)
class AgreementReport:
    suite: SuiteId
    raters: tuple[RaterCheck, ...]
    unmarked: VoteFindings
    """Without the raters that are marked; the findings to use."""
    everyone: VoteFindings
    votes: int
    elsewhere: int
    """Votes of these on pictures of other models or suites: they say something about raters only."""
    imported: Strengths | None
    """From imported preferences by model names; None if there are none."""
    imported_votes: int
    imported_judges: Mapping[str, Strengths]
    """The same from verdicts of models, by the model."""


def agreement_report(workspace: Workspace, suite: SuiteId | None = None) -> AgreementReport:
    """For the votes on one suite, by default that of the last run."""
    votes, foreign = read_votes(workspace), read_foreign_votes(workspace)
    if not votes and not foreign:
        raise WrongUse("no person has voted yet; collect votes with convergebench vote")
    records = Records.of(workspace)
    results = _results(records, suite)
    checks = rater_checks(votes)
    marked = {one.rater for one in checks if one.is_marked}
    trusted = [vote for vote in votes if vote.rater not in marked]
    everyone = _findings(records, results, votes)
    unmarked = _findings(records, results, trusted) if marked else everyone
    of_people = [one for one in foreign if one.rater.startswith(f"{HUMAN}:")]
    models = dict.fromkeys(one.rater for one in foreign if not one.rater.startswith(f"{HUMAN}:"))
    return AgreementReport(
        suite=results.suite,
        raters=tuple(checks),
        unmarked=unmarked,
        everyone=everyone,
        votes=len(votes),
        elsewhere=_elsewhere(_pool(records, results), votes),
        imported=bradley_terry(of_people) if of_people else None,
        imported_votes=len(of_people),
        imported_judges={
            name: bradley_terry(replace(one, rater="") for one in foreign if one.rater == name)
            for name in models
        },
    )


def _results(records: Records, suite: SuiteId | None) -> Results:
    """The suite's returns; none where it has single edits only."""
    single = [
        one.case.suite
        for one in records.trajectories
        if one.is_newest and one.protocol == one_shot().name
        if suite is None or one.case.suite.is_named(suite)
    ]
    returning = suites_with_returns(records)
    wanted = [one for one in returning if suite is None or one.is_named(suite)]
    if not single or wanted:
        return load_results(records, suite)
    return Results(suite=single[-1], rounds=0, metrics=(), returns=(), troubles=(), uses=())


def measured_headline_thresholds(workspace: Workspace, results: Results) -> MeasuredThresholds | str:
    """From the staircases of unmarked raters; or why not."""
    votes = read_votes(workspace)
    marked = {one.rater for one in rater_checks(votes) if one.is_marked}
    records = Records.of(workspace)
    if not any(vote.kind == "visibility" for vote in votes):
        return "there are no votes on visibility yet; collect them with convergebench vote --ask visibility"
    pool = _pool(records, results)
    trusted = [vote for vote in votes if vote.rater not in marked]
    return measured_thresholds(visibility_trials(results, pool, trusted))


def _pool(records: Records, results: Results) -> QuestionPool:
    return question_pool(records, models=tuple(results.roles()), suite=results.suite)


def _elsewhere(pool: QuestionPool, votes: Sequence[Vote]) -> int:
    def is_here(vote: Vote) -> bool:
        return any(pool.pair_votes([vote])) or any(pool.visibility_votes([vote]))

    answered = [vote for vote in votes if vote.answer != "skip" and not vote.is_catch_trial]
    return sum(not is_here(vote) for vote in answered)


def _findings(records: Records, results: Results, votes: Sequence[Vote]) -> VoteFindings:
    pool = _pool(records, results)
    predicted = predicted_votes(records, results, pool, votes)
    kinds: tuple[QuestionKind, ...] = ("return", "edit")
    groups = {kind: [one for one in predicted if one.vote.kind == kind] for kind in kinds}
    seen = list(pool.visibility_votes(votes))
    visibility = None
    if seen:
        thresholds = measured_thresholds(visibility_trials(results, pool, votes))
        answers = sum(any(pool.visibility_votes([vote])) for vote in votes)
        visibility = VisibilityAgreement(answers, tuple(visible_rounds(seen)), thresholds)
    drift = frozenset(facts.name for facts in results.metrics if facts.dimension == "drift")
    return VoteFindings(
        tuple(_kind(kind, group, drift) for kind, group in groups.items() if group), visibility
    )


def _kind(kind: QuestionKind, predicted: Sequence[PredictedVote], drift: frozenset[str]) -> KindAgreement:
    votes = [one.vote for one in predicted]
    rounds, categories = list(round_groups(predicted)), list(category_groups(predicted))
    named = [("all", list(predicted))]
    named += [(f"round {number}", group) for number, group in rounds] if len(rounds) > 1 else []
    named += [(name or "no category", group) for name, group in categories] if len(categories) > 1 else []
    return KindAgreement(
        kind=kind,
        votes=len(votes),
        ties=sum(vote.winner == "tie" for vote in votes),
        both_bad=sum(vote.both_bad for vote in votes),
        strengths=bradley_terry(
            Comparison(vote.first, vote.second, vote.winner, vote.picture, vote.rater) for vote in votes
        ),
        ceiling=ceiling(votes),
        overall=tuple(agreements(predicted)),
        by_round={number: tuple(agreements(group)) for number, group in rounds},
        by_category={name: tuple(agreements(group)) for name, group in categories},
        trusted=tuple(trusted_metric(name, group, drift) for name, group in named),
        drift=drift,
    )
