"""A model and its baseline as two models of one set of results, with cases paired by what was edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from convergebench.analysis.round_trip.imported_returns import VERSION as IMPORTED
from convergebench.analysis.round_trip.missing_values import MissingValue, absent_returns
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.errors import ConvergeBenchError, WrongUse

CANDIDATE, BASELINE = "candidate", "baseline"


@dataclass(frozen=True)
class BaselinePair:
    """What is compared: the results of one model, and those of its baseline."""

    model: str
    results: Results
    baseline: str
    """As shown."""
    baseline_model: str
    baseline_results: Results

    @property
    def rounds(self) -> int:
        """Those that both sides have."""
        return min(self.results.rounds, self.baseline_results.rounds)


def lost_returns(pair: BaselinePair) -> tuple[MissingValue, ...]:
    """The returns that either side lacks of the compared rounds; the baseline under its title."""
    numbers = range(1, pair.rounds + 1)
    ours = absent_returns(pair.results, numbers)
    theirs = absent_returns(pair.baseline_results, numbers)
    return (
        *(gap for gap in ours if gap.model == pair.model),
        *(replace(gap, model=pair.baseline) for gap in theirs if gap.model == pair.baseline_model),
    )


def as_one(pair: BaselinePair) -> Results:
    """Both as models of one set of results, so that one rule decides for both whether an edit happened."""
    rounds = pair.rounds
    ours, theirs = _shared_cases(pair.results, pair.baseline_results)
    sides = (
        (pair.results, pair.model, CANDIDATE, ours),
        (pair.baseline_results, pair.baseline_model, BASELINE, theirs),
    )
    for results, model, *_ in sides:
        if model not in results.roles():
            known = ", ".join(results.roles())
            raise WrongUse(f"there are no results of {model} in {results.suite}; its models are {known}")
    return replace(
        pair.results,
        rounds=rounds,
        metrics=tuple(dict.fromkeys((*pair.results.metrics, *pair.baseline_results.metrics))),
        returns=tuple(
            replace(item, model=name, role="model", case=cases.get(item.case, item.case))
            for results, model, name, cases in sides
            for item in results.returns
            if item.model == model and item.round <= rounds
        ),
        troubles=tuple(
            replace(item, model=name, case=cases.get(item.case, item.case))
            for results, model, name, cases in sides
            for item in results.troubles
            if item.model == model and item.round <= rounds
        ),
        uses=(),
        partial=None,
    )


def refuse_other_versions(pair: BaselinePair, metrics: Iterable[str]) -> None:
    """Raise an error if a version of one of the metrics measured one side and another version the other."""
    for metric in metrics:
        ours = _versions(pair.results, pair.model, metric)
        theirs = _versions(pair.baseline_results, pair.baseline_model, metric)
        if ours and theirs and ours != theirs:
            raise ConvergeBenchError(
                f"{metric} was measured by version {_joined(ours)} for {pair.model} and by version "
                f"{_joined(theirs)} for {pair.baseline}, which give different numbers; run convergebench "
                "measure -w FOLDER on both workspaces, and export a baseline file anew"
            )


def _versions(results: Results, model: str, metric: str) -> set[str]:
    """Those that measured a value. Nothing is known of the version of imported values, and a picture against
    its own copy was not measured: it is perfect."""
    perfect = {facts.name: facts.perfect for facts in results.metrics}.get(metric)
    returns = [item for item in results.returns if item.model == model]
    found = (values.get(metric) for item in returns for values in (item.values, *item.forwards))
    return {one.version for one in found if one and one.value not in (None, perfect)} - {IMPORTED}


def _joined(versions: set[str]) -> str:
    return " and ".join(sorted(versions))


def _shared_cases(ours: Results, theirs: Results) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """New ids for the cases of both: what was edited, so that cases are paired whatever they were called.

    Cases keep their ids if one side does not know what was edited, as imported tables do not.
    """
    contents = _contents(ours), _contents(theirs)
    return contents if all(contents) else ({}, {})


def _contents(results: Results) -> dict[str, str]:
    """What was edited in each case; the second case of the same edit is told apart by a number."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    items: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    for case, content in sorted({(item.case, item.content) for item in items if item.content}):
        seen[content] += 1
        found[case] = content if seen[content] == 1 else f"{content}#{seen[content]}"
    return found
