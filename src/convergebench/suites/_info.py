"""What a suite says about itself before it is loaded."""

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
    """A suite that can be loaded: enough to list it, and how to load it."""

    name: str
    version: str
    summary: str
    pictures: int | None
    """None where only the data tell."""
    cases: int
    load: Callable[..., Suite]
    """Called with an OnPackage; settings in its name, as in gedit?data=PATH, are its keyword arguments. If it
    takes a `sampling`, that is a Sampling made of the settings subset, per_subset and sampling_seed."""
    files: tuple[PackagedFile, ...] = ()
    """What it takes out of packages when it is first loaded."""
    is_current: bool = True
    """Whether its name without a version means this one."""
    case_ids: Callable[[str, str], frozenset[str]] | None = None
    """Every case's id, from data and language, without loading a picture; empty texts mean the default."""

    @property
    def takes_data(self) -> bool:
        """Whether its cases are in data that the user has to name."""
        return "data" in self.parameters

    @property
    def parameters(self) -> tuple[str, ...]:
        """The keyword arguments of `load`."""
        return tuple(signature(self.load).parameters)[1:]
