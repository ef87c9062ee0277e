"""The content of the paper: what was computed, by the names that the text refers to; one for all formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from convergebench._version import __version__
from convergebench.analysis import Results
from convergebench.report.paper import provenance
from convergebench.report.paper.grids import Grid, pieces
from convergebench.report.paper.judged import judged_part
from convergebench.report.paper.part import PaperPart, joined
from convergebench.report.paper.pictures import Copies, lost_sentences
from convergebench.report.paper.round_trips import round_trip_part
from convergebench.report.paper.sessions import session_part
from convergebench.report.shareable import shareable
from convergebench.results import Records
from convergebench.results.no_results import no_results
from convergebench.shown_text import printable
from convergebench.store import Workspace

TITLE = "How much of a picture is left? Repeated editing and undoing, measured"
JUDGED_TITLE = "Edited pictures, graded by vision-language models"
SESSION_TITLE = "What sessions of several edits leave of a picture"
PaperTemplate: TypeAlias = Literal["article", "twocolumn"]
Text: TypeAlias = Callable[[str], str]


@dataclass(frozen=True)
class Heading:
    title: str = ""
    """By default one that says what the results are about."""
    authors: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperContent:
    title: str
    authors: tuple[str, ...]
    date: str
    suite: str
    template: PaperTemplate
    part: PaperPart
    version: str = __version__

    @property
    def there(self) -> tuple[str, ...]:
        """The names of everything that a text may refer to."""
        tables = (f"tab-{name}" for name in self.part.tables)
        figures = (f"fig-{name}" for name in (*self.part.figures, *self.part.strips))
        return (*self.part.names, *tables, *figures)


def content_of(
    workspace: Workspace,
    results: Results | None,
    heading: Heading,
    folder: Path,
    template: PaperTemplate = "article",
) -> PaperContent:
    """The content, of round trips if there are results, and of everything that judges said. Also writes
    figures and pictures into the folder."""
    records = Records.of(workspace)
    copies = Copies(records, results, folder)
    sessions = session_part(records, alone=results is None)
    parts = [
        *([round_trip_part(records, results, copies, folder, template)] if results else []),
        sessions,
        judged_part(
            records, alone=results is None and not sessions.names, sessions="judged" in sessions.claims
        ),
        provenance.provenance_part(records, results),
    ]
    content = joined([*parts, _kinds(parts), PaperPart(claims={"lost": lost_sentences(copies)})])
    if not {"round-trips", "sessions", "judged"} & set(content.names):
        raise no_results(workspace)
    return PaperContent(
        title=heading.title or (TITLE if results else SESSION_TITLE if sessions.names else JUDGED_TITLE),
        authors=heading.authors,
        date=f"{datetime.now(UTC):%d %B %Y}".lstrip("0"),
        suite=results.suite if results else content.values.get("suites", ""),
        template=template,
        part=content,
    )


def _kinds(parts: list[PaperPart]) -> PaperPart:
    names = {name for part in parts for name in part.names}
    only = [
        name
        for name, others in (("judged", {"round-trips", "sessions"}), ("sessions", {"round-trips"}))
        if name in names and not others & names
    ]
    return PaperPart(names=tuple(f"only-{name}" for name in only))


def shown_text(text: str) -> str:
    """One line of text of a workspace, for any format: without addresses and paths, and with an escape for
    each character that a program would obey."""
    return printable(" ".join(shareable(text).split()))


def document_of(content: PaperContent, text: Text = shown_text) -> dict[str, Any]:
    """The content for json.dumps, as layout.typ reads it."""
    part = content.part
    return {
        "title": printable(" ".join(content.title.split())),
        "authors": [printable(" ".join(author.split())) for author in content.authors],
        "date": content.date,
        "suite": text(content.suite),
        "version": content.version,
        "template": content.template,
        "there": list(content.there),
        "values": {name: text(value) for name, value in part.values.items()},
        "claims": {name: [text(one) for one in said] for name, said in part.claims.items()},
        "tables": {
            name: [_table(piece, text) for grid in grids for piece in pieces(grid)]
            for name, grids in part.tables.items()
        },
        "figures": {name: asdict(figure) for name, figure in part.figures.items()},
        "strips": {
            name: [_strip(asdict(one), text) for one in strips] for name, strips in part.strips.items()
        },
        "lists": {name: [text(one) for one in items] for name, items in part.lists.items()},
    }


def _table(grid: Grid, text: Text) -> dict[str, Any]:
    return {
        "headings": [text(one) for one in grid.headings],
        "rows": [[text(cell) for cell in row] for row in grid.rows],
        "left": list(grid.left),
        "rules": list(grid.rules),
        "shades": grid.shades,
        "turned": grid.turned,
        "notes": [text(note) for note in grid.notes],
        "caption": text(grid.caption),
        "wide": grid.wide,
    }


def _strip(strip: Mapping[str, Any], text: Text) -> dict[str, Any]:
    pictures = [
        {**one, "label": text(one["label"]), "reason": text(one["reason"])} for one in strip["pictures"]
    ]
    shown = {name: text(strip[name]) for name in ("model", "case", "caption")}
    return {**shown, "pictures": pictures}
