"""The requirements of editors, and how to meet them."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from convergebench.providers import key_in
from convergebench.types import Misconfigured, Parameter


class Need(Protocol):
    parameter: ClassVar[str]
    """The parameter of the editor that also meets it; empty if there is none."""
    comes_by_itself: ClassVar[bool]
    """Whether the editor obtains it automatically on first use."""

    def missing(self) -> str | None:
        """What is missing and how to get it, as one clause; None if it is met."""


@dataclass(frozen=True)
class EditorKey:
    """An API key in the environment, under any one of these names."""

    names: tuple[str, ...]
    parameter: ClassVar[str] = ""
    comes_by_itself: ClassVar[bool] = False

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)

    def value(self) -> str | None:
        return key_in(self.names)

    def missing(self) -> str | None:
        try:
            return None if self.value() else f"no key: set {' or '.join(self.names)}"
        except Misconfigured as error:
            return str(error)


KEY_NAME = "key_name"
"""The parameter that names the environment variable of a proxy's key; no part of an editor's identity."""


def key_for(parameters: Mapping[str, Parameter], usual: EditorKey) -> EditorKey:
    """The key that an editor is called with: a proxy's own, even if that is none, or else the provider's."""
    if KEY_NAME not in parameters:
        return usual
    name = str(parameters[KEY_NAME])
    return EditorKey(name) if name else EditorKey()


@dataclass(frozen=True)
class Package:
    """A Python package that one of our extras installs."""

    module: str
    extra: str
    parameter: ClassVar[str] = ""
    comes_by_itself: ClassVar[bool] = False

    def missing(self) -> str | None:
        with contextlib.suppress(ModuleNotFoundError):  # the parent of a dotted name is absent
            if importlib.util.find_spec(self.module):
                return None
        return f"{self.module} is not installed: pip install 'convergebench[{self.extra}]'"


@dataclass(frozen=True)
class HubWeights:
    """Weights that are fetched from the hub when the model is first used."""

    model: str
    parameter: ClassVar[str] = ""
    comes_by_itself: ClassVar[bool] = True

    def missing(self) -> str | None:
        home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
        cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
        if (cache / f"models--{self.model.replace('/', '--')}").is_dir():
            return None
        return "weights not downloaded: fetched from the hub on first use"
