"""Pictures that the database knows and the picture store does not have as they were, and what needs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from convergebench.errors import LostPicture
from convergebench.picture import SUFFIXES
from convergebench.store.workspace import Workspace
from convergebench.types import Digest, PictureFacts


@dataclass(frozen=True)
class LostPictureUse:
    """A lost picture in one place: a source, which the next run stores again, or the result of an edit."""

    digest: Digest
    reason: str
    model: str
    case: str
    round: int | None
    """None for a source."""

    @property
    def is_source(self) -> bool:
        return self.round is None


def lost_pictures(workspace: Workspace) -> list[LostPictureUse]:
    """Every use of a picture that is missing or damaged. All pictures are read."""
    reasons: dict[Digest, str] = {}
    found: list[LostPictureUse] = []
    for digest, media_type, model, case, round_ in dict.fromkeys(_uses(workspace)):
        if digest not in reasons:
            reasons[digest] = _reason(workspace, digest, media_type)
        if reasons[digest]:
            found.append(LostPictureUse(digest, reasons[digest], model, case, round_))
    return found


def _uses(workspace: Workspace) -> Iterator[tuple[Digest, str | None, str, str, int | None]]:
    sql = """
        SELECT s.picture, s.media_type, s.inputs, s.position, s.round, e.name AS model, c.id AS case_id
        FROM steps s JOIN trajectories t ON t.id = s.trajectory
        JOIN editors e ON e.fingerprint = t.editor JOIN case_facts c ON c.fingerprint = t.case_fingerprint
        ORDER BY s.id
    """
    for row in workspace.query(sql):
        if row["position"] == 0:
            for digest in json.loads(row["inputs"]):
                yield digest, None, row["model"], row["case_id"], None
        if row["picture"] is not None:
            yield row["picture"], row["media_type"], row["model"], row["case_id"], row["round"]


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
