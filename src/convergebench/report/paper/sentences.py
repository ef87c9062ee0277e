"""The results in sentences: each is computed, and omitted if its values are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from convergebench.analysis import (
    RETURN,
    FailedStep,
    Part,
    Ranking,
    RankingRow,
    Results,
    Return,
    breakdown,
    degradation_curves,
    headline_sentence,
    missing_values,
    shortfall,
)
from convergebench.analysis.headline.headline import Headline
from convergebench.analysis.headline.usable_rounds import usable_rounds
from convergebench.analysis.round_trip.drift_profile import RoundProfile, drift_profile
from convergebench.analysis.round_trip.half_life import is_reached
from convergebench.report.formatting import decimals, mean_with_interval, metric_title, number
from convergebench.report.paper.counting import Counts, listed
from convergebench.shown_text import counted
from convergebench.types import MetricFacts

_FEW_PICTURES = 10
_PROTOCOLS = {
    "cross_edit": "a round makes two edits and undoes them, the second first",
    "cross_edit_swapped": "a round makes two edits and undoes them in the order in which they were made",
    "sequence": "a round makes several edits and undoes them, the last first",
    "stay": "a round requests no change",
}
_PART_NAMES: dict[Part, str] = {"category": "category of edit", "kind": "kind of picture", "pair": "edit"}


def of_round_trips(
    results: Results, ranked: Ranking, seen: Ranking, counts: Counts
) -> dict[str, Sequence[str]]:
    """The claims about round trips, by their names in the text."""
    summary = [*what_a_person_sees(seen), *headline(ranked)]
    found = {
        "tested": tested(counts),
        "headline": summary,
        "conclusion": ["We measured whether it does.", *summary],
        "seen": what_a_person_sees(seen),
        "setup": setup(results, counts),
        "ranking": ranking_sentences(ranked),
        "degradation": degradation(results, ranked),
        "survival": survival(ranked),
        "dimensions": dimensions(ranked),
        "parts": parts(results, ranked),
        "drift": drift(last_profiles(results, ranked)),
        "missing": missing(results),
    }
    return {name: list(said) for name, said in found.items()}


def tested(counts: Counts) -> Iterator[str]:
    if not counts.ranked:
        yield f"Only {counts.floors} ran here, on {counts.cases} of {counts.pictures}."
        return
    beside = f", with {counts.floors} for comparison" if counts.has_floors else ""
    yield f"We test {counts.editors} on {counts.cases} of {counts.pictures}{beside}."


def what_a_person_sees(ranked: Ranking) -> Iterator[str]:
    """The headline, if it was measured; on one case there is no order to report."""
    found = ranked.headline
    if found is None:
        return
    if found.cases > 1 or len(found.rows) < 2:
        yield headline_sentence(found)
    elif not found.cases:
        yield "No case has a score of all models, so models cannot be compared."
    else:
        yield from _on_the_only_case(found)


def _on_the_only_case(found: Headline) -> Iterator[str]:
    """`usable` of a row is over all its cases, and is not what the models have on this one."""
    lasted = {
        row.model: usable_rounds(found.scored[row.model], found.thresholds, found.rounds)
        for row in found.rows
        if row.score is not None
    }
    known = [
        f"{model} for {usable.mean:.1f} of {counted(usable.horizon, 'round')}"
        for model, usable in lasted.items()
        if usable is not None
    ]
    if known:
        models = listed(known)
        yield f"On the only case that all models with a score have, pictures stay usable with {models}."
    yield "One case does not support a ranking."


def headline(ranked: Ranking) -> Iterator[str]:
    """The best and the worst mean, if more than one source picture supports such a claim."""
    rows = [row for row in ranked.rows if row.rank is not None]
    title, rounds = metric_title(ranked.metric), counted(ranked.round, "round")
    if not rows:
        yield f"No model has a value of {title} at round {ranked.round} to be ranked by."
    elif len(rows) == 1:
        yield f"After {rounds}, {rows[0].model} has {title} {_value(rows[0], ranked)} left."
    elif len({item.picture for item in ranked.results.returns}) < 2:
        values = [f"{row.model} {_value(row, ranked)}" for row in rows]
        yield f"After {rounds}, {title} is: {', '.join(values)}."
        yield "All values are of one source picture, which does not support a ranking."
    else:
        yield _best_and_worst(rows, ranked, f"After {rounds}, ")


def _best_and_worst(rows: Sequence[RankingRow], ranked: Ranking, after: str) -> str:
    best, worst = rows[0], rows[-1]
    caveats = ["on different sets of cases"] if ranked.unequal_cases else []
    title = metric_title(ranked.metric)
    if best.rank == worst.rank:
        same = number(best.metrics[ranked.metric.name].mean, decimals(ranked.metric))
        keep = f"{after}{listed([row.model for row in rows])} keep the same ({title} {same})"
        return f"{', '.join([keep, *caveats])}."
    if set(best.group) & set(worst.group):
        caveats.append("a difference that is not significant")
    return (
        f"{after}{best.model} keeps most ({title} {_value(best, ranked)}) and "
        f"{worst.model} least ({_value(worst, ranked)}){''.join(f', {one}' for one in caveats)}."
    )


def setup(results: Results, counts: Counts) -> Iterator[str]:
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    cases = {item.case: item for item in begun}
    kinds = Counter(item.kind or "no kind" for item in cases.values())
    categories = Counter(item.category or "no category" for item in cases.values())
    seeds = len({item.seed for item in begun})
    yield f"The suite {results.suite} has {counts.cases} here, over {counts.pictures}."
    yield f"By kind of picture these are {_tally(kinds)}; by category of edit {_tally(categories)}."
    yield f"Each case runs for {counted(results.rounds, 'round')} with {counted(seeds, 'seed')}."
    reached = max((max(rounds, default=0) for rounds in results.returned_rounds.values()), default=0)
    if reached < results.rounds:
        yield f"So far no chain has returned from more than {counted(reached, 'round')}."
    yield f"Tested: {counts.editors_and_floors}."
    if "probe" in results.roles().values():
        yield "A probe degrades a picture in one known way, which calibrates the metrics."
    if results.protocol in _PROTOCOLS:
        yield f"These are no round trips: {_PROTOCOLS[results.protocol]}."
    if results.edits == "partially reversible":
        yield "All of these edits can be undone only in part."
    imported = sorted({item.model for item in results.returns if item.imported})
    if imported:
        yield f"The results of {listed(imported)} were made or measured elsewhere and imported."
    if any(item.imported and not item.digest for item in results.returns):
        yield "These have numbers, but no pictures."


def ranking_sentences(ranked: Ranking) -> Iterator[str]:
    yield from headline(ranked)
    rows = [row for row in ranked.rows if row.rank is not None]
    if len(rows) < 2 or len({item.picture for item in ranked.results.returns}) < 2:
        return
    letters = sorted({letter for row in rows for letter in row.group})
    together = [[row.model for row in rows if letter in row.group] for letter in letters]
    shared = [models for models in together if len(models) > 1]
    if not shared:
        yield "All of them differ significantly."
    for models in shared:
        yield f"{listed(models)} do not differ significantly."
    yield from _unequal(ranked)


def degradation(results: Results, ranked: Ranking) -> Iterator[str]:
    """From the first to the last round with a value, which need not be the one that is ranked."""
    curves = {
        curve.model: [point for point in curve.points if point.mean is not None]
        for curve in degradation_curves(results, ranked.metric.name)
    }
    models = [row.model for row in ranked.rows if not row.is_calibration and curves[row.model]]
    if not models:
        yield "No model has a curve here."
        return
    places = decimals(ranked.metric)
    falling = [model for model in dict.fromkeys((models[0], models[-1])) if len(curves[model]) > 1]
    for model in falling:
        first, last = curves[model][0], curves[model][-1]
        yield (
            f"The mean {metric_title(ranked.metric)} of {model} goes from {number(first.mean, places)} at "
            f"round {first.round} to {number(last.mean, places)} at round {last.round}."
        )
    if not falling:
        yield "There is no decay over rounds to report."


def survival(ranked: Ranking) -> Iterator[str]:
    title = metric_title(ranked.metric)
    lives = {row.model: row.half_life for row in ranked.rows if row.half_life and not row.is_calibration}
    if not lives:
        yield f"There is no half-life by {title} here."
        return
    fell = [model for model, life in lives.items() if life.fell]
    if not fell:
        yield (
            f"No chain of any model fell below half of its {title} while it was observed, so that "
            "every half-life is later than the last observed round."
        )
        return
    total, chains = sum(life.fell for life in lives.values()), sum(life.n for life in lives.values())
    yield f"{total:,} of {chains:,} chains fell below half of their {title}."
    reached = {model: life for model, life in lives.items() if is_reached(life)}
    for model, life in reached.items():
        yield f"Half of the chains of {model} have fallen after {number(life.median, 1)} rounds."
    held = [
        f"{model} ({counted(life.watched, 'round')})" for model, life in lives.items() if not is_reached(life)
    ]
    if held:
        yield f"More than half of the chains stay above it while they are observed for {listed(held)}."


def dimensions(ranked: Ranking) -> Iterator[str]:
    scores = [row.convergence for row in ranked.rows if row.convergence is not None]
    if not any(score.together for score in scores):
        yield (
            "There is no convergence score: none of its metrics was measured to the last round for every "
            "model."
        )
        return
    if not scores[0].missing:
        yield "Both dimensions were measured, by SSIM and LPIPS on one side and by CLIP on the other."
        return
    missing = listed([name.upper() for name in scores[0].missing])
    alone = " Only quality was measured, so the two dimensions cannot be compared here."
    are = (
        "is not there for every model and enters"
        if len(scores[0].missing) == 1
        else "are not there for every model and enter"
    )
    yield f"{missing} {are} no convergence score.{'' if scores[0].semantic else alone}"


def parts(results: Results, ranked: Ranking) -> Iterator[str]:
    ranked_models = [row.model for row in ranked.rows if row.rank is not None]
    for by, name in _PART_NAMES.items():
        found = breakdown(results, by, ranked.metric.name, ranked.round)
        means: dict[str, float] = {}
        for group in _supported(results, by, found.groups):
            of_group = [found.models[model].get(group) for model in ranked_models]
            values = [one.finite.mean for one in of_group if one is not None and one.finite is not None]
            if values and len(values) == len(ranked_models):
                means[group or "none"] = sum(values) / len(values)
        if len(means) > 1:
            yield _extremes(name, means, len(found.groups), ranked.metric)
    if len({item.pair for item in results.returns}) < 2:
        yield "There is one edit only, so that edits cannot be compared."


def last_profiles(results: Results, ranked: Ranking) -> dict[str, RoundProfile]:
    """The drift profile of each model at its last round with values."""
    profiles = {row.model: drift_profile(results, row.model) for row in ranked.rows if not row.is_calibration}
    return {model: found[-1] for model, found in profiles.items() if found}


def drift(profiles: Mapping[str, RoundProfile]) -> Iterator[str]:
    """What drifts, by the round of the profiles."""
    if not profiles:
        yield "Drift was not measured for any model here."
    for round in sorted({profile.round for profile in profiles.values()}, reverse=True):
        at = {model: profile for model, profile in profiles.items() if profile.round == round}
        yield from _drift_at(round, at)


def _drift_at(round: int, profiles: Mapping[str, RoundProfile]) -> Iterator[str]:
    """A model without drift of the whole picture may still have visible breaks."""
    by_way: dict[str, list[str]] = {}
    for model, profile in profiles.items():
        if profile.leading:
            by_way.setdefault(profile.leading, []).append(model)
    if by_way:
        noticed = [f"{way} for {listed(models)}" for way, models in by_way.items()]
        yield f"The most noticeable drift at round {round}: {'; '.join(noticed)}."
    calm = [model for model, profile in profiles.items() if not profile.leading and not profile.visible]
    if calm:
        yield (
            f"No drift of the whole picture is noticeable in most returns of {listed(calm)} at round {round}."
        )
    for model, profile in profiles.items():
        if not profile.leading and profile.visible:
            yield (
                f"At round {round} {model} has no drift of the whole picture that is noticeable in most "
                "returns, and visible changes of another kind: "
                f"{'; '.join(one.words for one in profile.visible)}."
            )


def worst(pictured: Sequence[bool]) -> str:
    """What the strips of the worst cases show."""
    if not pictured:
        return "No case has a value at the ranked round to show."
    if any(pictured):
        return (
            "For each ranked model, the chain with the largest loss, in the order of loss, scaled down. The "
            "last two pictures magnify the place where the last return differs most from the source."
        )
    return "For each ranked model, the chain with the largest loss; these results have no pictures."


def missing(results: Results) -> Iterator[str]:
    absent = missing_values(results)
    if not absent:
        yield "Nothing is missing: every return was made, and every metric was measured on it."
        return
    returns = sum(gap.count for gap in absent if gap.what == RETURN)
    values = sum(gap.count for gap in absent if gap.what != RETURN)
    counts = [counted(returns, "return")] if returns else []
    counts += [counted(values, "value")] if values else []
    yield f"Over all rounds {listed(counts)} {'is' if returns + values == 1 else 'are'} missing."


def limits(results: Results, ranked: Ranking, pictures: int) -> Iterator[str]:
    """Limitations of these results."""
    if pictures < _FEW_PICTURES:
        are = "is" if pictures == 1 else "are"
        yield f"There {are} {counted(pictures, 'source picture')}; so few show large differences only."
    yield from _unequal(ranked)
    if len({item.seed for item in results.returns}) == 1:
        yield "There is one seed, so the variation of a model on the same case is unknown."
    unmeasured = [
        metric_title(facts)
        for facts in results.headline
        if not any(
            point.mean is not None
            for curve in degradation_curves(results, facts.name)
            for point in curve.points
        )
    ]
    if unmeasured:
        yield f"{listed(unmeasured)} could not be measured (see what is missing)."


def _unequal(ranked: Ranking) -> Iterator[str]:
    if ranked.unequal_cases:
        are = "is" if ranked.shared_cases == 1 else "are"
        yield (
            f"The models have values on different cases, of which {counted(ranked.shared_cases, 'case')} "
            f"{are} shared by all. Such means must be compared with care; the groups rest on what each two "
            "models share."
        )


def _value(row: RankingRow, ranked: Ranking) -> str:
    summary = row.metrics[ranked.metric.name]
    return mean_with_interval(summary.mean, summary.low, summary.high, ranked.metric)


def _extremes(name: str, means: Mapping[str, float], groups: int, facts: MetricFacts) -> str:
    ordered: Sequence[str] = sorted(means, key=lambda group: shortfall(means[group], facts))
    best, worst = ordered[0], ordered[-1]
    most, least = (number(means[group], decimals(facts)) for group in (best, worst))
    among = f", among the {len(means)} of {groups} that can be compared" if len(means) < groups else ""
    over = f"By {name}, on average over the ranked models, "
    if most == least:
        return f"{over}all keep the same ({most}){among}."
    return f"{over}{best} keeps most ({most}) and {worst} least ({least}){among}."


def _supported(results: Results, by: Part, groups: Sequence[str]) -> list[str]:
    """The groups with more than one case: fewer do not support a claim about the group."""
    cases: dict[str, set[str]] = {}
    for item in results.returns:
        cases.setdefault(getattr(item, by), set()).add(item.case)
    return [group for group in groups if len(cases.get(group, ())) > 1]


def _tally(counts: Counter[str]) -> str:
    return listed([f"{name} ({count})" for name, count in counts.most_common()])
