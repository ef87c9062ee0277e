"""What a suite says of itself before it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TypeAlias

from convergebench.packaged_files import PackagedFile
from convergebench.types import Suite

OnPackage: TypeAlias = Callable[[str], None]
"""Hears the name of each package before it is downloaded."""


@dataclass(frozen=True)
class SuiteInfo:
    """A suite that can be had: enough to list it, and how to load it."""

    name: str
    version: str
    summary: str
    pictures: int | None
    """None where only the data tell."""
    cases: int
    load: Callable[..., Suite]
    """Called with an OnPackage; settings in its name, as in gedit?data=PATH, are its keyword arguments."""
    files: tuple[PackagedFile, ...] = ()
    """What it takes out of packages when it is first loaded."""
    is_current: bool = True
    """Whether it is meant when its name is given without a version."""

    @property
    def takes_data(self) -> bool:
        """Whether its cases are in data that somebody has to name."""
        return "data" in signature(self.load).parameters
