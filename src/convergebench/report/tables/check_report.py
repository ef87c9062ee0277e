"""The outcome of a check: as a table, Markdown, JSON and JUnit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

from convergebench.analysis import MissingValue
from convergebench.analysis.headline.model_check import CheckedQuantity
from convergebench.json_numbers import json_numbers
from convergebench.report.formatting import signed
from convergebench.report.tables.ranking_notes import missing_returns
from convergebench.report.tables.terminal_table import fitting_table, terminal_table
from convergebench.shown_text import markdown_text, printable

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = (
    "model",
    "baseline",
    "column",
    "candidate",
    "baseline mean",
    "difference",
    "pairs",
    "p",
    "verdict",
)


def check_rows(quantities: Sequence[CheckedQuantity]) -> list[tuple[str, ...]]:
    """The cells of each row, as HEADINGS."""
    return [
        (
            one.model, one.baseline, one.quantity, f"{one.candidate_mean:.3f}", f"{one.baseline_mean:.3f}",
            _difference(one), str(one.pairs), f"{one.p_value:.3f}",
            one.verdict.upper() if one.fails else one.verdict,
        )
        for one in quantities
    ]  # fmt: skip


def check_table(quantities: Sequence[CheckedQuantity], width: int | None = None) -> Table:
    """The columns of one model and one baseline, in the width if one is given."""
    return fitting_table(partial(_table, quantities), ("intervals", "pairs", "p", "model", "baseline"), width)


def _table(quantities: Sequence[CheckedQuantity], omitted: Collection[str]) -> Table:
    table = terminal_table()
    table.add_column("column", overflow="fold")
    for heading in ("model", "baseline", "difference", "pairs", "p"):
        if heading not in omitted:
            justify: Literal["left", "right"] = "left" if heading == "difference" else "right"
            table.add_column(heading, no_wrap=True, justify=justify)
    table.add_column("verdict", overflow="fold")
    for one in quantities:
        cells = {
            "column": one.quantity,
            "model": f"{one.candidate_mean:.3f}",
            "baseline": f"{one.baseline_mean:.3f}",
            "difference": signed(one.difference.mean, 3) if "intervals" in omitted else _difference(one),
            "pairs": str(one.pairs),
            "p": f"{one.p_value:.3f}",
            "verdict": one.verdict.upper() if one.fails else one.verdict,
        }
        table.add_row(*(cells[str(column.header)] for column in table.columns))
    return table


def check_notes(missing: Iterable[MissingValue]) -> tuple[str, ...]:
    """How to read the table, and what could not be compared."""
    return (NOTE, *missing_returns(missing))


def markdown_check(quantities: Sequence[CheckedQuantity], conclusion: str, notes: Sequence[str]) -> str:
    lines = [
        f"**{markdown_text(conclusion)}**",
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"|{'---|' * len(HEADINGS)}",
    ]
    lines += [f"| {' | '.join(map(markdown_text, row))} |" for row in check_rows(quantities)]
    paragraphs = "\n\n".join(map(markdown_text, notes))
    return "\n".join([*lines, "", paragraphs, ""])


def json_check(quantities: Sequence[CheckedQuantity]) -> list[dict[str, Any]]:
    return [json_numbers(asdict(one)) for one in quantities]


def junit_check(quantities: Sequence[CheckedQuantity]) -> str:
    """One test case for each column, for the test reports of CI servers."""
    failed = sum(one.fails for one in quantities)
    suite = ElementTree.Element(
        "testsuite", name="convergebench check", tests=str(len(quantities)), failures=str(failed)
    )
    for one in quantities:
        name = printable(f"{one.quantity} against {one.baseline}")
        case = ElementTree.SubElement(suite, "testcase", classname=printable(one.model), name=name)
        text = f"{one.verdict}: {_difference(one)}, p = {one.p_value:.3g}"
        if one.fails:
            ElementTree.SubElement(case, "failure", message=text)
        else:
            ElementTree.SubElement(case, "system-out").text = text
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


NOTE = (
    "Differences of shared cases and seeds, positive is better, with intervals of 95 % clustered by source "
    "picture; p of a difference beyond the margin, corrected by Holm."
)


def _difference(one: CheckedQuantity) -> str:
    found = one.difference
    is_bare = found.low is None or found.high is None
    return signed(found.mean, 3) + ("" if is_bare else f" [{signed(found.low, 3)}, {signed(found.high, 3)}]")
