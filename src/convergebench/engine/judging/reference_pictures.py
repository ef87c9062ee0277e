"""Reference pictures: what a correct result looks like, kept in the workspace for a judge to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from convergebench.benchmarks.wiseedit.suite import REFERENCES, references_of
from convergebench.picture import Picture
from convergebench.store import PictureStore
from convergebench.types import Case, Digest


def store_references(store: PictureStore, cases: Iterable[Case]) -> None:
    """Bring the cases' reference pictures into the store."""
    for source in {source for case in cases for source in references_of(case)}:
        store.put(Picture.from_file(source.path))


def stored_references(hints: Mapping[str, str]) -> tuple[Digest, ...]:
    """Those of a case in the workspace, by its hints."""
    return tuple(hints.get(REFERENCES, "").split())
