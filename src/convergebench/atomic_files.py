"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, with the same suffix; it takes the place of `path` if nothing goes wrong."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.close(handle)
    part = Path(name)
    # mkstemp keeps others out; a report is for others to read.
    part.chmod(0o644)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
