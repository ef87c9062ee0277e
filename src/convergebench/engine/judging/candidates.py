"""What a workspace holds that can be judged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from convergebench.engine.judging.reference_pictures import stored_references
from convergebench.engine.judging.tasks import JudgingTask
from convergebench.judges import Rubric, Subject
from convergebench.judges.asking import lacking
from convergebench.judges.rubric import Of
from convergebench.protocols import RETURN_ROLES, is_forward, is_undoing
from convergebench.results.load_results import PARTIAL
from convergebench.store import IS_NEWEST, Workspace, unique_labels
from convergebench.suites import pair_asking, reversibility_of
from convergebench.types import Digest

_STEPS = f"""
    SELECT s.trajectory, s.position, s.role, s.round, s.instruction, s.inputs, s.picture, t.editor, t.seed,
           t.protocol,
           e.name AS editor_name, c.suite, c.id AS case_id, c.picture AS source_id, c.pair, c.category,
           c.language, c.forward, c.backward, c.hints, max(s.id) AS last
    FROM steps s
    JOIN trajectories t ON t.id = s.trajectory
    JOIN editors e ON e.fingerprint = t.editor
    JOIN cases c ON c.fingerprint = t.case_fingerprint
    WHERE t.protocol NOT LIKE 'refine%' AND {IS_NEWEST}
    GROUP BY s.trajectory, s.position, c.suite ORDER BY s.trajectory, s.position
"""


@dataclass(frozen=True)
class CandidatePlace:
    """Where in the workspace a judged picture stands."""

    suite: str
    model: str
    case: str
    picture: str
    """The source's id: verdicts on edits of one source are not independent of each other."""
    category: str
    language: str
    seed: int
    round: int
    part: str = ""
    """The suite, or the part of it whose edits can be undone only in part: what is averaged together."""


@dataclass(frozen=True)
class JudgingCandidate:
    place: CandidatePlace
    task: JudgingTask


@dataclass(frozen=True)
class CandidatePicture:
    """A picture in the workspace and what it came from, as far as a judge may see it."""

    place: CandidatePlace
    of: Of
    subject: Subject
    step: tuple[int, int]
    """Trajectory and position: a case that is in several suites has this picture in each of them."""


def judging_candidates(
    workspace: Workspace,
    rubrics: Sequence[Rubric],
    *,
    suite: str | None = None,
    models: Collection[str] = (),
    rounds: Collection[int] = (),
    repeats: int = 1,
) -> list[JudgingCandidate]:
    """Every picture in the workspace that these rubrics can judge, of all suites, models and rounds unless
    some are named. Subjects without something that a rubric must see are left out."""
    return [
        JudgingCandidate(one.place, JudgingTask(rubric, one.subject, repeat))
        for one in candidate_pictures(workspace, suite=suite, models=models, rounds=rounds)
        for rubric in rubrics
        if rubric.of == one.of and rubric.category in ("", one.place.category)
        if lacking(rubric, one.subject) is None
        for repeat in range(repeats)
    ]


def candidate_pictures(
    workspace: Workspace, *, suite: str | None, models: Collection[str], rounds: Collection[int]
) -> Iterator[CandidatePicture]:
    """The edits and returns that were made, of all suites, models and rounds unless some are named."""
    rows = workspace.query(_STEPS)
    labels = unique_labels({row["editor"]: row["editor_name"] for row in rows})
    first = {row["trajectory"]: json.loads(row["inputs"]) for row in reversed(rows)}
    asked = _asked_for(rows)
    for row in rows:
        place = _place(row, labels)
        if row["picture"] is None or not _is_chosen(place, row["editor_name"], suite, models, rounds):
            continue
        if is_undoing(row["role"]):
            continue
        of: Of = "return" if row["role"] in RETURN_ROLES else "edit"
        instructions = asked[row["trajectory"], row["round"]] if of == "return" else [row["instruction"]]
        subject = _subject(row, of, first[row["trajectory"]], instructions)
        yield CandidatePicture(place, of, subject, (row["trajectory"], row["position"]))


def _asked_for(rows: Sequence[sqlite3.Row]) -> Mapping[tuple[int, int], list[str]]:
    """The forward edits of each trajectory and round, in order; what was asked where nothing is undone."""
    asked: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        edits = asked.setdefault((row["trajectory"], row["round"]), [])
        if is_forward(row["role"]) and row["instruction"] not in edits:
            edits.append(row["instruction"])
    otherwise = {row["trajectory"]: row["forward"] for row in rows}
    return {place: edits or [otherwise[place[0]]] for place, edits in asked.items()}


def _is_chosen(
    place: CandidatePlace, name: str, suite: str | None, models: Collection[str], rounds: Collection[int]
) -> bool:
    return (
        (suite is None or suite in (place.suite, place.part, place.suite.partition("@")[0]))
        and (not models or bool({place.model, name} & set(models)))
        and (not rounds or place.round in rounds)
    )


def _subject(row: sqlite3.Row, of: Of, first: Sequence[Digest], instructions: Sequence[str]) -> Subject:
    sources = first if of == "return" else json.loads(row["inputs"])
    references = stored_references(json.loads(row["hints"]))
    texts = {**_checks(of, instructions), **dict(_texts(row, " ".join(instructions)))}
    pictures = {"source": tuple(sources), "result": (row["picture"],)}
    return Subject({**pictures, "references": references} if references else pictures, texts)


def _checks(of: Of, instructions: Sequence[str]) -> dict[str, str]:
    """What to look for, where the edits are built-in ones."""
    pairs = [pair for asked in instructions if (pair := pair_asking(asked)) is not None]
    if not pairs:
        return {}
    if of == "return":
        return {
            "hint": f"The source picture again, without {' and without '.join(p.gone_after for p in pairs)}."
        }
    return {"hint": f"{pairs[0].shows_after[:1].upper()}{pairs[0].shows_after[1:]}."}


def _texts(row: sqlite3.Row, instruction: str) -> Iterator[tuple[str, str]]:
    yield "instruction", instruction
    if row["backward"]:
        yield "undo", row["backward"]
    hints = json.loads(row["hints"])
    for name in ("hint", "description", "rationale"):
        if hints.get(name):
            yield name, str(hints[name])


def _place(row: sqlite3.Row, labels: Mapping[str, str]) -> CandidatePlace:
    return CandidatePlace(
        row["suite"], labels[row["editor"]], row["case_id"], row["source_id"], row["category"],
        row["language"], row["seed"], row["round"], _part(row),
    )  # fmt: skip


def _part(row: sqlite3.Row) -> str:
    told = json.loads(row["hints"]).get("reversibility") or reversibility_of(row["pair"])
    return str(row["suite"]) if told == "reversible" else f"{row['suite']}{PARTIAL}"
