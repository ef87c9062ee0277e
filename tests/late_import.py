"""Modules that take seconds to import: every process of the tests imports all their files, and one runs those
that need torch."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LateImport:
    """Stands for a module, and imports it when something public of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest")):  # pytest looks at whatever a file of tests has imported
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


torch = LateImport("torch")
functional = LateImport("torch.nn.functional")
transformers = LateImport("transformers")
diffusers = LateImport("diffusers")
