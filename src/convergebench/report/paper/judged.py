"""What judges said, in the paper: the totals of each suite, and its subsets by the metric that counts most.

That is the share of edits that passed if there is one, otherwise the overall metric, which comes last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from convergebench.analysis.judged.pass_rate import PASSED
from convergebench.report.formatting import ABSENT, number
from convergebench.report.page.judged_tables import subset_tables
from convergebench.report.page.step_index import by_picture, index_steps
from convergebench.report.page.verdicts import judgements_of
from convergebench.report.paper.counting import listed
from convergebench.report.paper.grids import Grid, shaded
from convergebench.report.paper.part import PaperPart
from convergebench.report.shareable import shareable_reason
from convergebench.results import Records
from convergebench.shown_text import counted

_LARGE_SCALE = 10
"""Larger scores are points out of a hundred, which need one decimal."""
_MOST_REASONS = 3
_TOTALS = ("overall", "complex overall", "all")
_NONE = "No judge has graded edits in this workspace; how well the edits were done is not reported."


def judged_part(records: Records, *, alone: bool, sessions: bool) -> PaperPart:
    """The tables of each suite, judge and wording. If they are alone in the paper, they also say what was
    tested. Without any, nobody judged, unless it was sessions."""
    none = PaperPart() if sessions else PaperPart(claims={"judged": [_NONE]})
    if not records.judgements:
        return none
    steps = index_steps(records)
    judgements = judgements_of(records, by_picture(steps))
    found = subset_tables(judgements, steps)
    tables = [grid for table in found for grid in _tables(records, table)]
    if not tables:
        return none
    said = list(dict.fromkeys(_who(records, table) for table in found))
    suites = list(dict.fromkeys(table["suite"] for table in found))
    models = list(dict.fromkeys(row["model"] for table in found for row in table["rows"]))
    judges = list(dict.fromkeys(records.judge_labels[table["judge"]] for table in found))
    about = [
        f"{counted(len(models), 'model')} edited the pictures of {listed(suites)}: {listed(models)}.",
        f"The results were graded by {listed(judges)}.",
    ]
    claims = {
        "judged": [*said, "A missing verdict is part of no mean."],
        **({"tested": about, "setup": about, "conclusion": about} if alone else {}),
        **({"missing": [_missing_samples(found)]} if alone else {}),
    }
    return PaperPart(
        names=("judged",), values={"suites": ", ".join(suites)}, claims=claims, tables={"judged": tables}
    )


def _missing_samples(tables: Sequence[Mapping[str, Any]]) -> str:
    """How many samples have no grade, in the totals that lack most of them."""
    most: Counter[tuple[int, str, str]] = Counter()
    for place, table in enumerate(tables):
        for row in table["rows"]:
            if _is_total(row["subset"]):
                key = (place, row["model"], row["language"])
                most[key] = max(most[key], row["missing"])
    count = most.total()
    if not count:
        return "No verdict is missing."
    have = "has" if count == 1 else "have"
    return f"{counted(count, 'sample')} {have} no grade; the notes below the tables say why."


def _who(records: Records, table: Mapping[str, Any]) -> str:
    return f"{table['suite']} was graded by {records.judge_labels[table['judge']]} ({table['under']})."


def _tables(records: Records, table: Mapping[str, Any]) -> Iterator[Grid]:
    rows: Sequence[Mapping[str, Any]] = table["rows"]
    totals = [row for row in rows if _is_total(row["subset"])]
    if not totals:
        return
    places = 1 if any((row["score"] or 0) > _LARGE_SCALE for row in rows) else 2
    by = f"{table['suite']}, judge {records.judge_labels[table['judge']]}, {table['under']}"
    yield replace(
        _totals_grid(totals, places),
        caption=f"{by}: means with 95 % intervals, clustered by source picture.",
    )
    metrics = [row["metric"] for row in totals]
    chief = PASSED if PASSED in metrics else metrics[-1]
    parts = [row for row in rows if row["metric"] == chief and not _is_total(row["subset"])]
    if len({row["subset"] for row in parts}) > 1:
        yield replace(
            _parts_grid(parts, places), caption=f"{by}: {chief} by subset, with the number of samples."
        )


def _is_total(subset: str) -> bool:
    return subset.lower().startswith(_TOTALS)


def _totals_grid(rows: Sequence[Mapping[str, Any]], places: int) -> Grid:
    cells = [
        [row["model"], row["language"], row["metric"], row["subset"], _score(row, places), str(row["n"]),
         str(row["missing"])]
        for row in rows
    ]  # fmt: skip
    notes = [note for model in dict.fromkeys(row["model"] for row in rows) for note in _missing(model, rows)]
    rules = [place for place in range(1, len(rows)) if rows[place]["model"] != rows[place - 1]["model"]]
    headings = ["model", "language", "metric", "over", "score", "n", "missing"]
    return Grid(headings, cells, left=(0, 1, 2, 3), rules=rules, notes=notes)


def _missing(model: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The same sample is missing in every total, so the largest count of a reason is used."""
    reasons: Counter[str] = Counter()
    for row in rows:
        if row["model"] == model:
            reasons |= Counter(dict(row["reasons"]))
    if not reasons:
        return
    parts = [f"{shareable_reason(why)} ({count})" for why, count in reasons.most_common(_MOST_REASONS)]
    more = [counted(len(reasons) - _MOST_REASONS, "other reason")] if len(reasons) > _MOST_REASONS else []
    yield f"Missing for {model}: {'; '.join([*parts, *more])}."


def _parts_grid(rows: Sequence[Mapping[str, Any]], places: int) -> Grid:
    columns = list(dict.fromkeys(_column(row) for row in rows))
    subsets = list(dict.fromkeys(row["subset"] for row in rows))
    found = {(row["subset"], _column(row)): row for row in rows}

    def cell(subset: str, column: str) -> tuple[str, float | None]:
        row = found.get((subset, column))
        if row is None or row["score"] is None:
            return ABSENT, None
        return f"{number(row['score'], places)} ({row['n']})", None

    return shaded(
        "subset", subsets, columns, [[cell(name, column) for column in columns] for name in subsets]
    )


def _column(row: Mapping[str, Any]) -> str:
    return f"{row['model']}, {row['language']}" if row["language"] else str(row["model"])


def _score(row: Mapping[str, Any], places: int) -> str:
    if row["score"] is None or row["low"] is None:
        return number(row["score"], places)
    return f"{number(row['score'], places)} [{number(row['low'], places)}, {number(row['high'], places)}]"
