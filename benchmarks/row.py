"""A row of the table in docs/performance.md, printed by the benchmark that measured it."""

from __future__ import annotations

import sys
from pathlib import Path


def row(what: str, figure: str, beside: str) -> None:
    """What was measured, what came out, and what to hold it against."""
    print(f"| {what} | {figure} | {beside} | `benchmarks/{Path(sys.argv[0]).name}` |", flush=True)
