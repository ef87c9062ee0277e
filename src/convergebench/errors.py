"""What can go wrong, said to a person: one sentence, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable


class ConvergeBenchError(Exception):
    """Anything we foresee; its text is shown as it is, without a traceback."""


class WrongUse(ConvergeBenchError):
    """The command or call cannot mean anything: exit code 2."""


class BadPicture(ConvergeBenchError):
    """These bytes are not a picture that we can read."""


class WorkspaceError(ConvergeBenchError):
    """The workspace cannot be used as it is: unwritable, damaged, or of another version."""


class DiskFull(WorkspaceError):
    """There is no room for another picture; nothing that was finished is lost."""


class DownloadFailed(ConvergeBenchError):
    """A file that comes out of a package could not be had, or is not the one we expect."""


class MissingExtra(ConvergeBenchError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'convergebench[{extra}]'")


def unknown_name(what: str, name: str, known: Iterable[str], otherwise: str = "") -> WrongUse:
    """The error for a name that is not known. It suggests the nearest known name; where none is near, it says
    `otherwise`, by default all known names."""
    from difflib import get_close_matches  # only needed for a mistake

    choices = sorted(known)
    near = get_close_matches(name, choices, n=1)
    advice = f"did you mean {near[0]}?" if near else otherwise or f"choose from {', '.join(choices)}"
    return WrongUse(f"there is no {what} {name!r}; {advice}")
