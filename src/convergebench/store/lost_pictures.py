"""Pictures that the database knows and the picture store does not have as they were: what needs them, and how
they can be had again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from convergebench.errors import LostPicture
from convergebench.picture import SUFFIXES
from convergebench.store.removal import delete_steps, with_refinements
from convergebench.store.workspace import Workspace
from convergebench.types import Digest, PictureFacts
from convergebench.types.picture_hints import pictures_in

Remedy = Literal["fetch", "edit", "import"]
"""The next run of the suite stores it again; the model has to edit again; it has to be imported again."""

_IMPORTED_VERSION = "imported"
_USES = """
    SELECT s.picture, s.media_type, s.inputs, s.trajectory, s.position, s.round, c.hints,
           e.name AS model, e.version, c.id AS case_id
    FROM steps s JOIN trajectories t ON t.id = s.trajectory
    JOIN editors e ON e.fingerprint = t.editor JOIN case_facts c ON c.fingerprint = t.case_fingerprint
    ORDER BY s.id
"""
_FOLLOWING = """
    SELECT count(*), sum(cost_usd) FROM steps
    WHERE trajectory = ? AND position >= ? AND picture IS NOT NULL
"""


@dataclass(frozen=True)
class LostPictureUse:
    """A lost picture in one place: a picture that the suite gives, or the result of an edit."""

    digest: Digest
    reason: str
    model: str
    case: str
    round: int | None
    """None for what the suite gives: a source, reference, target or mask."""
    remedy: Remedy
    trajectory: int | None = None
    position: int | None = None

    @property
    def is_source(self) -> bool:
        return self.round is None


@dataclass(frozen=True)
class RepairCost:
    """What has to be edited again: lost pictures and all that was made from them, and what that cost."""

    edits: int
    cost_usd: float


@dataclass(frozen=True)
class _Use:
    digest: Digest
    media_type: str | None
    model: str
    case: str
    round: int | None
    remedy: Remedy
    trajectory: int | None = None
    position: int | None = None


def lost_pictures(workspace: Workspace) -> list[LostPictureUse]:
    """Every use of a picture that is missing or damaged. All pictures are read."""
    reasons: dict[Digest, str] = {}
    found: list[LostPictureUse] = []
    for use in dict.fromkeys(_uses(workspace)):
        if use.digest not in reasons:
            reasons[use.digest] = _reason(workspace, use.digest, use.media_type)
        if reason := reasons[use.digest]:
            found.append(
                LostPictureUse(
                    use.digest, reason, use.model, use.case, use.round, use.remedy, use.trajectory,
                    use.position,
                )
            )  # fmt: skip
    return found


def repair_cost(workspace: Workspace, lost: Sequence[LostPictureUse]) -> RepairCost:
    rows = [workspace.query(_FOLLOWING, *cut)[0] for cut in _cuts(workspace, lost).items()]
    return RepairCost(sum(row[0] for row in rows), sum(row[1] or 0.0 for row in rows))


def drop_lost(workspace: Workspace, lost: Sequence[LostPictureUse]) -> int:
    """Forget the lost edits and all that follow them in their trajectories, so that the next run makes them
    again; damaged files are set aside. Returns the number of edits. No run may be working meanwhile."""
    with workspace.alone():
        workspace.pictures.set_aside({one.digest for one in lost if one.reason == "damaged"})
        cuts = _cuts(workspace, lost)
        return workspace.transact(lambda db: delete_steps(db, cuts))


def _cuts(workspace: Workspace, lost: Sequence[LostPictureUse]) -> dict[int, int]:
    """The first lost position of each trajectory, and the refinements of lost edits."""
    cuts: dict[int, int] = {}
    for one in lost:
        if one.trajectory is not None and one.position is not None:
            cuts[one.trajectory] = min(one.position, cuts.get(one.trajectory, one.position))
    return with_refinements(workspace, cuts)


def _uses(workspace: Workspace) -> Iterator[_Use]:
    for row in workspace.query(_USES):
        named = row["model"], row["case_id"]
        is_imported = row["version"] == _IMPORTED_VERSION
        if row["position"] == 0:
            sources = [*json.loads(row["inputs"]), *pictures_in(json.loads(row["hints"]))]
            for digest in sources:
                yield _Use(digest, None, *named, None, "import" if is_imported else "fetch")
        if row["picture"] is not None:
            remedy: Remedy = "import" if is_imported else "edit"
            place = row["trajectory"], row["position"]
            yield _Use(row["picture"], row["media_type"], *named, row["round"], remedy, *place)


def _reason(workspace: Workspace, digest: Digest, media_type: str | None) -> str:
    """Why the picture cannot be used; empty if it can."""
    kinds = [media_type] if media_type else list(SUFFIXES)
    for kind in kinds:
        facts = PictureFacts(digest, 0, 0, kind)
        if workspace.pictures.holds(facts):
            try:
                _ = workspace.pictures.open(facts).encoded
            except LostPicture:
                return "damaged"
            return ""
    return "missing"
