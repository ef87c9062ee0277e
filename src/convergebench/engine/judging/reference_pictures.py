"""Reference pictures: examples of a correct result, stored in the workspace for a judge to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from convergebench.picture import Picture
from convergebench.store import PictureStore
from convergebench.suites.case_hints import REFERENCES, references_of
from convergebench.types import Case, Digest


def store_references(store: PictureStore, cases: Iterable[Case]) -> None:
    """Copy the cases' reference pictures into the store."""
    for source in {source for case in cases for source in references_of(case)}:
        store.put(Picture.from_file(source.path))


def stored_references(hints: Mapping[str, str]) -> tuple[Digest, ...]:
    """The reference pictures of a case in the workspace, from its hints."""
    return tuple(hints.get(REFERENCES, "").split())
