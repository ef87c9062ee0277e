"""Source pictures that are read when they are needed, so that a large set is listed at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from convergebench.errors import BadPicture
from convergebench.types import Digest, SourcePicture


class LazyPicture(SourcePicture):
    """A picture known by name; its file and digest are read on first use."""

    def __init__(self, id: str, locate: Callable[[], Path], description: str = "") -> None:
        """`locate` gives the picture's file, and may write it first."""
        for name, value in (("id", id), ("kind", "picture"), ("description", description)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_locate", locate)

    @cached_property
    def path(self) -> Path:
        locate: Callable[[], Path] = self._locate  # type: ignore[attr-defined]
        return locate()

    @cached_property
    def digest(self) -> Digest:
        from convergebench.picture import digest_of

        try:
            return digest_of(self.path.read_bytes())
        except OSError as error:
            raise BadPicture(f"{self.path} cannot be read: {error.strerror}") from error
