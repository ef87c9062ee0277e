"""Errors for the user: one sentence, and what to do next."""

from __future__ import annotations

import errno
from collections.abc import Iterable

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The system's numbers for a full disk, a quota and a limit of the size of files."""


class ConvergeBenchError(Exception):
    """An expected error; its message is shown without a traceback."""


class WrongUse(ConvergeBenchError):
    """The command or call is invalid: exit code 2."""


class BadPicture(ConvergeBenchError):
    """These bytes are not a readable picture."""


class WorkspaceError(ConvergeBenchError):
    """The workspace cannot be used: it is not writable, damaged, or of another version."""


class EmptyWorkspace(WorkspaceError):
    """Its database has no tables: no run has begun, or one is creating it now."""


class LostPicture(WorkspaceError):
    """A stored picture is missing or damaged: it costs the cases that need it, and nothing else."""


class DiskFull(WorkspaceError):
    """The disk has no space for another picture; finished work is not lost."""


class DownloadFailed(ConvergeBenchError):
    """A file from a package could not be obtained, or is not the expected one."""


class MissingExtra(ConvergeBenchError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'convergebench[{extra}]'")


def unknown_name(what: str, name: str, known: Iterable[str], otherwise: str = "") -> WrongUse:
    """The error for an unknown name. It suggests the nearest known name, or gives the advice `otherwise`, by
    default all known names."""
    from difflib import get_close_matches  # only needed for a mistake

    choices = sorted(known)
    near = get_close_matches(name, choices, n=1)
    advice = f"did you mean {near[0]}?" if near else otherwise or f"choose from {', '.join(choices)}"
    return WrongUse(f"there is no {what} {name!r}; {advice}")
