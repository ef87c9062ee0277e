"""Measurements of results against the pictures that they should equal."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from convergebench.engine.measuring.items import TargetPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics import MetricSet
from convergebench.metrics.targets import MASKED_LPIPS, NAMES, VERSION, blackened, target_distances
from convergebench.picture import Picture, resized_to
from convergebench.store import MeasurementKey
from convergebench.types import Measurement, Pixels

log = logging.getLogger("convergebench")


class TargetMeasurer:
    """Measures distances to targets, inside and outside masks; also LPIPS outside masks, if it is among the
    metrics of the run and its weights are available."""

    def __init__(self, metric_set: MetricSet) -> None:
        others = [facts.name for facts in metric_set.facts if facts.name != "lpips"]
        self._lpips = metric_set.without(others)

    def lacks(self, item: TargetPicture, known: Mapping[MeasurementKey, bool]) -> bool:
        wanted = [(name, VERSION) for name in NAMES]
        if item.mask is not None and self._has_lpips():
            wanted += [(MASKED_LPIPS, facts.version) for facts in self._lpips.facts]
        return any((item.context, item.picture.digest, *name) not in known for name in wanted)

    def _has_lpips(self) -> bool:
        return bool(self._lpips.facts) and self._lpips.has_weights("lpips")

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
            rows += self._masked_lpips(item)
        return rows

    def _masked_lpips(self, item: TargetPicture) -> list[Row]:
        if item.mask is None or not self._has_lpips():
            return []
        try:
            source, picture, _, mask = _at_one_size(item)
        except BadPicture:
            return []  # the other distances have the reason
        assert mask is not None
        inside = mask.mean(axis=2) >= 128
        pair = tuple(Picture.from_pixels(blackened(one, inside)) for one in (source, picture))
        (found,) = self._lpips.measure([(pair[0], pair[1])])
        renamed = (one._replace(metric=MASKED_LPIPS) for one in found.values())
        return [(item.context, item.picture.digest, one) for one in renamed]


def _readings(item: TargetPicture) -> dict[str, float | str]:
    return target_distances(*_at_one_size(item))


def _at_one_size(item: TargetPicture) -> tuple[Pixels, Pixels, Pixels | None, Pixels | None]:
    """At the target's size, as MagicBrush compares; without a target, at the source's."""
    reference = item.target or item.source
    width, height = reference.size
    source, picture, target, mask = (
        None if one is None else resized_to(one.pixels, width, height)
        for one in (item.source, item.picture, item.target, item.mask)
    )
    assert source is not None and picture is not None
    return source, picture, target, mask
