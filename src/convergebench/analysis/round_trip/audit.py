"""Problems that invalidate a comparison: each finding states what, how often, and for which models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from convergebench.analysis.round_trip.audit_input import AuditInput
from convergebench.analysis.round_trip.imported_returns import never_computed
from convergebench.analysis.round_trip.missing_values import planned_trajectories
from convergebench.analysis.round_trip.results import Results
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.types import Measurement

FindingKind: TypeAlias = Literal[
    "duplicate_keys",
    "never_computed",
    "unequal_cases",
    "left_out_chains",
    "missing_rounds",
    "broken_chains",
    "mixed_versions",
    "unchanged_edits",
    "cached_originals",
    "resized_outputs",
]

_EXACT_CATEGORY = "geometric"
"""Flips and turns move pixels and can be undone to the last bit."""


@dataclass(frozen=True)
class AuditFinding:
    """One kind of problem: a sentence for the user, a count, and counts by model or by subject."""

    kind: FindingKind
    sentence: str
    count: int
    parts: Mapping[str, int]


def audit(evidence: AuditInput) -> tuple[AuditFinding, ...]:
    """All findings, the most serious first; empty if there are none."""
    checks: tuple[Callable[[AuditInput], Iterator[AuditFinding]], ...] = (
        _duplicate_keys,
        _never_computed,
        _unequal_cases,
        _left_out_chains,
        _missing_rounds,
        _broken_chains,
        _mixed_versions,
        _unchanged_edits,
        _cached_originals,
        _resized_outputs,
    )
    return tuple(finding for check in checks for finding in check(evidence))


def _duplicate_keys(evidence: AuditInput) -> Iterator[AuditFinding]:
    counts = Counter((row.model, row.case, row.seed, row.round) for row in evidence.rows)
    doubled = {key: count for key, count in counts.items() if count > 1}
    if not doubled:
        return
    contents: dict[tuple[str, str, int, int], set[tuple[tuple[str, float], ...]]] = {}
    for row in evidence.rows:
        key = (row.model, row.case, row.seed, row.round)
        contents.setdefault(key, set()).add(tuple(sorted(row.measured.items())))
    differing = sum(len(contents[key]) > 1 for key in doubled)
    times = _span(doubled.values())
    keys, verb = ("key", "occurs") if len(doubled) == 1 else ("keys", "occur")
    yield AuditFinding(
        "duplicate_keys",
        f"{len(doubled):,} {keys} (model, case, round) {verb} {times} times; {differing:,} of them with "
        "different values. Only the last row of each key counts.",
        len(doubled),
        Counter(key[0] for key in doubled),
    )


def _never_computed(evidence: AuditInput) -> Iterator[AuditFinding]:
    given = [(row.model, metric, value) for row in evidence.rows for metric, value in row.measured.items()]
    found = never_computed(given)
    for metric, value in dict.fromkeys((one.metric, one.value) for one in found):
        rows = {one.model: one.rows for one in found if (one.metric, one.value) == (metric, value)}
        yield AuditFinding(
            "never_computed",
            f"{metric.upper()} was never computed: {value} in all {sum(rows.values()):,} rows of "
            f"{', '.join(rows)}, though the pictures change. It is left out.",
            sum(rows.values()),
            rows,
        )


def _unequal_cases(evidence: AuditInput) -> Iterator[AuditFinding]:
    results = evidence.results
    by_round, nothing = results.returns_by_round(), ReturnTable.of(())
    everyone = {
        model: {case for case, _ in by_round.get((model, results.rounds), nothing).case_seeds()}
        for model, role in sorted(results.roles().items())
        if role != "floor"
    }
    cases = {model: found for model, found in everyone.items() if found}
    if len({frozenset(found) for found in cases.values()}) < 2:
        return
    shared = frozenset[str].intersection(*map(frozenset, cases.values()))
    sizes = {model: len(found) for model, found in cases.items()}
    without = [model for model, found in everyone.items() if not found]
    others = f" Without any: {', '.join(without)}." if without else ""
    yield AuditFinding(
        "unequal_cases",
        f"The models are compared on unequal sets of cases at round {results.rounds}: "
        f"{_parts(sizes)}; {len(shared)} shared by all.{others}",
        len(cases),
        sizes,
    )


def _left_out_chains(evidence: AuditInput) -> Iterator[AuditFinding]:
    if not evidence.left_out:
        return
    by_model = Counter(chain.model for chain in evidence.left_out)
    first = evidence.left_out[0]
    yield AuditFinding(
        "left_out_chains",
        f"{_many(len(evidence.left_out), 'chain')} without a readable source were left out at import: "
        f"{_parts(by_model)}. The first: {first.case}: {first.reason}.",
        len(evidence.left_out),
        by_model,
    )


def _missing_rounds(evidence: AuditInput) -> Iterator[AuditFinding]:
    results = evidence.results
    rounds = results.returned_rounds
    planned = Counter(planned_trajectories(results))
    short = {key: found for key, found in rounds.items() if len(found) < results.rounds}
    unbegun = planned - Counter(model for model, _, _ in rounds)
    by_model = Counter(model for model, _, _ in short) + unbegun
    if not by_model:
        return
    holes = sum(bool(found) and max(found) > len(found) for found in short.values())
    inside = f", {holes} of them with holes before their end" if holes else ""
    never = sum(not found for found in short.values()) + unbegun.total()
    at_all = f", {never} of them without a single return" if never else ""
    lack = "lacks" if by_model.total() == 1 else "lack"
    yield AuditFinding(
        "missing_rounds",
        f"{_many(by_model.total(), 'chain')} of {planned.total():,} {lack} rounds{inside}{at_all}: "
        f"{_parts(by_model)}.",
        by_model.total(),
        by_model,
    )


def _broken_chains(evidence: AuditInput) -> Iterator[AuditFinding]:
    broken = {(step.model, step.case, step.seed) for step in evidence.steps if step.given != step.expected}
    if broken:
        by_model = Counter(model for model, _, _ in broken)
        yield AuditFinding(
            "broken_chains",
            f"{_many(len(broken), 'chain')} hold pictures that do not follow each other, as after a bad "
            f"resume: {_parts(by_model)}. Run these again with --fresh.",
            len(broken),
            by_model,
        )


def _mixed_versions(evidence: AuditInput) -> Iterator[AuditFinding]:
    for metric, versions in evidence.versions.items():
        if len(versions) > 1:
            yield AuditFinding(
                "mixed_versions",
                f"{metric} was measured by {len(versions)} versions ({_parts(versions)}); only the newest "
                "counts. Rerun the command to measure all with it.",
                sum(versions.values()),
                versions,
            )


def _unchanged_edits(evidence: AuditInput) -> Iterator[AuditFinding]:
    """Models only: for floors and probes this is expected."""
    unchanged = Counter(
        step.model
        for step in evidence.steps
        if step.role == "model" and not step.is_return and step.made == step.given
    )
    if unchanged:
        yield AuditFinding(
            "unchanged_edits",
            f"{_many(unchanged.total(), 'forward edit')} gave back the picture unchanged, as a refusal in "
            f"disguise would: {_parts(unchanged)}. The gated convergence score does not count their rounds.",
            unchanged.total(),
            unchanged,
        )


def _cached_originals(evidence: AuditInput) -> Iterator[AuditFinding]:
    """Returns that are the source itself although the previous picture was different, whatever their file
    format."""
    same_pixels = set(_exact_returns(evidence.results))
    cached = Counter(
        step.model
        for step in evidence.steps
        if step.role == "model"
        and step.is_return
        and step.source != step.given
        and (step.made == step.source or (step.model, step.case, step.seed, step.round) in same_pixels)
        and not _can_be_exact(step.category)
    )
    if cached:
        verb = "is" if cached.total() == 1 else "are"
        yield AuditFinding(
            "cached_originals",
            f"{_many(cached.total(), 'return')} {verb} identical to the source after an edit that cannot be "
            f"undone exactly, as if the original had been cached: {_parts(cached)}.",
            cached.total(),
            cached,
        )


def _exact_returns(results: Results) -> Iterator[tuple[str, str, int, int]]:
    """Model, case, seed and round of returns without any error, after an edit that changed something."""
    for part in (results, results.partial):
        for item in part.returns if part else ():
            if _is_exact(item.values) and not any(_is_exact(edit) for edit in item.forwards):
                yield item.model, item.case, item.seed, item.round


def _is_exact(values: Mapping[str, Measurement]) -> bool:
    found = values.get("psnr")
    return found is not None and found.value == math.inf


def _can_be_exact(category: str) -> bool:
    return all(part == _EXACT_CATEGORY for part in category.split("+"))


def _resized_outputs(evidence: AuditInput) -> Iterator[AuditFinding]:
    resized = Counter(
        step.model
        for step in evidence.steps
        if step.is_return and step.source_size is not None and step.size != step.source_size
    )
    if resized:
        yield AuditFinding(
            "resized_outputs",
            f"{_many(resized.total(), 'return')} have another size than their source and were resized to be "
            f"measured: {_parts(resized)}.",
            resized.total(),
            resized,
        )


def _parts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _span(counts: Iterable[int]) -> str:
    found = sorted(set(counts))
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
