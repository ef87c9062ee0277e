"""The table of a ranking as HTML, with intervals, letters, and a link to each entry."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from convergebench.leaderboard.entries import Entry
from convergebench.leaderboard.markup import Markup, element, joined
from convergebench.leaderboard.tables import SharedRanking
from convergebench.report.columns import (
    ColumnValue,
    RankingColumn,
    columns_in,
    written_interval,
    written_number,
)
from convergebench.report.formatting import ABSENT
from convergebench.report.tables.ranking_notes import ranking_notes
from convergebench.shown_text import counted

_SCORE = "headline_score"
_WIDTH, _HEIGHT = 100, 10


def ranking_html(shared: SharedRanking, entries: Mapping[str, Entry], *, title: str, caption: str) -> Markup:
    """For a page in the site's folder; the title is for those who do not see what stands above it."""
    ranking = shared.ranking
    columns = columns_in("page", ranking)
    values = [column.values(ranking) for column in columns]
    heads = [
        _head("#", "number"), _head("model"),
        *(_column_head(column, column.title(ranking)) for column in columns),
        _head("edited on"), _head("own cases", "number"),
    ]  # fmt: skip
    rows = [
        _row(shared, row.model, row.rank, entries[row.model],
             [_cell(column, found.get(row.model)) for column, found in zip(columns, values, strict=True)])
        for row in ranking.rows
        if row.model in entries
    ]  # fmt: skip
    table = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="sortable",
    )
    legend = [
        joined(element("dt", column.title(ranking)), element("dd", column.explanation)) for column in columns
    ]
    notes = [element("li", note) for note in ranking_notes(ranking)]
    return joined(
        element("div", table, class_="scroll", tabindex="0", role="region", aria_label=f"{title}: {caption}"),
        element("details", element("summary", "What the columns mean"), element("dl", *legend)),
        element("details", element("summary", "Notes"), element("ul", *notes)) if notes else "",
    )


def standing(entry: Entry) -> Markup:
    words = entry.submission.standing
    return element(
        "span", words, class_=f"standing {'verified' if words == 'measured again' else 'unverified'}"
    )


def _findings(entry: Entry) -> Iterator[Markup]:
    """What the audit found of this model, such as returns that are the source itself."""
    findings = entry.submission.verification.findings
    sentences = [one.sentence for one in findings if not one.parts or entry.model in one.parts]
    if sentences:
        address = f"entries/{entry.submission.id}.html#audit"
        found = f"audit: {counted(len(sentences), 'finding')}"
        yield element("a", found, href=address, title=" ".join(sentences), class_="standing unverified")


def _row(shared: SharedRanking, name: str, rank: int | None, entry: Entry, cells: list[Markup]) -> Markup:
    own = shared.own_cases.get(name)
    return element(
        "tr",
        element("td", ABSENT if rank is None else str(rank), class_="number", data_value=rank or ""),
        element(
            "th",
            element("a", entry.model, href=f"entries/{entry.submission.id}.html"),
            element("span", f" by {entry.label}, {entry.date} ", class_="by"),
            standing(entry),
            *_findings(entry),
            scope="row",
        ),
        *cells,
        element("td", element("time", entry.date, datetime=entry.date), class_="date"),
        element("td", ABSENT if own is None else str(own), class_="number", data_value=own),
    )


def _head(text: str, kind: str | None = None) -> Markup:
    return element("th", text, scope="col", class_=kind)


def _column_head(column: RankingColumn, title: str) -> Markup:
    kind = None if column.is_words else "number"
    return element("th", title, scope="col", class_=kind, title=column.explanation, data_better=column.better)


def _cell(column: RankingColumn, found: ColumnValue | None) -> Markup:
    value = found or ColumnValue()
    if value.text is not None:
        return element(
            "td", value.text, class_=None if column.is_words else "number", title=value.note or None
        )
    text = written_number(value.value, value, column.places)
    parts: list[str] = [text]
    if "page" in column.intervals and value.low is not None:
        parts += [
            " ",
            element("span", written_interval(value, column.places).replace("-", "−"), class_="interval"),
        ]
        parts += [_whisker(value)] if column.key == _SCORE else []
    number = "" if value.value is None or not math.isfinite(value.value) else f"{value.value:.6g}"
    return element(
        "td", *parts, class_=None if column.is_words else "number", data_value=number,
        title=value.reason or value.note or None,
    )  # fmt: skip


def _whisker(value: ColumnValue) -> Markup:
    """The interval on the scale from 0 to 100; the numbers beside it say the same."""
    assert value.value is not None and value.low is not None and value.high is not None
    low, high = max(value.low, 0.0), min(value.high, 100.0)
    middle = _HEIGHT / 2
    return element(
        "svg",
        element("line", x1="0", x2=str(_WIDTH), y1=f"{middle:g}", y2=f"{middle:g}", class_="axis"),
        element("line", x1=f"{low:.1f}", x2=f"{high:.1f}", y1=f"{middle:g}", y2=f"{middle:g}"),
        element("circle", cx=f"{value.value:.1f}", cy=f"{middle:g}", r="3.5"),
        class_="whisker", width=_WIDTH, height=_HEIGHT, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", aria_hidden="true",
    )  # fmt: skip
