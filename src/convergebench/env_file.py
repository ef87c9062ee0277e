"""Keys in a .env file: for this process, and written nowhere."""

from __future__ import annotations

import os
from pathlib import Path

from convergebench.errors import WrongUse


def load_env(path: Path) -> None:
    """Set the variables of a .env file, if it is there; those that are set already stay as they are."""
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip().removeprefix("export ")
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            # The line may hold a key, so it is not shown.
            raise WrongUse(f"{path}, line {number} is not NAME=value; correct it")
        os.environ.setdefault(name.strip(), _unquoted(value.strip()))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
