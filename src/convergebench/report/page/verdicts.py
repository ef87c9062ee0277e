"""All that judges were asked and said, with where each judged picture stands."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from convergebench.report.page.step_index import IndexedStep, Kind, StepPlace, places_of
from convergebench.store import Workspace
from convergebench.types import Digest

UNFINISHED = "unfinished"
_KINDS: Mapping[str, Kind] = {
    "edit": "edit", "edit_pair": "edit", "return": "return", "return_pair": "return",
}  # fmt: skip


@dataclass(frozen=True)
class AskedRubric:
    """A rubric, or a reasoner's prompt, as it was asked."""

    id: str
    version: int
    fingerprint: str
    of: str
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.id}@{self.version}"

    @property
    def grades(self) -> bool:
        """Whether it gives one picture a value; others compare two, or say what to do next."""
        return self.of in ("edit", "return")

    @property
    def compares(self) -> bool:
        return self.of.endswith("_pair")

    @property
    def kind(self) -> Kind:
        """Which steps' pictures it is about."""
        return _KINDS.get(self.of, "edit")

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        ends = [(ask.get("low"), ask.get("high")) for ask in self.content.get("ask", ())]
        scales = [(low, high) for low, high in ends if low is not None and high is not None]
        return (min(low for low, _ in scales), max(high for _, high in scales)) if scales else (0.0, 1.0)


@dataclass(frozen=True)
class Judgement:
    row: sqlite3.Row
    judge: str
    """Its fingerprint."""
    rubric: AskedRubric
    pictures: tuple[tuple[str, Digest], ...]
    places: tuple[StepPlace, ...]
    """Every place where the judged picture stands; of two compared, where the first does."""
    others: tuple[StepPlace, ...] = ()
    """Where the second stands, in the same order."""

    @property
    def outcome(self) -> str:
        return self.row["outcome"] or UNFINISHED

    @property
    def sources(self) -> tuple[Digest, ...]:
        """Those that were shown beside the result."""
        return tuple(digest for name, digest in self.pictures if name == "source")

    @cached_property
    def instruction(self) -> str | None:
        """None where it was not shown."""
        found: str | None = json.loads(self.row["texts"]).get("instruction")
        return found

    @property
    def value(self) -> float | None:
        found: float | None = self.row["value"]
        return found


def rubrics_of(workspace: Workspace) -> dict[str, AskedRubric]:
    found = {}
    for row in workspace.query("SELECT * FROM rubrics ORDER BY id, version"):
        content = json.loads(row["content"])
        of = content.get("of", "advice")
        found[row["fingerprint"]] = AskedRubric(row["id"], row["version"], row["fingerprint"], of, content)
    return found


def judgements_of(workspace: Workspace, steps: Mapping[Digest, Sequence[IndexedStep]]) -> list[Judgement]:
    """Every judgement that was begun, in order; `steps` are those with a picture, by digest."""
    rubrics = rubrics_of(workspace)
    rows = workspace.query("SELECT * FROM judgements")
    return sorted((_judgement(row, rubrics[row["rubric"]], steps) for row in rows), key=_order)


def _order(one: Judgement) -> tuple[Any, ...]:
    """By judge and rubric, then by case, so that what is looked at together lies together."""
    where = [(place.suite, place.case, place.model, place.seed, place.round) for place in one.places[:1]]
    return one.judge, one.rubric.id, one.rubric.version, where, one.row["repeat"], one.row["key"]


def attempts_of(workspace: Workspace, keys: Sequence[str]) -> dict[str, list[sqlite3.Row]]:
    """Every call for these judgements, in order."""
    found: defaultdict[str, list[sqlite3.Row]] = defaultdict(list)
    places = ", ".join("?" * len(keys))
    sql = f"SELECT * FROM judge_attempts WHERE judgement IN ({places}) ORDER BY id"
    for row in workspace.query(sql, *keys):
        found[row["judgement"]].append(row)
    return found


def _judgement(
    row: sqlite3.Row, rubric: AskedRubric, steps: Mapping[Digest, Sequence[IndexedStep]]
) -> Judgement:
    pictures = tuple((str(name), str(digest)) for name, digest in json.loads(row["pictures"]))
    sources = tuple(digest for name, digest in pictures if name == "source")
    instruction = json.loads(row["texts"]).get("instruction")

    def where(name: str) -> list[StepPlace]:
        shown = next((digest for role, digest in pictures if role == name), None)
        return _own(rubric, places_of(steps.get(shown or "", ()), rubric.kind, sources, instruction))

    places, others = _together(where("first"), where("second")) if rubric.compares else (where("result"), [])
    return Judgement(row, row["judge"], rubric, pictures, tuple(places), tuple(others))


def _own(rubric: AskedRubric, places: Sequence[StepPlace]) -> list[StepPlace]:
    """A benchmark's rubric speaks of its own suites, though the same picture may stand in others too."""
    benchmark = rubric.id.partition("_")[0]
    return [place for place in places if place.suite.startswith(benchmark)] or list(places)


def _together(
    first: Sequence[StepPlace], second: Sequence[StepPlace]
) -> tuple[list[StepPlace], list[StepPlace]]:
    """Two models' places on one case, seed and round."""
    pairs = list(_pairs(first, second))
    return [one for one, _ in pairs], [other for _, other in pairs]


def _pairs(first: Sequence[StepPlace], second: Sequence[StepPlace]) -> Iterator[tuple[StepPlace, StepPlace]]:
    for one in first:
        for other in second:
            same = (one.suite, one.case, one.seed, one.round) == (
                other.suite, other.case, other.seed, other.round,
            )  # fmt: skip
            if same and one.model != other.model:
                yield one, other
