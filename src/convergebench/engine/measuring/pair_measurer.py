"""The measurements of two pictures."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

from convergebench.engine.measuring.items import PicturePair
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics import MetricSet
from convergebench.store import MeasurementKey

log = logging.getLogger("convergebench")


class PairMeasurer:
    """Measures pictures against their references with every metric of a metric set."""

    def __init__(self, metric_set: MetricSet) -> None:
        self._metric_set = metric_set
        self._batch = metric_set.batch_size

    def lacks(self, item: PicturePair, known: Mapping[MeasurementKey, bool]) -> bool:
        """Whether some metric was never tried on the pair, or lacked weights then and is available now.

        A reason that lies in the pictures, such as that there is no face, is final.
        """
        reference, picture = item
        for facts in self._metric_set.facts:
            there = known.get((reference.digest, picture.digest, facts.name, facts.version))
            if there is None or (
                not there and facts.needs_weights and self._metric_set.can_measure(facts.name)
            ):
                return True
        return False

    def measure(self, items: Sequence[PicturePair]) -> list[Row]:
        there = [pair for pair in items if _is_there(pair)]
        parts = [there[start : start + self._batch] for start in range(0, len(there), self._batch)]
        return [row for part in parts for row in self._rows(part)]

    def _rows(self, pairs: Sequence[PicturePair]) -> Iterator[Row]:
        for (reference, picture), values in zip(pairs, self._metric_set.measure(pairs), strict=True):
            for measurement in values.values():
                yield reference.digest, picture.digest, measurement


def _is_there(pair: PicturePair) -> bool:
    """Whether the store has both. If not, this says nothing about the pictures, and they are tried again."""
    try:
        for picture in pair:
            _ = picture.pixels
    except BadPicture:
        return True
    except WorkspaceError as error:
        log.warning("not measured: %s", error)
        return False
    return True
