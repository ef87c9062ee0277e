"""Targets and masks of a suite's turns, stored in the workspace for measuring."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

from convergebench.errors import BadPicture
from convergebench.picture import Picture
from convergebench.store import PictureStore
from convergebench.suites.case_hints import MASKS, TARGETS, digests_hint
from convergebench.types import Case, Digest, SourcePicture

log = logging.getLogger("convergebench")


def store_targets(store: PictureStore, cases: Iterable[Case]) -> tuple[Case, ...]:
    """Copy targets and masks into the store; the cases with their digests as hints. One that cannot be read
    is named in a warning, and distances to it are missing."""
    return tuple(_with_targets(store, case) for case in cases)


def _with_targets(store: PictureStore, case: Case) -> Case:
    hints = dict(case.hints)
    for name, pictures in (
        (TARGETS, {number: turn.target for number, turn in enumerate(case.turns, start=1)}),
        (MASKS, {number: turn.mask for number, turn in enumerate(case.turns, start=1)}),
    ):
        stored = {
            number: digest
            for number, picture in pictures.items()
            if picture is not None and (digest := _stored(store, picture, case.id))
        }
        if stored:
            hints[name] = digests_hint(stored, len(case.turns))
    return replace(case, hints=hints) if hints != case.hints else case


def _stored(store: PictureStore, source: SourcePicture, case: str) -> Digest | None:
    try:
        picture = Picture.from_file(source.path).normalised()
    except (BadPicture, OSError) as error:
        log.warning("%s: a target or mask cannot be read: %s", case, error)
        return None
    store.put(picture)
    return picture.digest
