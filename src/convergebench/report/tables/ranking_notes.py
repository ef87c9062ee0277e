"""Notes on a ranking: what is missing and why, and what cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from convergebench.analysis import RETURN, MissingValue, Ranking
from convergebench.analysis.headline.edit_decisions import Decider
from convergebench.analysis.headline.headline import DEFAULT_THRESHOLDS, Headline
from convergebench.analysis.headline.headline_ranking import UNDID, why_unscored
from convergebench.analysis.headline.resemblance import Resemblance
from convergebench.analysis.round_trip.convergence_score import SCORED
from convergebench.analysis.round_trip.paired_difference import smallest_p_value
from convergebench.analysis.statistics.confidence import CONFIDENCE
from convergebench.metrics.flip import VISIBLE
from convergebench.report.formatting import metric_title
from convergebench.shown_text import counted, shortened

UNTABLED = ("drift", "region")
"""Dimensions whose metrics have no separate column in the table."""
_KINDS = {
    "refused": "refused by the model",
    "rate_limited": "rate limited",
    "unavailable": "model not reachable",
    "misconfigured": "model not set up",
    "bad_output": "output was not a picture",
    "crashed": "crashed",
    "absent": "not in what was imported",
    "not_run": "not run yet",
}
_MEASURE_AGAIN = "run convergebench measure -w FOLDER once that is solved"


def ranking_notes(ranking: Ranking) -> tuple[str, ...]:
    """Sentences to print below the ranking, the most serious first; empty if there are none."""
    return (
        *_planned(ranking),
        *_visible(ranking),
        *(_headline(ranking.headline) if ranking.headline else _without_headline(ranking)),
        *_unscored(ranking),
        *_few_pictures(ranking),
        *_imported(ranking),
        *_by_construction(ranking),
        *missing_returns(ranking.missing_values),
        *_missing_values(ranking),
        *_infinite_values(ranking),
        *_sampled(ranking),
        *(() if ranking.headline else _score(ranking)),
    )


def _planned(ranking: Ranking) -> Iterator[str]:
    if ranking.results.planned_rounds is not None:
        yield (
            f"No chain has finished its {ranking.results.planned_rounds} rounds yet. These are the first "
            f"{ranking.rounds}, which all have that did not fail."
        )


def _visible(ranking: Ranking) -> Iterator[str]:
    visible = ranking.results.visible
    if visible is not None:
        yield f"Differences outside the edit count from {visible:g} on, instead of {VISIBLE:g}."


def _headline(found: Headline) -> Iterator[str]:
    yield from map(resemblance_sentence, found.resemblances)
    yield from _cases(found)
    limits = found.thresholds
    if limits != DEFAULT_THRESHOLDS:
        needs = f"undid ≥ {limits.undid:.3g}, kept ≥ {limits.kept:.3g}, face distance ≤ {limits.face:.3g}"
        yield f"A round counts as usable with {needs}."
    if found.deciders:
        yield f"Whether an edit happened is decided by {_deciders(found.deciders)}."
    if any(row.did_is_bound for row in found.rows):
        yield "Where pixels decide, an edit counts as made unless they refute it: the share is a bound (≤)."
    if found.graded_cases:
        rest = found.cases - found.graded_cases
        yield (
            f"What was undone is a judge's grade in {counted(found.graded_cases, 'case')}"
            f"{f' and measured in the other {rest}' if rest else ''}."
        )
    if found.face_cases:
        yield (
            f"Faces are compared in {counted(found.face_cases, 'case')}: where one became another person's, "
            "at most half counts as undone."
        )
    if found.uncompared_face_cases:
        yield (
            f"Faces are not compared in {counted(found.uncompared_face_cases, 'case')} with a portrait, "
            "where another person's face may count as undone: convergebench weights pull faces, then "
            "convergebench measure -w FOLDER"
        )
    if found.judges:
        yield f"Judged by: {'; '.join(found.judges)}."


def _cases(found: Headline) -> Iterator[str]:
    """Which cases the score is over."""
    if not found.cases:
        yield "The models have no case in common: their scores are over different cases and show no order."
    elif found.cases < found.all_cases:
        yield (
            f"The score is over the {found.cases} of {found.all_cases} cases that every ranked model has. "
            "The other columns are over all cases of a model."
        )
    if found.too_few_cases:
        models = ", ".join(
            f"{model} ({counted(cases, 'case')})" for model, cases in found.too_few_cases.items()
        )
        yield (
            f"Not ranked: {models}, with which the ranked models have few cases in common or none. To rank "
            "one, run it on the other cases, too; or test it with convergebench compare, on the cases that "
            "two models have."
        )


def _unscored(ranking: Ranking) -> Iterator[str]:
    """Why a model has no score beside others that have one."""
    if ranking.headline is None:
        return
    without = {row.model for row in ranking.headline.rows if row.score is None}
    models = sorted(without - ranking.headline.too_few_cases.keys())
    if reason := why_unscored(ranking, models):
        yield f"There is no score of {', '.join(models)}, because {_as_clause(reason)}; {_MEASURE_AGAIN}"


def _few_pictures(ranking: Ranking) -> Iterator[str]:
    """Why all models share a letter, whatever their scores."""
    if ranking.headline is not None:
        means = [row.score for row in ranking.headline.rows]
    else:
        means = [row.metrics[ranking.metric.name].finite for row in ranking.rows if row.rank is not None]
    clusters = [mean.clusters for mean in means if mean is not None]
    if len(clusters) > 1 and smallest_p_value(max(clusters)) >= 1 - CONFIDENCE:
        pictures = counted(max(clusters), "source picture")
        yield f"No two models can be told apart by {pictures}; use at least six."


def resemblance_sentence(one: Resemblance) -> str:
    """
    >>> from convergebench.analysis.headline.known_wear import Wear
    >>> resemblance_sentence(Resemblance("m", 10, 0.09, Wear("JPEG at quality 30", 0.084, 0.23)))
    'After 10 rounds m differs as visibly as JPEG at quality 30 (ꟻLIP 0.090 and 0.084).'
    """
    rounds = counted(one.round, "round")
    both = f"ꟻLIP {one.flip:.3f} and {one.wear.flip:.3f}"
    return f"After {rounds} {one.model} differs as visibly as {one.wear.label} ({both})."


def _deciders(deciders: Mapping[Decider, int]) -> str:
    """
    >>> _deciders({"judge": 10, "pixels": 2})
    'a judge in 10 cases, pixels in 2 cases'
    """
    names = {"judge": "a judge", "CLIP": "CLIP", "pixels": "pixels"}
    return ", ".join(f"{names[one]} in {counted(cases, 'case')}" for one, cases in deciders.items())


def _without_headline(ranking: Ranking) -> Iterator[str]:
    """Why the score does not rank, where it was measured in vain, and what the metric's means compare."""
    reason = why_unscored(ranking, [row.model for row in ranking.rows])
    if reason and not any(row.metrics[UNDID].n for row in ranking.rows if UNDID in row.metrics):
        yield f"There is no score, because {_as_clause(reason)}; {_MEASURE_AGAIN}"
    yield from _comparability(ranking)


