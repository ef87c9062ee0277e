"""The judging view's data: an index of every verdict, and their details in pieces."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convergebench.report.page.judged_tables import subset_tables, summaries
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.pairwise import contest_tables
from convergebench.report.page.step_index import IndexedStep
from convergebench.report.page.verdicts import AskedRubric, Judgement, attempts_of
from convergebench.store import Workspace

PIECE = 50
"""Verdicts whose details travel together."""
NOWHERE = -1
_CALLS = """
    SELECT j.judge, a.outcome, count(*) AS calls, avg(a.seconds) AS seconds,
           CASE WHEN count(a.cost_usd) = count(*) THEN sum(a.cost_usd) END AS cost_usd,
           max(a.detail) AS example
    FROM judge_attempts a JOIN judgements j ON j.key = a.judgement GROUP BY j.judge, a.outcome
    ORDER BY j.judge, calls DESC
"""


def judging_section(
    workspace: Workspace, judgements: Sequence[Judgement], steps: Sequence[IndexedStep]
) -> dict[str, Any]:
    """Who judged by what, the tables, and a row for every verdict at every place of its picture.

    Texts are named once and known by their number. A row is: verdict, judge, rubric, suite, model, case,
    seed, round, protocol, outcome, value, and the model that it was compared with.
    """
    rubrics = {one.rubric.fingerprint: one.rubric for one in judgements}
    judges = workspace.query("SELECT * FROM judges ORDER BY name, fingerprint")
    numbers = _Numbers()
    rows = [row for number, one in enumerate(judgements) for row in _rows(number, one, numbers)]
    return {
        "judges": [_judge(row) for row in judges if row["fingerprint"] in {one.judge for one in judgements}],
        "rubrics": [_rubric(one) for one in rubrics.values()],
        "texts": numbers.texts,
        "rows": rows,
        "summaries": summaries(judgements),
        "subsets": subset_tables(judgements, steps),
        "contests": contest_tables(judgements, steps),
        "calls": _calls(workspace),
        "piece": PIECE,
    }


def piece_keys(judgements: Sequence[Judgement]) -> range:
    return range(math.ceil(len(judgements) / PIECE))


def verdicts_section(
    workspace: Workspace, judgements: Sequence[Judgement], piece: int
) -> list[dict[str, Any]]:
    """What was asked and said, word for word."""
    chosen = judgements[piece * PIECE : (piece + 1) * PIECE]
    attempts = attempts_of(workspace, [one.row["key"] for one in chosen])
    return [_details(one, attempts.get(one.row["key"], ())) for one in chosen]


def pictures_of_verdicts(section: Sequence[Mapping[str, Any]]) -> Iterator[PagePicture]:
    for verdict in section:
        for _, digest in verdict["pictures"]:
            yield PagePicture(digest)


class _Numbers:
    """A number for every text, in order of appearance."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    @property
    def texts(self) -> list[str]:
        return list(self._places)

    def of(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))


def _rows(number: int, one: Judgement, numbers: _Numbers) -> Iterator[list[Any]]:
    head = [number, numbers.of(one.judge), numbers.of(one.rubric.fingerprint)]
    tail = [numbers.of(one.outcome), one.value]
    if not one.places:
        yield [*head, NOWHERE, NOWHERE, NOWHERE, 0, 0, NOWHERE, *tail, NOWHERE]
    for place, other in zip(one.places, one.others or (None,) * len(one.places), strict=True):
        where = [numbers.of(place.suite), numbers.of(place.model), numbers.of(place.case), place.seed]
        compared = numbers.of(other.model) if other else NOWHERE
        yield [*head, *where, place.round, numbers.of(place.protocol), *tail, compared]


def _judge(row: sqlite3.Row) -> dict[str, Any]:
    settings = [(name, str(value)) for name, value in json.loads(row["settings"]).items()]
    return {"name": row["name"], "version": row["version"], "fingerprint": row["fingerprint"],
            "settings": settings}  # fmt: skip


def _rubric(rubric: AskedRubric) -> dict[str, Any]:
    low, high = rubric.range
    asks = [
        {"name": ask["name"], "asks": ask["asks"], "low": ask.get("low"), "high": ask.get("high")}
        for ask in rubric.content.get("ask", ())
    ]
    return {
        "id": rubric.id, "version": rubric.version, "name": rubric.name, "fingerprint": rubric.fingerprint,
        "of": rubric.of, "prompt": rubric.content.get("prompt", ""), "asks": asks, "low": low, "high": high,
        "grades": rubric.grades, "compares": rubric.compares,
    }  # fmt: skip


def _calls(workspace: Workspace) -> list[dict[str, Any]]:
    """Each judge's calls by outcome, with what they took; a cost is null where one of them is unknown."""
    return [dict(row) for row in workspace.query(_CALLS)]


def _details(one: Judgement, attempts: Sequence[sqlite3.Row]) -> dict[str, Any]:
    row = one.row
    return {
        "key": row["key"],
        "repeat": row["repeat"],
        "run": row["run"],
        "at": row["at"],
        "texts": [(name, str(text)) for name, text in json.loads(row["texts"]).items()],
        "pictures": [list(pair) for pair in one.pictures],
        "scores": list(json.loads(row["scores"] or "{}").items()),
        "reason": row["reason"] or "",
        "missing": row["missing"],
        "attempts": [_attempt(attempt) for attempt in attempts],
    }


def _attempt(row: sqlite3.Row) -> dict[str, Any]:
    names = ("outcome", "detail", "reply", "finish_reason", "served_model", "seconds", "tokens_read",
             "tokens_written", "cost_usd", "run", "at")  # fmt: skip
    return {**{name: row[name] for name in names}, "sent_sizes": json.loads(row["sent_sizes"])}
