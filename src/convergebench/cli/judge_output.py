"""Verdicts as tables, JSON and closing lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from convergebench.cli.options import print_table
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from convergebench.analysis.judged.agreement import BetweenJudges
    from convergebench.analysis.judged.judge_summary import JudgedRow
    from convergebench.engine.judging.judge_tasks import JudgingOutcome


def print_judged(table: list[JudgedRow]) -> None:
    from rich.table import Table

    repeated = any(row.spread for row in table)
    suites = len({row.suite for row in table}) > 1
    printed = Table(*(("suite",) if suites else ()), "model", "rubric", box=None)
    for heading in ("n", "missing", "mean", "95 % interval", *(("alpha", "spread") if repeated else ())):
        printed.add_column(heading, justify="right")
    for row in table:
        mean, alpha, spread = row.mean, row.agreement.alpha, row.spread
        cells = [
            "" if mean is None else f"{mean.mean:.2f}",
            "" if mean is None or mean.low is None else f"{mean.low:.2f} – {mean.high:.2f}",
            "–" if alpha is None else f"{alpha:.2f}",
            "–" if spread is None else f"{spread.standard_deviation:.2f}",
        ]
        names = (*((row.suite,) if suites else ()), row.model, row.rubric)
        printed.add_row(*names, str(row.n), str(row.missing), *cells[: 4 if repeated else 2])
    print_table(printed, ("95 % interval", "spread", "alpha", "suite", "missing"))


def row_in_json(row: JudgedRow) -> dict[str, Any]:
    mean = row.mean
    return {
        "suite": row.suite, "model": row.model, "rubric": row.rubric, "n": row.n, "missing": row.missing,
        "kinds": dict(row.kinds),
        "mean": mean and mean.mean, "low": mean and mean.low, "high": mean and mean.high,
        "clusters": mean.clusters if mean else 0, "alpha": row.agreement.alpha,
        "spread": row.spread and row.spread.standard_deviation,
    }  # fmt: skip


def agreement_in_json(one: BetweenJudges) -> dict[str, Any]:
    return {
        "rubric": one.rubric, "judges": list(one.judges), "alpha": one.agreement.alpha,
        "subjects": one.agreement.subjects, "missing": one.agreement.missing,
    }  # fmt: skip


def agreement_line(one: BetweenJudges) -> str:
    alpha, subjects = one.agreement.alpha, counted(one.agreement.subjects, "subject")
    found = f"alpha {alpha:.2f}" if alpha is not None else f"no alpha: {one.agreement.missing}"
    if len(one.judges) == 2:
        return f"{' and '.join(one.judges)} on the same {subjects} by {one.rubric}: {found}."
    names = f"{', '.join(one.judges[:-1])} and {one.judges[-1]}"
    return f"{names} on {subjects} that two or more of them judged by {one.rubric}: {found}."


def judged_in_json(done: JudgingOutcome) -> dict[str, Any]:
    return {
        "judgements": len(done.verdicts), "ok": done.ok, "asked": done.new, "calls": done.calls,
        "missing": dict(done.missing), "unusable": done.unusable_reason, "interrupted": done.interrupted,
        "out_of_budget": done.out_of_budget, "spent_usd": done.spent_usd, "seconds": round(done.seconds, 3),
    }  # fmt: skip


def closing_lines(done: JudgingOutcome, judge: str) -> list[str]:
    total, pending = len(done.verdicts), done.verdicts.count(None)
    missing = total - done.ok - pending
    new = f"{done.new} new judgements with {done.calls} calls"
    cost = f", ${done.spent_usd:.3f}" if done.spent_usd else ""
    lines = [f"{new}, {total - done.new - pending} reused, {done.seconds:.1f} s{cost}."]
    if done.unusable:
        lines.append(f"convergebench: {judge} cannot continue: {done.unusable_reason}")
    if done.out_of_budget:
        limit = done.cost_limit
        lines.append(f"convergebench: the next judge call may exceed {limit}; raise it to continue.")
    why = f" ({_counted(done)})" if done.missing else ""
    if missing and not done.ok:
        lines.append(f"convergebench: none of {total} judgements succeeded{why}.")
        lines += _examples(done)
    elif missing:
        lines.append(
            f"convergebench: {missing} of {total} verdicts are missing{why}; the raw replies are saved. "
            "Request them again with --retry-missing."
        )
    if pending:
        lines.append(
            f"convergebench: {pending} of {total} verdicts are pending; rerun the command to get them."
        )
    return lines


def _counted(done: JudgingOutcome) -> str:
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in done.missing.most_common())


def _examples(done: JudgingOutcome) -> list[str]:
    """The first reason of each kind."""
    first: dict[str, str] = {}
    for verdict in done.verdicts:
        if verdict is not None and verdict.missing:
            first.setdefault(verdict.outcome, verdict.missing)
    return [
        f"convergebench: {kind.replace('_', ' ')}: {' '.join(reason.split())}"
        for kind, reason in first.items()
    ]
