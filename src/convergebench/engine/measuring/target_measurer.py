"""Measurements of results against the pictures that they should equal."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from convergebench.engine.measuring.items import TargetPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics import MetricSet
from convergebench.metrics.targets import (
    MASKED_LPIPS,
    NAMES,
    VERSION,
    blackened,
    edited_area,
    target_distances,
)
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
                readings = target_distances(*_AtOneSize.of(item))
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
            sized = _AtOneSize.of(item)
        except BadPicture:
            return []  # the other distances have the reason
        edited = edited_area(sized.mask, sized.earlier)
        if edited is None:
            return []
        pair = tuple(Picture.from_pixels(blackened(one, edited)) for one in sized[:2])
        (found,) = self._lpips.measure([(pair[0], pair[1])])
        renamed = (one._replace(metric=MASKED_LPIPS) for one in found.values())
        return [(item.context, item.picture.digest, one) for one in renamed]


class _AtOneSize(NamedTuple):
    """The pictures of an item at the target's size, as MagicBrush compares; without a target, at the
    source's."""

    source: Pixels
    picture: Pixels
    target: Pixels | None
    mask: Pixels | None
    earlier: Sequence[Pixels | None]

    @classmethod
    def of(cls, item: TargetPicture) -> _AtOneSize:
        width, height = (item.target or item.source).size

        def at_size(one: Picture) -> Pixels:
            return resized_to(one.pixels, width, height)

        def if_any(one: Picture | None) -> Pixels | None:
            return None if one is None else at_size(one)

        earlier = [if_any(one) for one in item.earlier]
        return cls(
            at_size(item.source), at_size(item.picture), if_any(item.target), if_any(item.mask), earlier
        )
