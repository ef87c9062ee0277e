"""Measurements of results against the pictures that they should equal."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from convergebench.engine.measuring.items import TargetPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics.targets import NAMES, VERSION, target_distances
from convergebench.picture import resized_to
from convergebench.store import MeasurementKey
from convergebench.types import Measurement

log = logging.getLogger("convergebench")


class TargetMeasurer:
    """Measures distances to targets, inside and outside masks."""

    def lacks(self, item: TargetPicture, known: Mapping[MeasurementKey, bool]) -> bool:
        return any((item.context, item.picture.digest, name, VERSION) not in known for name in NAMES)

    def measure(self, items: Sequence[TargetPicture]) -> list[Row]:
        rows: list[Row] = []
        for item in items:
            try:
                readings = _readings(item)
            except WorkspaceError as error:
                log.warning("not measured: %s", error)
                continue
            except BadPicture as error:
                readings = dict.fromkeys(NAMES, str(error))
            for name, reading in readings.items():
                value, missing = (None, reading) if isinstance(reading, str) else (reading, None)
                rows.append((item.context, item.picture.digest, Measurement(name, VERSION, value, missing)))
        return rows


def _readings(item: TargetPicture) -> dict[str, float | str]:
    """At the target's size, as MagicBrush compares; without a target, at the source's."""
    reference = item.target or item.source
    width, height = reference.size
    source, picture, target, mask = (
        None if one is None else resized_to(one.pixels, width, height)
        for one in (item.source, item.picture, item.target, item.mask)
    )
    assert source is not None and picture is not None
    return target_distances(source, picture, target, mask)
