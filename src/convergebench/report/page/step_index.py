"""Where in the workspace the pictures stand that somebody judged."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from convergebench.protocols.refine import NAMES as REFINING
from convergebench.results.load_results import RETURN_ROLES
from convergebench.store import IS_NEWEST, Workspace, unique_labels
from convergebench.suites.case_hints import ENGLISH
from convergebench.types import Digest

Kind = Literal["edit", "return"]

_STEPS = f"""
    SELECT s.trajectory, s.position, s.role, s.round, s.instruction, s.inputs, s.picture, s.width, s.height,
           s.media_type, s.failure, s.reason, s.seconds, s.cost_usd, s.attempts,
           t.editor, t.seed, t.protocol, t.case_fingerprint, e.name AS editor_name, c.suite, c.id AS case_id,
           c.picture AS source_id, c.category, c.kind AS picture_kind, c.language, c.forward, c.hints,
           max(s.id) AS last
    FROM steps s
    JOIN trajectories t ON t.id = s.trajectory
    JOIN editors e ON e.fingerprint = t.editor
    JOIN cases c ON c.fingerprint = t.case_fingerprint
    WHERE {IS_NEWEST}
        AND (t.protocol = 'one_shot' OR t.protocol LIKE 'refine%' OR EXISTS (SELECT 1 FROM judgements))
    GROUP BY s.trajectory, s.position, c.suite ORDER BY s.trajectory, s.position
"""


@dataclass(frozen=True)
class StepPlace:
    """A step: whose it is, and where it stands."""

    suite: str
    protocol: str
    model: str
    case: str
    picture: str
    """The source's id: verdicts on edits of one source are not independent of each other."""
    category: str
    language: str
    seed: int
    round: int
    kind: Kind


@dataclass(frozen=True)
class IndexedStep:
    """The last word on a step, with what a judge may have been shown of it."""

    place: StepPlace
    row: sqlite3.Row
    sources: frozenset[tuple[Digest, ...]]
    """What it was made from, and what its trajectory began with."""
    instructions: frozenset[str]


def index_steps(workspace: Workspace, known: Collection[str]) -> list[IndexedStep]:
    """Every step of every newest trajectory; models of round trips are called what `known` calls them.

    There may be very many round trips, so that theirs are left out where nobody has judged anything.
    """
    rows = workspace.query(_STEPS)
    labels = unique_labels({row["editor"]: row["editor_name"] for row in rows})
    first = {row["trajectory"]: tuple(json.loads(row["inputs"])) for row in reversed(rows)}
    # A refinement begins with a single edit's result, but is judged against what that began with.
    single = {
        row["case_fingerprint"]: first[row["trajectory"]] for row in rows if row["protocol"] == "one_shot"
    }
    return [
        _placed(
            row,
            _label(row, labels, known),
            {first[row["trajectory"]], single.get(row["case_fingerprint"], first[row["trajectory"]])},
        )
        for row in rows
    ]


def by_picture(steps: Sequence[IndexedStep]) -> dict[Digest, list[IndexedStep]]:
    found: defaultdict[Digest, list[IndexedStep]] = defaultdict(list)
    for step in steps:
        if step.row["picture"]:
            found[step.row["picture"]].append(step)
    return dict(found)


def places_of(
    candidates: Sequence[IndexedStep], kind: Kind, sources: tuple[Digest, ...], instruction: str | None
) -> list[StepPlace]:
    """Those of the steps with one picture that a question with these sources and instruction was about."""
    return [
        one.place
        for one in candidates
        if one.place.kind == kind
        and (not sources or sources in one.sources)
        and (instruction is None or instruction in one.instructions)
    ]


def _placed(row: sqlite3.Row, model: str, beginnings: Set[tuple[Digest, ...]]) -> IndexedStep:
    kind: Kind = "return" if row["role"] in RETURN_ROLES else "edit"
    place = StepPlace(
        row["suite"], row["protocol"], model, row["case_id"], row["source_id"], row["category"],
        row["language"], row["seed"], row["round"], kind,
    )  # fmt: skip
    english = json.loads(row["hints"]).get(ENGLISH)
    texts = {row["instruction"], row["forward"], *([str(english)] if english else [])}
    sources = frozenset({tuple(json.loads(row["inputs"])), *beginnings})
    return IndexedStep(place, row, sources, frozenset(texts))


def _label(row: sqlite3.Row, labels: Mapping[str, str], known: Collection[str]) -> str:
    by_fingerprint = f"{row['editor_name']}@{row['editor'][:6]}"
    if by_fingerprint in known:
        return by_fingerprint
    is_known = row["protocol"] not in ("one_shot", *REFINING) and row["editor_name"] in known
    return str(row["editor_name"]) if is_known else labels[row["editor"]]
