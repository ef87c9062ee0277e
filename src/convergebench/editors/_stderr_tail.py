"""What a program said on stderr before it ended, fit for an error text."""

from __future__ import annotations

import os
import re
from pathlib import Path

from convergebench.providers import SHORTEST_SECRET

MOST_BYTES = 8192
MOST_LINES = 8
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def last_words(log: Path, start: int = 0) -> str:
    """The last lines written to `log` from `start` on, joined by ` | `; empty if there are none."""
    return " | ".join(_last_lines(log, start)[-MOST_LINES:])


def last_line(log: Path) -> str:
    return (_last_lines(log, 0) or [""])[-1]


def _last_lines(log: Path, start: int) -> list[str]:
    with log.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(start, end - MOST_BYTES))
        text = file.read().decode(errors="replace")
    # A progress bar draws itself again and again after a carriage return.
    return [line.strip() for line in re.split(r"[\r\n]+", _without_secrets(text)) if line.strip()]


def _without_secrets(text: str) -> str:
    """Programs inherit our environment, and some print it when they fail."""
    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value) >= SHORTEST_SECRET:
            text = text.replace(value, f"({name})")
    return text
