"""The description of a suite before it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TypeAlias

from convergebench.packaged_files import PackagedFile
from convergebench.types import Suite

OnPackage: TypeAlias = Callable[[str], None]
"""Called with the name of each package before it is downloaded."""


@dataclass(frozen=True)
class SuiteInfo:
    """A suite that can be loaded: its description for listings, and how to load it."""

    name: str
    version: str
    summary: str
    pictures: int | None
    """None if only the data determine it."""
    cases: int | None
    """None if only the data determine it."""
    load: Callable[..., Suite]
    """Called with an OnPackage. Settings in the suite's name, as in gedit?data=PATH, are passed as keyword
    arguments. If the function takes a `sampling`, that is a Sampling built from the settings subset,
    per_subset and sampling_seed."""
    files: tuple[PackagedFile, ...] = ()
    """The files that it takes from packages when it is first loaded."""
    is_current: bool = True
    """Whether the name without a version refers to this version."""
    case_ids: Callable[[str, str], frozenset[str]] | None = None
    """Every case's id, from data and language, without loading a picture. Empty strings mean the default."""
    turns: int | None = None
    """The number of turns of all sessions together; None for suites without sessions."""
    needs: str = ""
    """What the user has to have, in words; empty for nothing beyond `files`."""

    @property
    def takes_data(self) -> bool:
        """Whether the user has to name the data that contain its cases."""
        return "data" in self.parameters

    @property
    def parameters(self) -> tuple[str, ...]:
        """The keyword arguments of `load`."""
        return tuple(signature(self.load).parameters)[1:]
