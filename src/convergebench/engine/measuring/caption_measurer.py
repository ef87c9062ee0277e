"""CLIP-T: results against captions of what they should show, if CLIP is among the metrics of the run."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

from convergebench.engine.measuring.clip_direction import DirectionMeasurer
from convergebench.engine.measuring.items import CaptionedPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics.clip_direction import ClipDirection
from convergebench.metrics.targets import CLIP_TEXT
from convergebench.store import MeasurementKey
from convergebench.types import Measurement

VERSION = "1"

_log = logging.getLogger("convergebench")


class CaptionMeasurer:
    """Measures with the two halves of CLIP that directions are measured with. Without weights, or after a
    failure, it gives no rows, and the next run tries again."""

    def __init__(self, directions: DirectionMeasurer) -> None:
        self._directions = directions

    def lacks(self, item: CaptionedPicture, known: Mapping[MeasurementKey, bool]) -> bool:
        version = self._directions.clip_version
        return (
            version is not None
            and (item.context, item.picture.digest, CLIP_TEXT, _with(version)) not in known
        )

    def measure(self, items: Sequence[CaptionedPicture]) -> list[Row]:
        try:
            model = self._directions.loaded()
            return list(self._rows(model, items)) if model is not None else []
        except Exception as error:
            _log.warning("no CLIP-T for %d results", len(items), exc_info=error)
            return []

    def _rows(self, model: ClipDirection, items: Sequence[CaptionedPicture]) -> Iterator[Row]:
        for item in items:
            try:
                yield self._row(model, item)
            except WorkspaceError as error:
                _log.warning("not measured: %s", error)

    def _row(self, model: ClipDirection, item: CaptionedPicture) -> Row:
        version = _with(self._directions.clip_version or "")
        try:
            (value,) = model.similarities([item.picture.pixels], [item.caption])
        except BadPicture as error:
            return item.context, item.picture.digest, Measurement(CLIP_TEXT, version, None, str(error))
        return item.context, item.picture.digest, Measurement(CLIP_TEXT, version, value)


def _with(clip_version: str) -> str:
    return f"{VERSION}:{clip_version}"
