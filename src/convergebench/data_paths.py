"""Paths that stand in data files: data names files beside itself and nothing else."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath


def path_inside(folder: Path, relative: str) -> Path | None:
    """The file of this name in the folder or below it; None if the name leads out of it.

    Links are not followed: the caches of download tools consist of them.

    >>> path_inside(Path("/data"), "pictures/1.png").as_posix()
    '/data/pictures/1.png'
    >>> [path_inside(Path("/data"), name) for name in ("../../etc/passwd", "/etc/passwd", "C:/a", "a/../..")]
    [None, None, None, None]
    """
    if "\0" in relative or PurePosixPath(relative).is_absolute() or PureWindowsPath(relative).drive:
        return None
    place = Path(os.path.normpath(folder / relative))
    return place if place.is_relative_to(Path(os.path.normpath(folder))) else None
