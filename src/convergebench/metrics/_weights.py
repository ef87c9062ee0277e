"""Weight files that metrics take from packages, and the errors for missing or damaged ones."""

from __future__ import annotations

from pathlib import Path

from convergebench.metrics.base import MetricUnavailable
from convergebench.packaged_files import PackagedFile


def path_of(file: PackagedFile, pull: str = "weights pull") -> Path:
    """The path of the file in the cache; raises MetricUnavailable if it is not there or damaged."""
    was_there = file.path.exists()
    if not file.is_cached():
        state = "were damaged, and deleted" if was_there else "are not here yet"
        raise MetricUnavailable(f"weights from {file.requirement} {state}: convergebench {pull}")
    return file.path


def damaged(file: PackagedFile, pull: str = "weights pull") -> MetricUnavailable:
    """The error to raise if the file cannot be read."""
    return MetricUnavailable(
        f"the weights in {file.path} are damaged: delete that file, then convergebench {pull}"
    )