def _comparability(ranking: Ranking) -> Iterator[str]:
    if ranking.unequal_cases:
        yield (
            f"The models are compared on unequal sets of cases; {counted(ranking.shared_cases, 'case')} "
            f"{'is' if ranking.shared_cases == 1 else 'are'} shared by all."
        )
    if ranking.metric.better == "nearest":
        yield (
            f"{metric_title(ranking.metric)} can deviate in both directions from {ranking.metric.perfect:g}: "
            "models are ranked by the mean absolute distance from it."
        )
    summaries = [row.metrics[ranking.metric.name].finite for row in ranking.rows]
    if any(finite is not None and finite.clusters == 1 for finite in summaries):
        yield "A mean over one source picture has no interval."


def _imported(ranking: Ranking) -> Iterator[str]:
    models = [row.model for row in ranking.rows if row.imported]
    if models:
        yield f"Imported: {', '.join(models)}."


def _by_construction(ranking: Ranking) -> Iterator[str]:
    models = [row.model for row in ranking.rows if row.pastes_back]
    if models:
        yield (
            f"Kept by construction: {', '.join(models)}. Outside the edit the input is pasted back, so what "
            "is kept there is not due to the model."
        )


def missing_returns(gaps: Iterable[MissingValue]) -> Iterator[str]:
    """A sentence for each reason for missing returns, the most frequent first."""
    grouped: dict[tuple[str, str], Counter[str]] = {}
    for gap in gaps:
        if gap.what == RETURN:
            grouped.setdefault((gap.kind, gap.reason), Counter())[gap.model] += gap.count
    for (kind, reason), models in sorted(grouped.items(), key=lambda group: -group[1].total()):
        returns, why = counted(models.total(), "return"), shortened(reason)
        yield f"{returns} missing, {_KINDS[kind]}: {why} ({_by_model(models)})"


