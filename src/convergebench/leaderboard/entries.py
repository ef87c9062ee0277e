"""The entries of a leaderboard: the models of each submission that passed its checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from convergebench.leaderboard.manifest import Manifest
from convergebench.leaderboard.verification import Verification
from convergebench.results import Records
from convergebench.store import Workspace
from convergebench.types import Digest

Standing: TypeAlias = Literal["measured again", "unverified"]
_SHORT = 12


@dataclass(frozen=True)
class CheckedSubmission:
    """A submission that is sound, as a workspace."""

    file: Path
    digest: Digest
    manifest: Manifest
    verification: Verification
    folder: Path
    strips: Mapping[str, tuple[Digest, Digest]] = field(default_factory=dict)
    """Source and last picture of some cases, if there are only thumbnails of them."""

    @property
    def id(self) -> str:
        """Short enough for an address."""
        return self.digest[:_SHORT]

    @property
    def standing(self) -> Standing:
        return "measured again" if self.verification.is_measured else "unverified"


@dataclass(frozen=True)
class Entry:
    """One model of one submission."""

    submission: CheckedSubmission
    model: str
    fingerprint: str
    name: str
    """Unique on the leaderboard: the model, who submitted it, the day if there are several, and whether it
    is unverified, so that no sentence praises it without saying so."""

    @property
    def label(self) -> str:
        return self.submission.manifest.label

    @property
    def date(self) -> str:
        return self.submission.manifest.date


@dataclass(frozen=True)
class LeftOut:
    """A file that is not on the leaderboard."""

    file: str
    digest: Digest | None
    """None if it could not be read."""
    reason: str
    is_withdrawn: bool = False


def entries_of(submissions: Sequence[CheckedSubmission]) -> list[Entry]:
    """One for each model; floors and probes are on the submissions' own pages only."""
    found = [
        (submission, label, fingerprint)
        for submission in submissions
        for fingerprint, label in _models(submission)
    ]
    counts = Counter((label, one.manifest.label) for one, label, _ in found)
    days = Counter((label, one.manifest.label, one.manifest.date) for one, label, _ in found)
    entries: list[Entry] = []
    names: set[str] = set()
    for one, model, fingerprint in found:
        by = one.manifest.label
        if counts[model, by] > 1:
            by = f"{by}, {one.manifest.date}"
        if days[model, one.manifest.label, one.manifest.date] > 1:
            by = f"{by}, {one.id[:6]}"
        if not one.verification.is_measured:
            by = f"{by}, unverified"
        name = f"{model} ({by})"
        if name in names:  # made to be mistaken for another
            name = f"{name} {one.digest}{fingerprint}"
        names.add(name)
        entries.append(Entry(one, model, fingerprint, name))
    return entries


def newest_of(entries: Iterable[Entry]) -> list[Entry]:
    """Of each model, the newest entry of each submitter; of one day's, one that was measured again."""

    def age(one: Entry) -> tuple[str, bool, Digest]:
        return one.date, one.submission.verification.is_measured, one.submission.digest

    newest: dict[tuple[str, str], Entry] = {}
    for one in sorted(entries, key=age):
        newest[one.model, one.label] = one
    return list(newest.values())


def _models(submission: CheckedSubmission) -> list[tuple[str, str]]:
    """Fingerprint and label of each model that is not a floor or a probe."""
    with Workspace.existing(submission.folder) as workspace:
        editors = Records.of(workspace).editors
    return [(key, one.label) for key, one in editors.items() if one.role == "model"]
