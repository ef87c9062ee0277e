"""What an editor needs before it can be used, and how to get it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from dataclasses import dataclass
from typing import ClassVar, Protocol


class Need(Protocol):
    parameter: ClassVar[str]
    """A parameter of the editor that gives it too; empty if none does."""

    def missing(self) -> str | None:
        """One clause on what is not there and how to get it; None when it is."""


@dataclass(frozen=True)
class Key:
    """An API key in the environment, under any one of these names."""

    names: tuple[str, ...]
    parameter: ClassVar[str] = ""

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)

    def value(self) -> str | None:
        return next((os.environ[name] for name in self.names if os.environ.get(name)), None)

    def missing(self) -> str | None:
        return None if self.value() else f"no key: set {' or '.join(self.names)}"


@dataclass(frozen=True)
class Package:
    """A Python package that one of our extras installs."""

    module: str
    extra: str
    parameter: ClassVar[str] = ""

    def missing(self) -> str | None:
        with contextlib.suppress(ModuleNotFoundError):  # the parent of a dotted name is absent
            if importlib.util.find_spec(self.module):
                return None
        return f"{self.module} is not installed: pip install 'convergebench[{self.extra}]'"
