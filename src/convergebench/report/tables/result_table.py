"""Tables that show themselves: as text at a prompt, as HTML in a notebook, and as data frames."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from convergebench.analysis import (
    ModelProfile,
    PairedDifference,
    Ranking,
    RankingRow,
    Results,
    WorstCase,
    headline_sentence,
)
from convergebench.errors import MissingExtra
from convergebench.report.export.csv_files import Row
from convergebench.report.tables.comparison import csv_paired, paired_notes, paired_table, profile_lines
from convergebench.report.tables.ranking import csv_ranking, ranking_table
from convergebench.report.tables.ranking_notes import ranking_notes
from convergebench.report.tables.worst import csv_worst, worst_notes, worst_table
from convergebench.results.worst_regions import WorstRegions
from convergebench.shown_text import drawing_console
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    import pandas
    from rich.console import Console
    from rich.table import Table

T = TypeVar("T")
_WIDTH = 100


@dataclass(frozen=True, repr=False)
class ResultTable(Generic[T]):
    """Records in order, with the table that presents them. Iterating gives the records."""

    records: tuple[T, ...]
    table: Table
    """As in the terminal."""
    csv_rows: Sequence[Row]
    """A heading and a row for each record, at full precision."""
    heading: str = ""
    notes: tuple[str, ...] = ()
    """What is missing and why, and how to read the table."""
    narrow: Table | None = None
    """The table for a text, if its last columns matter most; otherwise a text goes without them."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> T:
        return self.records[index]

    def frame(self) -> pandas.DataFrame:
        """All columns, also those that the table leaves out. Requires pandas."""
        columns, *rows = self.csv_rows
        return data_frame([dict(zip(columns, row, strict=True)) for row in rows], columns)

    def __repr__(self) -> str:
        return table_as_text(self.narrow or self.table, self.heading, self.notes)

    def _repr_html_(self) -> str:
        return table_as_html(self.table, self.heading, self.notes)


@dataclass(frozen=True, repr=False)
class RankingTable(ResultTable[RankingRow]):
    """Models, best first."""

    ranking: Ranking = field(kw_only=True)

    @classmethod
    def of(cls, ranking: Ranking) -> RankingTable:
        heading = headline_sentence(ranking.headline) if ranking.headline else ""
        drifts = (f"{row.model} {row.sentence}" for row in ranking.rows if row.sentence is not None)
        return cls(
            ranking.rows,
            ranking_table(ranking),
            csv_ranking(ranking),
            heading,
            (*drifts, *ranking_notes(ranking)),
            ranking=ranking,
        )

    @property
    def rows(self) -> tuple[RankingRow, ...]:
        return self.records

    @property
    def suite(self) -> str:
        return self.ranking.suite

    @property
    def round(self) -> int:
        return self.ranking.round

    @property
    def metric(self) -> MetricFacts:
        return self.ranking.metric


@dataclass(frozen=True, repr=False)
class ModelComparison(ResultTable[PairedDifference]):
    """Two models on the cases that both have: one difference for each quantity."""

    profiles: tuple[ModelProfile, ...] = ()

    @classmethod
    def of(
        cls, differences: Sequence[tuple[str, PairedDifference]], profiles: Sequence[ModelProfile]
    ) -> ModelComparison:
        """`differences` with the part of the suite that each covers; empty for the whole."""
        lines = (line.strip() for one in profiles for line in (" — ".join(profile_lines(one)[:3]),))
        narrow = paired_table(differences, _WIDTH)
        narrow.caption = narrow.caption and str(narrow.caption).replace("--json", "frame()")
        return cls(
            tuple(one for _, one in differences),
            paired_table(differences),
            csv_paired(differences),
            notes=(*paired_notes(differences), *lines),
            narrow=narrow,
            profiles=tuple(profiles),
        )


@dataclass(frozen=True, repr=False)
class WorstCaseTable(ResultTable[WorstCase]):
    """The cases that lost most, worst first."""

    @classmethod
    def of(
        cls,
        cases: Sequence[WorstCase],
        results: Results,
        regions: WorstRegions,
        metric: MetricFacts,
        round: int | None = None,
        models: Sequence[str] = (),
    ) -> WorstCaseTable:
        return cls(
            tuple(cases),
            worst_table(cases, metric, regions),
            csv_worst(cases, regions),
            notes=tuple(worst_notes(cases, results, metric, round, models)),
        )


def data_frame(rows: Iterable[Any], columns: Sequence[Any] | None = None) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise MissingExtra("pandas", "frames") from error
    return pandas.DataFrame(list(rows), columns=columns)


def table_as_text(table: Table, heading: str = "", notes: Sequence[str] = ()) -> str:
    written = io.StringIO()
    # In a notebook rich would display the text beside returning it.
    console = drawing_console(written, width=_WIDTH, highlight=False, color_system=None, force_jupyter=False)
    for line in filter(None, [heading]):
        console.print(line, markup=False)
    console.print(_fitted(table, console))
    for note in notes:
        console.print(note, markup=False)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines())


def _fitted(table: Table, console: Console) -> Table:
    """Without the last columns, which matter least, if it is too wide, and with a caption that names them;
    rank and model stay."""
    narrow, omitted = copy(table), list[str]()
    narrow.columns = list(table.columns)
    wide = console.options.update(max_width=1000)
    while len(narrow.columns) > 2 and console.measure(narrow, options=wide).maximum > console.width:
        omitted.insert(0, _one_line(str(narrow.columns.pop().header)))
    if omitted:
        narrow.caption = f"Too narrow for: {', '.join(omitted)}. See frame()."
        narrow.caption_justify = "left"
    return narrow


def table_as_html(table: Table, heading: str = "", notes: Sequence[str] = ()) -> str:
    columns = [(str(one.header), one.justify, list(one.cells)) for one in table.columns]
    head = "".join(_cell("th", _one_line(title), justify) for title, justify, _ in columns)
    rows = zip(*(cells for _, _, cells in columns), strict=True)
    body = "".join(
        f"<tr>{''.join(_cell('td', str(text), columns[at][1]) for at, text in enumerate(row))}</tr>"
        for row in rows
    )
    caption = f"<caption>{html.escape(str(table.title))}</caption>" if table.title else ""
    above = f"<p><b>{html.escape(heading)}</b></p>" if heading else ""
    below = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    below = f"<ul>{below}</ul>" if below else ""
    rows_html = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f"<div>{above}<table>{caption}{rows_html}</table>{below}</div>"


def _one_line(heading: str) -> str:
    """A heading that was broken for the terminal.

    >>> _one_line("s/\\nedit"), _one_line("half-\\nlife"), _one_line("miss-\\ning"), _one_line("kept\\nR1")
    ('s/edit', 'half-life', 'missing', 'kept R1')
    """
    for broken, whole in (("miss-\ning", "missing"), ("detect-\nable", "detectable")):
        heading = heading.replace(broken, whole)
    return heading.replace("/\n", "/").replace("-\n", "-").replace("\n", " ")


def _cell(tag: str, text: str, justify: str) -> str:
    return f'<{tag} style="text-align:{"left" if justify == "left" else "right"}">{html.escape(text)}</{tag}>'
