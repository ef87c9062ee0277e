"""Source pictures of benchmarks as files, identified by content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from convergebench.atomic_files import replacing
from convergebench.errors import ConvergeBenchError
from convergebench.packaged_files import cache_folder
from convergebench.types import Digest, Pixels, SourcePicture

_DIGITS = 12


def source_in_file(path: Path) -> SourcePicture:
    """The picture in this file; cases with the same bytes have the same picture."""
    from convergebench.picture import digest_of

    digest = digest_of(path.read_bytes())
    return SourcePicture(digest[:_DIGITS], path, digest)


def source_in_bytes(data: bytes) -> SourcePicture:
    """The picture in these bytes, written to the cache if it is not there yet."""
    from convergebench.picture import digest_of

    source = source_in_cache(digest_of(data))
    write_once(source.path, data)
    return source


def source_in_cache(digest: Digest) -> SourcePicture:
    """A picture that `source_in_bytes` has written before."""
    return SourcePicture(digest[:_DIGITS], cache_folder() / "sources" / digest[:2] / digest, digest)


def draw_once(place: Path, draw: Callable[[], Pixels]) -> None:
    """Draws the picture into a PNG file that is the same everywhere, unless it exists."""
    from convergebench.picture.stable_png import stable_png

    if not place.is_file():
        write_once(place, stable_png(draw()))


def write_once(place: Path, content: bytes) -> None:
    """Writes the file atomically, unless it exists."""
    if place.is_file():
        return
    try:
        with replacing(place) as part:
            part.write_bytes(content)
    except OSError as error:
        raise ConvergeBenchError(
            f"cannot write {place} ({error.strerror}); set CONVERGEBENCH_CACHE to another folder."
        ) from error
