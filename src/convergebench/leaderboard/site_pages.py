"""The pages of a leaderboard: the tables, the history of models, and the facts of each submission."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from convergebench.analysis import headline_sentence
from convergebench.leaderboard.entries import CheckedSubmission, LeftOut
from convergebench.leaderboard.markup import Markup, document, element, joined
from convergebench.leaderboard.ranking_html import ranking_html
from convergebench.leaderboard.tables import BoardTable, SharedRanking, TableKey
from convergebench.leaderboard.verification import ABSOLUTE_TOLERANCE
from convergebench.report.formatting import metric_title
from convergebench.shown_text import counted

_INTRODUCTION = (
    "Models edit a picture and undo the edit, again and again. The score, 0 to 100, says how much of the "
    "picture is left over all rounds; models that share a letter cannot be told apart. Intervals are 95 %, "
    "over pictures. Only cases that all entries of a table share are compared. “Measured again” means that "
    "all numbers of the entry were measured from its pictures when this site was built; “unverified” means "
    "that they are as submitted."
)
_OWN_PICTURES = re.compile(r"^folder:\[path\]@(?P<digest>[0-9a-f]{8})[0-9a-f]*")
"""A suite of which the path was removed; its version is the digest of its pictures."""
_LABELS = {True: "Withdrawn", False: "Left out"}


@dataclass(frozen=True)
class Board:
    """Everything that the site shows."""

    title: str
    tables: tuple[BoardTable, ...]
    submissions: tuple[CheckedSubmission, ...]
    left_out: tuple[LeftOut, ...]


def front_page(board: Board) -> str:
    """The tables, and what was left out."""
    sections = [_table_section(table, f"table-{number}") for number, table in enumerate(board.tables)]
    links = [
        element("a", table_title(table.key), href=f"#table-{number}")
        for number, table in enumerate(board.tables)
    ]
    links += [element("a", "History of models", href="history.html")]
    links += [element("a", "What was left out", href="#left-out")] if board.left_out else []
    if not board.tables:
        sections = [element("p", "No submission is on the leaderboard yet.")]
    return _page(
        board.title, "", links,
        element("p", _INTRODUCTION),
        *sections,
        *_left_out_section(board.left_out),
    )  # fmt: skip


def history_page(board: Board) -> str:
    """Every model that was submitted more than once, over time."""
    sections = [
        element("section", element("h2", f"{model} · {table_title(table.key)}"),
                _ranking_html(_by_date(shared, table), table, f"{model} · {table_title(table.key)}"))
        for table in board.tables
        for model, shared in table.histories.items()
    ]  # fmt: skip
    empty = [] if sections else [element("p", "No model has been submitted more than once yet.")]
    links = [element("a", "Leaderboard", href="index.html")]
    return _page(f"History of models · {board.title}", "", links, *empty, *sections)


def submission_page(submission: CheckedSubmission) -> str:
    """Its facts, with a link to its own page if there is one."""
    links = [
        element("a", "Leaderboard", href="../index.html"),
        element("a", "History", href="../history.html"),
    ]
    if submission.manifest.pictures == "full":
        links.append(element("a", "Curves, pictures and cases", href=f"{submission.id}/index.html"))
    manifest, verification = submission.manifest, submission.verification
    names = ", ".join(one.name for one in manifest.models if one.role == "model")
    sections = [_facts(submission)]
    if verification.findings:
        found = _list(tuple(one.sentence for one in verification.findings))
        sections.append(element("section", element("h2", "Audit"), found, id="audit"))
    sections += _thumbnail_section(submission)
    sections.append(element("section", element("h2", "Models"), _models(submission)))
    metrics = ", ".join(f"{name} {version}" for name, version in manifest.metrics.items())
    versions = {**manifest.environment, "metrics": metrics}
    sections.append(element("section", element("h2", "Versions, as submitted"), _definitions(versions)))
    return _page(f"{names} · {manifest.label}", "../", links, *sections)


def table_title(key: TableKey) -> str:
    """
    >>> table_title(TableKey("converge@2", "round_trip", 10))
    'converge@2 · round trip · 10 rounds'
    """
    suite = _OWN_PICTURES.sub(r"own pictures (\g<digest>)", key.suite)
    title = f"{suite} · {key.protocol.replace('_', ' ')} · {counted(key.rounds, 'round')}"
    if not key.other_versions:
        return title
    versions = ", ".join(f"{metric} {version}" for metric, version in key.other_versions)
    return f"{title} · other versions of metrics ({versions})"


def _page(title: str, root: str, links: Sequence[Markup], *sections: str) -> str:
    items = [element("li", link) for link in links]
    return document(
        title, root,
        element("a", "Skip to content", class_="skip", href="#content"),
        element("header", element("h1", title), element("nav", element("ul", *items), aria_label="Pages")),
        element("main", *sections, id="content"),
    )  # fmt: skip


def _table_section(table: BoardTable, identity: str) -> Markup:
    parts: list[Markup] = []
    for shared in table.rankings:
        ranked = [_verdict(shared), _ranking_html(shared, table, table_title(table.key))]
        if shared.ranking.edits == "reversible" or shared is table.rankings[0]:
            parts += ranked
        else:
            summary = element("summary", "Edits that can be undone only in part")
            parts.append(element("details", summary, *ranked))
    if table.key.other_versions:
        words = "These were measured by other versions of metrics and cannot be measured again here: they "
        parts.insert(0, element("p", f"{words}are not compared with the entries of other tables."))
    if table.kept_apart:
        lines = [
            joined(f"{name}: {counted(count, 'case')} would be left to compare all on; see ",
                   element("a", "its page", href=f"entries/{table.entries[name].submission.id}.html"))
            for name, count in table.kept_apart.items()
        ]  # fmt: skip
        parts += [element("h3", "Too few shared cases to be compared"), _list(lines)]
    return element("section", element("h2", table_title(table.key)), *parts, id=identity)


def _ranking_html(shared: SharedRanking, table: BoardTable, title: str) -> Markup:
    return ranking_html(shared, table.entries, title=title, caption=_caption(shared))


def _verdict(shared: SharedRanking) -> Markup:
    ranking = shared.ranking
    if ranking.headline is not None:
        return element("p", headline_sentence(ranking.headline), class_="verdict")
    title = metric_title(ranking.metric)
    return element("p", f"Ranked by {title} at round {ranking.round}: what a person sees is not measured.")


def _caption(shared: SharedRanking) -> str:
    every = max(shared.own_cases.values(), default=shared.cases)
    of_all = f" of {every}" if shared.cases < every else ""
    edits = "" if shared.ranking.edits == "reversible" else f", {shared.ranking.edits} edits"
    count = len(shared.own_cases)
    if count == 1:
        return f"1 entry on {counted(shared.cases, 'case')}{edits}"
    return f"{count} entries on the {shared.cases}{of_all} cases that all share{edits}"


def _by_date(shared: SharedRanking, table: BoardTable) -> SharedRanking:
    rows = sorted(shared.ranking.rows, key=lambda row: table.entries[row.model].date)
    return replace(shared, ranking=replace(shared.ranking, rows=tuple(rows)))


def _left_out_section(left_out: Sequence[LeftOut]) -> Iterator[Markup]:
    if not left_out:
        return
    head = element(
        "tr", *(element("th", text, scope="col") for text in ("file", "status", "reason", "digest"))
    )
    rows = [
        element(
            "tr", element("th", one.file, scope="row"), element("td", _LABELS[one.is_withdrawn]),
            element("td", one.reason), element("td", element("code", (one.digest or "")[:12])),
        )
        for one in left_out
    ]  # fmt: skip
    title = "What was left out"
    table = element(
        "table", element("caption", f"{title}, and why"), element("thead", head), element("tbody", *rows)
    )
    scroll = element("div", table, class_="scroll", tabindex="0", role="region", aria_label=title)
    yield element("section", element("h2", title), scroll, id="left-out")


def _facts(submission: CheckedSubmission) -> Markup:
    manifest, verification = submission.manifest, submission.verification
    facts = {
        "submitted by": manifest.label,
        "note": manifest.note,
        "suite": manifest.suite + ("" if verification.is_suite_known else " (not installed here: its cases "
                                   "are compared with those of the other submissions only)"),
        "protocol": f"{manifest.protocol.replace('_', ' ')}, {counted(manifest.rounds, 'round')}",
        "cases": str(manifest.cases),
        "last edit on": manifest.date,
        "pictures": manifest.pictures,
        "checked": _checked(submission),
        "ConvergeBench": manifest.package,
        "digest": submission.digest,
    }  # fmt: skip
    return element("section", _definitions({name: text for name, text in facts.items() if text}))


def _checked(submission: CheckedSubmission) -> str:
    verification = submission.verification
    if not verification.is_measured:
        return "unverified: without its pictures, its numbers cannot be measured again"
    others = ", ".join(verification.other_versions)
    again = f"; submitted with other versions of {others}, which do not count" if others else ""
    return (
        f"{verification.measured:,} values measured from its pictures; {verification.compared:,} submitted "
        f"values are the same, to {ABSOLUTE_TOLERANCE:g}{again}"
    )


def _models(submission: CheckedSubmission) -> Markup:
    titles = ("model", "role", "version", "fingerprint")
    head = element("tr", *(element("th", text, scope="col") for text in titles))
    rows = [
        element("tr", element("th", one.name, scope="row"), element("td", one.role),
                element("td", one.version), element("td", element("code", one.fingerprint)))
        for one in submission.manifest.models
    ]  # fmt: skip
    table = element("table", element("thead", head), element("tbody", *rows))
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Models")


def _thumbnail_section(submission: CheckedSubmission) -> Iterator[Markup]:
    if not submission.strips:
        return
    strips = []
    for case, (source, last) in submission.strips.items():
        pictures = [
            element("li", element("img", src=f"{submission.id}/thumbnails/{digest}.jpg", alt=alt))
            for digest, alt in ((source, "Source"), (last, "Last picture"))
        ]
        strips.append(joined(element("h3", case), element("ul", *pictures, class_="strip")))
    yield element("section", element("h2", "Sources and last pictures, as thumbnails"), *strips)


def _definitions(facts: Mapping[str, str]) -> Markup:
    return element("dl", *(joined(element("dt", name), element("dd", text)) for name, text in facts.items()))


def _list(lines: Sequence[str]) -> Markup:
    return element("ul", *(element("li", line) for line in lines))
