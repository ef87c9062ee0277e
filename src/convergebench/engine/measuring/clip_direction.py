"""CLIP's direction for forward edits, if CLIP is among the metrics of the run and its weights are
available."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence

from convergebench.engine.measuring.items import ForwardEdit
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics import MetricSet, MetricUnavailable, clip, clip_direction
from convergebench.metrics.clip_direction import Captions, ClipDirection, DirectionQuery
from convergebench.store import MeasurementKey
from convergebench.types import Measurement

_log = logging.getLogger("convergebench")


class DirectionMeasurer:
    """Measures forward edits whose instruction gives captions. Without weights it gives no rows.

    A failure gives no row either: it is logged, and the next run tries again.
    """

    def __init__(self, metric_set: MetricSet) -> None:
        self._metric_set = metric_set
        self.clip_version = next(
            (one.version for one in metric_set.facts if one.name == clip.FACTS.name), None
        )
        self._loading = threading.Lock()
        self._was_loaded = False
        self._model: ClipDirection | None = None

    def lacks(self, item: ForwardEdit, known: Mapping[MeasurementKey, bool]) -> bool:
        texts = item.captions
        if self.clip_version is None or texts is None:
            return False
        version = clip_direction.version(self.clip_version, texts)
        return (item.before.digest, item.after.digest, clip_direction.NAME, version) not in known

    def measure(self, items: Sequence[ForwardEdit]) -> list[Row]:
        try:
            model = self.loaded()
            return self._rows(model, items) if model is not None else []
        except MetricUnavailable as error:
            _log.warning("no CLIP direction for %d forward edits: %s", len(items), error)
        except Exception as error:
            _log.warning("no CLIP direction for %d forward edits", len(items), exc_info=error)
        return []

    def _rows(self, model: ClipDirection, items: Sequence[ForwardEdit]) -> list[Row]:
        rows: list[Row] = []
        queries: list[tuple[ForwardEdit, DirectionQuery]] = []
        for item in items:
            texts = item.captions
            if texts is None:
                continue
            try:
                queries.append((item, DirectionQuery(item.before.pixels, item.after.pixels, texts)))
            except BadPicture as error:
                rows.append(self._row(item, texts, error))
            except WorkspaceError as error:
                _log.warning("not measured: %s", error)
        found = model.measure([one for _, one in queries])
        return rows + [
            self._row(item, one.texts, value) for (item, one), value in zip(queries, found, strict=True)
        ]

    def _row(self, item: ForwardEdit, texts: Captions, found: float | Exception) -> Row:
        version = clip_direction.version(self.clip_version or "", texts)
        value, missing = (None, str(found)) if isinstance(found, Exception) else (found, None)
        measured = Measurement(clip_direction.NAME, version, value, missing)
        return item.before.digest, item.after.digest, measured

    def loaded(self) -> ClipDirection | None:
        """Both halves of CLIP, loaded once; None without its weights."""
        with self._loading:
            if not self._was_loaded:
                self._was_loaded = True
                self._model = self._load()
            return self._model

    def _load(self) -> ClipDirection | None:
        """The metric set's own CLIP with its text encoder. A metric set without CLIP gives the reason in its
        own measurements."""
        if self.clip_version is None or not self._metric_set.can_measure(clip.FACTS.name):
            return None
        held = clip.in_use(self.clip_version)
        try:
            return clip_direction.load(held) if held is not None else None
        except MetricUnavailable as error:
            _log.warning("%s", error)
            return None
