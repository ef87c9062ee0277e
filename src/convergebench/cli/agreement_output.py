"""Agreement with people as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from convergebench.cli.options import print_table
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from convergebench.analysis.judged.bradley_terry import Strengths
    from convergebench.analysis.statistics.clustered_mean import Interval
    from convergebench.analysis.votes.metric_agreement import PredictorAgreement, TrustedMetric
    from convergebench.analysis.votes.rater_checks import RaterCheck
    from convergebench.votes.agreement_report import (
        AgreementReport,
        KindAgreement,
        VisibilityAgreement,
        VoteFindings,
    )

_ASKED = {"return": "Which return is closer to the source", "edit": "Which edit is better"}
_MOST_COLUMNS = 6
_MOST_ROWS = 12
_MOST_NAMES = 4


def print_report(report: AgreementReport) -> None:
    if report.raters:
        _print_raters(report.raters)
    if report.elsewhere:
        typer.echo(f"On pictures of other models or suites, and in no table below: {report.elsewhere} of "
                   f"these {counted(report.votes, 'vote')}.")  # fmt: skip
    for one in report.unmarked.kinds:
        everyone = next((other for other in report.everyone.kinds if other.kind == one.kind), one)
        _print_kind(one, everyone)
    if report.unmarked.visibility is not None:
        _print_visibility(report.unmarked.visibility)
    if report.imported is not None:
        typer.echo(f"\nImported preferences by model names: {report.imported_votes}")
        _print_strengths(report.imported, report.imported)
    for name, strengths in report.imported_judges.items():
        typer.echo(f"\nVerdicts of {name}, by model names")
        _print_strengths(strengths, strengths)
    marked = ", ".join(one.rater for one in report.raters if one.is_marked)
    if marked and _has_tables(report.unmarked):
        typer.echo(f"All tables are without {marked}; the last column of each is with all raters.")
    elif marked and _has_tables(report.everyone):
        typer.echo(f"There are no votes without those of {marked}; --json has the tables with all raters.")


def _has_tables(found: VoteFindings) -> bool:
    return bool(found.kinds or found.visibility)


def _print_raters(raters: Sequence[RaterCheck]) -> None:
    from rich.table import Table

    from convergebench.report.formatting import number

    table = Table("rater", box=None)
    for heading in ("votes", "skipped", "catch trials failed", "contradicted", "median s"):
        table.add_column(heading, justify="right")
    table.add_column("marked")
    for one in raters:
        table.add_row(
            one.rater, str(one.votes), str(one.skipped), f"{one.catch_failed} of {one.catch_trials}",
            f"{one.contradictions} of {one.repeats}", number(one.median_seconds, 1), "; ".join(one.reasons),
        )  # fmt: skip
    print_table(table, ("median s", "skipped", "contradicted", "marked"))


def _print_kind(one: KindAgreement, everyone: KindAgreement) -> None:
    typer.echo(f"\n{_ASKED[one.kind]}: {one.votes} votes, {one.ties} ties ({one.both_bad} of them both bad)")
    _print_strengths(one.strengths, everyone.strengths)
    person, alpha = one.ceiling.another_person, one.ceiling.alpha.alpha
    if person is not None:
        typer.echo(f"Two people who both decide decide alike in {_percent(person)} of cases; "
                   f"Krippendorff's alpha {'–' if alpha is None else f'{alpha:.2f}'}.")  # fmt: skip
    else:
        typer.echo("No two people decided on the same pair, so there is no ceiling yet.")
    _print_predictors(one, everyone)
    for name, groups in (("round", one.by_round), ("category", one.by_category)):
        if len(groups) > 1:
            shown = [found for found in one.overall if found.predictor not in one.drift]
            _print_groups(name, shown, groups)
    for line in trusted_lines(one.trusted):
        typer.echo(line)


def _print_strengths(one: Strengths, everyone: Strengths) -> None:
    from rich.table import Table

    if one.missing:
        typer.echo(f"No ranking: {one.missing}.")
        return
    table = Table("model", box=None)
    compares = everyone is not one
    for heading in ("n", "strength", "95 % interval", *(("with all raters",) if compares else ())):
        table.add_column(heading, justify="right")
    others = {found.model: f"{found.value:+.2f}" for found in everyone.models}
    for found in one.models:
        interval = f"{found.low:+.2f} – {found.high:+.2f}"
        cells = [found.model, str(found.comparisons), f"{found.value:+.2f}", interval]
        table.add_row(*cells, *((others.get(found.model, "–"),) if compares else ()))
    print_table(table, ("95 % interval", "with all raters", "n"))


def _print_predictors(one: KindAgreement, everyone: KindAgreement) -> None:
    from rich.table import Table

    if not one.overall:
        typer.echo("No metric and no judge has a value for these pairs.")
        return
    table = Table("metric or judge", box=None)
    compares = everyone is not one
    headings = ("votes", "missing", "accuracy", "95 % interval", "τ", "95 % interval")
    for heading in (*headings, *(("with all raters",) if compares else ())):
        table.add_column(heading, justify="right")
    others = {found.predictor: _cells(found.accuracy, 100)[0] for found in everyone.overall}
    for found in one.overall:
        counts = (found.predictor, str(found.votes), str(found.missing))
        other = (others.get(found.predictor, "–"),) if compares else ()
        table.add_row(*counts, *_cells(found.accuracy, 100), *_cells(found.tau, 1), *other)
    print_table(table, ("95 % interval", "with all raters", "missing", "votes"))


def _print_groups(
    name: str, overall: Sequence[PredictorAgreement], groups: Mapping[Any, Sequence[PredictorAgreement]]
) -> None:
    """The most accurate predictors only; JSON has all."""
    from rich.table import Table

    keys = [key for key in groups if any(one.accuracy for one in groups[key])]
    for start in range(0, len(keys), _MOST_COLUMNS):
        chosen = keys[start : start + _MOST_COLUMNS]
        table = Table(f"accuracy by {name}", box=None)
        for key in chosen:
            table.add_column(str(key), justify="right")
        for found in overall[:_MOST_ROWS]:
            at = [{one.predictor: one.accuracy for one in groups[key]}.get(found.predictor) for key in chosen]
            table.add_row(found.predictor, *(_percent(one) if one else "–" for one in at))
        print_table(table)


def trusted_lines(trusted: Sequence[TrustedMetric]) -> Iterator[str]:
    """What to trust where, in sentences."""
    for one in trusted:
        where = "Over all votes" if one.group == "all" else f"For {one.group}"
        if one.best is None or one.best.accuracy is None:
            yield f"{where}: no metric is better than chance yet."
            continue
        more = f" and {len(one.alike) - _MOST_NAMES} more" if len(one.alike) > _MOST_NAMES else ""
        named = ", ".join(one.alike[:_MOST_NAMES])
        alike = f"; not told apart from it: {named}{more}" if one.alike else ""
        yield f"{where}: trust {one.best.predictor} ({_percent(one.best.accuracy)}){alike}."


def _print_visibility(found: VisibilityAgreement) -> None:
    from rich.table import Table

    typer.echo(f"\nFrom which round on people see a difference: {found.answers} answers")
    table = Table("model", box=None)
    for heading in ("staircases", "first visible round", "95 % interval", "never"):
        table.add_column(heading, justify="right")
    for one in found.models:
        table.add_row(one.model, str(one.staircases), *_cells(one.round, 1, places=1), str(one.never))
    print_table(table, ("95 % interval", "never"))
    if isinstance(found.thresholds, str):
        typer.echo(f"No thresholds: {found.thresholds}.")
        return
    undone, kept = found.thresholds.undone, found.thresholds.kept
    typer.echo(
        f"Half of the answers see a difference at undid {undone.mean:.2f} {_reach(undone, 1, 2)} and at kept "
        f"{kept.mean:.2f} {_reach(kept, 1, 2)}; convergebench summary --thresholds votes uses these."
    )


def _cells(found: Interval | None, scale: float, places: int | None = None) -> tuple[str, str]:
    if found is None:
        return "–", ""
    digits = places if places is not None else (0 if scale == 100 else 2)
    unit = " %" if scale == 100 else ""
    return f"{scale * found.mean:.{digits}f}{unit}", _reach(found, scale, digits)


def _reach(found: Interval, scale: float, digits: int) -> str:
    if found.low is None or found.high is None:
        return ""
    return f"[{scale * found.low:.{digits}f}, {scale * found.high:.{digits}f}]"


def _percent(found: Interval) -> str:
    return f"{100 * found.mean:.0f} % {_reach(found, 100, 0)}".strip()


def json_report(report: AgreementReport) -> dict[str, Any]:
    return {
        "suite": report.suite,
        "raters": [{**asdict(one), "marked": list(one.reasons)} for one in report.raters],
        "unmarked": _json_findings(report.unmarked),
        "everyone": _json_findings(report.everyone),
        "votes": report.votes,
        "elsewhere": report.elsewhere,
        "imported": report.imported and [asdict(one) for one in report.imported.models],
        "imported_judges": {
            name: [asdict(one) for one in found.models] for name, found in report.imported_judges.items()
        },
    }


def _json_findings(found: VoteFindings) -> dict[str, Any]:
    seen = found.visibility
    return {
        "kinds": [_json_kind(one) for one in found.kinds],
        "visibility": None if seen is None else {
            "answers": seen.answers, "models": [asdict(one) for one in seen.models],
            "thresholds": None if isinstance(seen.thresholds, str) else asdict(seen.thresholds),
            "no_thresholds": seen.thresholds if isinstance(seen.thresholds, str) else None,
        },
    }  # fmt: skip


def _json_kind(one: KindAgreement) -> dict[str, Any]:
    return {
        "kind": one.kind, "votes": one.votes, "ties": one.ties, "both_bad": one.both_bad,
        "strengths": [asdict(model) for model in one.strengths.models], "no_ranking": one.strengths.missing,
        "another_person": one.ceiling.another_person and asdict(one.ceiling.another_person),
        "alpha": one.ceiling.alpha.alpha,
        "overall": [asdict(found) for found in one.overall],
        "by_round": {str(key): [asdict(found) for found in group] for key, group in one.by_round.items()},
        "by_category": {key: [asdict(found) for found in group] for key, group in one.by_category.items()},
        "trusted": [
            {"group": found.group, "best": found.best and found.best.predictor, "alike": list(found.alike)}
            for found in one.trusted
        ],
    }  # fmt: skip