def _missing_values(ranking: Ranking) -> Iterator[str]:
    for facts in ranking.metrics:
        if facts.dimension in UNTABLED:
            continue
        absent = [gap for gap in ranking.missing_values if gap.what == facts.name]
        present = sum(row.metrics[facts.name].n for row in ranking.rows)
        reasons = Counter(gap.reason for gap in absent)
        for reason, count in reasons.most_common():
            everywhere = present == 0 and len(reasons) == 1
            share = "all" if everywhere else f"{count} of {len(absent) + present} returns"
            yield f"{_as_beginning(metric_title(facts))}: missing for {share}, because {_as_clause(reason)}"


def _infinite_values(ranking: Ranking) -> Iterator[str]:
    for facts in ranking.metrics:
        if facts.dimension in UNTABLED:
            continue
        summaries = {row.model: row.metrics[facts.name] for row in ranking.rows}
        left_out = [f"{model} {one.perfect} of {one.n}" for model, one in summaries.items() if one.perfect]
        if left_out:
            title = _as_beginning(metric_title(facts))
            yield f"{title}: infinite values are excluded from the mean ({', '.join(left_out)})"


def _sampled(ranking: Ranking) -> Iterator[str]:
    """Metrics that were measured at some rounds only."""
    results, returned = ranking.results, ranking.results.returns_by_round().keys()
    rounds: dict[tuple[int, ...], list[str]] = {}
    for facts in (one for one in ranking.metrics if one.is_sampled and results.has(one.name)):
        measured = tuple(
            number
            for number in range(1, ranking.rounds + 1)
            if all(
                results.is_measured_at(facts, model, number) for model, round in returned if round == number
            )
        )
        if len(measured) < ranking.rounds:
            rounds.setdefault(measured, []).append(metric_title(facts))
    for numbers, titles in rounds.items():
        yield f"{_as_beginning(', '.join(titles))}: measured at rounds {', '.join(map(str, numbers))} only."


def _score(ranking: Ranking) -> Iterator[str]:
    scores = [
        row.convergence
        for row in ranking.rows
        if row.convergence is not None and row.convergence.together is not None
    ]
    without = [
        row.model for row in ranking.rows if row.convergence is None or row.convergence.together is None
    ]
    if without and any(facts.name in SCORED for facts in ranking.metrics):
        yield f"No convergence score without a complete chain: {', '.join(without)}."
    if not scores:
        return
    if scores[0].missing:
        used, missing = (
            " and ".join(name.upper() for name in names) for names in (scores[0].metrics, scores[0].missing)
        )
        whole = "" if scores[0].semantic is not None else ", that is quality only"
        whole = whole if scores[0].quality is not None else ", that is semantics only"
        is_or_are = "is" if len(scores[0].missing) == 1 else "are"
        yield f"Convergence uses {used}{whole}: {missing} {is_or_are} not available for every model."
    tests = {score.gated_by for score in scores if score.gated_by}
    if tests:
        edit = f"whose forward edit {' or '.join(sorted(tests))}"
        yield f"The gated convergence score counts only rounds {edit}."


def _by_model(counts: Counter[str]) -> str:
    return ", ".join(f"{model} {count}" for model, count in counts.most_common())


def _as_beginning(titles: str) -> str:
    return titles[:1].upper() + titles[1:]


def _as_clause(reason: str) -> str:
    """Reasons are sentences or names; only a plain first word loses its capital."""
    first = reason.split(" ", 1)[0]
    return reason[:1].lower() + reason[1:] if first.istitle() and first.isalpha() else reason
