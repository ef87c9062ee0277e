"""The tables of a refinement: rounds, transitions, and the judge's statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, with_published_figures
from convergebench.analysis.judged.judge_reliability import JudgeHealth, judge_health
from convergebench.analysis.refinement.rounds import RoundRow, rounds_table
from convergebench.analysis.refinement.transitions import RefinementRow, refinement_table
from convergebench.benchmarks.registry import refinement_benchmark, refinement_figures
from convergebench.refinement.judging import verdict_rows
from convergebench.refinement.run import RefinementResult


@dataclass(frozen=True)
class RefinementTables:
    rounds: Sequence[RoundRow]
    transitions: Sequence[RefinementRow]
    """From the primary to the last picture; empty if one of the two was not judged."""
    plain: Sequence[BenchmarkRow]
    """For the last pictures alone, instead of transitions."""
    health: JudgeHealth | None
    as_published: Sequence[RefinementRow] = ()
    """The transitions by the benchmark's own treatment of missing verdicts, if it was asked for."""


def refinement_tables(done: RefinementResult) -> RefinementTables:
    last = done.settings.rounds
    why_not = done.judged and done.judged.unusable_reason
    unjudged = f"not judged: {why_not}" if why_not else "not judged yet"
    rows = {
        number: verdict_rows(done.judgements, done.verdicts, number, unjudged) for number in range(last + 1)
    }
    figures = refinement_figures(done.suite)
    benchmark = refinement_benchmark(done.suite)
    rounds = rounds_table(done.cases, last, rows, figures)
    if done.judged is None:
        return RefinementTables(rounds, (), (), None)
    health = judge_health(done.verdicts.values())
    published = benchmark.as_published if done.settings.as_published else None
    if last and rows[0]:
        found: Sequence[RefinementRow] = ()
        if published is not None:
            found = refinement_table(published.verdicts(rows[0]), published.verdicts(rows[last]), figures)
        return RefinementTables(rounds, refinement_table(rows[0], rows[last], figures), (), health, found)
    name = done.suite.name
    plain = benchmark.table(name, rows[last])
    if published is not None:
        plain = with_published_figures(plain, benchmark.table(name, published.verdicts(rows[last])))
    judge = done.settings.judge_label
    return RefinementTables(
        rounds, (), [replace(row, judge=judge, wording=done.wording) for row in plain], health
    )
