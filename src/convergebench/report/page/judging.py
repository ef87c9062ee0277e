"""The judging view's data: an index of every verdict, and their details in chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from convergebench.benchmarks.wording import wording_name
from convergebench.report.page.judged_tables import subset_tables, summaries
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.pairwise import contest_tables
from convergebench.report.page.step_index import IndexedStep
from convergebench.report.page.verdicts import Judgement
from convergebench.results import Records
from convergebench.results.judgements import (
    AttemptRecord,
    JudgeRecord,
    RubricRecord,
    read_attempts,
    read_call_counts,
)
from convergebench.types import Digest

PIECE = 50
"""Number of verdicts per chunk of details."""
NOWHERE = -1


def judging_section(
    records: Records, judgements: Sequence[Judgement], steps: Sequence[IndexedStep]
) -> dict[str, Any]:
    """The judges and rubrics, the tables, and a row for every verdict at every position of its picture.

    Texts are listed once and referred to by number. A row is: verdict, judge, rubric, suite, model, case,
    seed, round, protocol, outcome, value, and the model that it was compared with.
    """
    rubrics = {one.rubric.fingerprint: one.rubric for one in judgements}
    judges = {one.judge for one in judgements}
    numbers = _Numbers()
    rows = [row for number, one in enumerate(judgements) for row in _rows(number, one, numbers)]
    return {
        "judges": [
            _judge(one, records.judge_labels[one.fingerprint])
            for one in records.judges
            if one.fingerprint in judges
        ],
        "rubrics": [_rubric(one) for one in rubrics.values()],
        "texts": numbers.texts,
        "rows": rows,
        "summaries": summaries(judgements),
        "subsets": subset_tables(judgements, steps),
        "contests": contest_tables(judgements, steps, _people(records)),
        "calls": [asdict(one) for one in read_call_counts(records.workspace)],
        "piece": PIECE,
    }


def _people(records: Records) -> set[Digest]:
    """The judges that are persons, and those whose verdicts come from elsewhere: of these, too, only the
    outcome of one order is known."""
    return {one.fingerprint for one in records.judges if one.name.startswith(("human:", "imported:"))}


def piece_keys(judgements: Sequence[Judgement]) -> range:
    return range(math.ceil(len(judgements) / PIECE))


def verdicts_section(records: Records, judgements: Sequence[Judgement], piece: int) -> list[dict[str, Any]]:
    """The questions and replies, verbatim."""
    chosen = judgements[piece * PIECE : (piece + 1) * PIECE]
    attempts = read_attempts(records.workspace, [one.record.key for one in chosen])
    return [_details(one, attempts.get(one.record.key, ())) for one in chosen]


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


def _judge(judge: JudgeRecord, label: str) -> dict[str, Any]:
    settings = [(name, str(value)) for name, value in judge.settings.items()]
    return {"name": label, "version": judge.version, "fingerprint": judge.fingerprint,
            "settings": settings}  # fmt: skip


def _rubric(rubric: RubricRecord) -> dict[str, Any]:
    low, high = rubric.range
    asks = [
        {"name": ask["name"], "asks": ask["asks"], "low": ask.get("low"), "high": ask.get("high")}
        for ask in rubric.content.get("ask", ())
    ]
    return {
        "id": rubric.id, "version": rubric.version, "name": rubric.name, "fingerprint": rubric.fingerprint,
        "of": rubric.of, "prompt": rubric.content.get("prompt", ""), "asks": asks, "low": low, "high": high,
        "grades": rubric.grades, "compares": rubric.compares, "wording": wording_name(rubric.wording),
    }  # fmt: skip


def _details(one: Judgement, attempts: Sequence[AttemptRecord]) -> dict[str, Any]:
    record = one.record
    return {
        "key": record.key,
        "repeat": record.repeat,
        "run": record.run,
        "at": record.at,
        "texts": [(name, str(text)) for name, text in record.texts.items()],
        "pictures": [list(pair) for pair in record.pictures],
        "scores": list(record.scores.items()),
        "said": record.reason or "",
        "missing": record.missing,
        "attempts": [asdict(attempt) for attempt in attempts],
    }
