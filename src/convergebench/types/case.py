"""Cases: the pictures and instructions of a suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from convergebench.types.suite_id import SuiteId
from convergebench.types.values import Digest, fingerprint_of

Reversibility: TypeAlias = Literal[
    "reversible", "information-destroying", "information-inventing", "ambiguous"
]
"""Whether an edit can be undone exactly, and if not, why not."""


@dataclass(frozen=True)
class SourcePicture:
    """A picture that editing starts from: a file, identified by its content."""

    id: str
    path: Path
    digest: Digest
    kind: str = "picture"
    description: str = ""


def is_portrait(kind: str, picture: str) -> bool:
    """By the suite's kind of picture, or by the picture's id where it was imported."""
    return "portrait" in (kind, picture.partition("_")[0])


@dataclass(frozen=True)
class Undoable:
    """An instruction and the one that undoes it."""

    forward: str
    backward: str


@dataclass(frozen=True)
class SessionTurn:
    """One turn of a session: what is asked, and what the set that it comes from says about it."""

    instruction: str
    task: str = ""
    """The set's own type of edit, such as subject_add."""
    start: SourcePicture | None = None
    """The true picture that the turn starts from, where the set has one."""
    target: SourcePicture | None = None
    """A correct result."""
    mask: SourcePicture | None = None
    """White where the edit belongs."""
    caption: str = ""
    """What a correct result shows, in words."""


SeedPolicy: TypeAlias = Literal["fresh", "same"]
"""Whether every step of a trajectory has its own seed, or all have the first one's."""


@dataclass(frozen=True)
class Case:
    """One task for an editor: pictures and an instruction, with its inverse if it has one."""

    id: str
    sources: tuple[SourcePicture, ...]
    forward: str
    backward: str | None = None
    pair: str = ""
    category: str = ""
    kind: str = "picture"
    language: str = "en"
    hints: Mapping[str, str] = field(default_factory=dict)
    more: tuple[Undoable, ...] = ()
    """Further edits, for protocols that make several before they undo any."""
    turns: tuple[SessionTurn, ...] = ()
    """The turns of a session, in order; empty for cases of other protocols."""

    @property
    def edits(self) -> tuple[Undoable, ...]:
        """Every edit that can be undone, in order."""
        return ((Undoable(self.forward, self.backward),) if self.backward is not None else ()) + self.more

    @property
    def source(self) -> SourcePicture:
        return self.sources[0]

    @property
    def fingerprint(self) -> str:
        more = [[(edit.forward, edit.backward) for edit in self.more]] if self.more else []
        turns = [{"turns": [turn.instruction for turn in self.turns]}] if self.turns else []
        return fingerprint_of(
            [s.digest for s in self.sources], self.forward, self.backward, self.id, *more, *turns
        )


@dataclass(frozen=True)
class UnusableEntry:
    """An entry of a suite's data that is no case, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Suite:
    """A named, versioned list of cases."""

    name: str
    version: str
    cases: tuple[Case, ...]
    unusable: tuple[UnusableEntry, ...] = ()

    @property
    def id(self) -> SuiteId:
        return SuiteId.of(self.name, self.version)
