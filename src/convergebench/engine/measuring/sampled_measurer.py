"""Metrics that are slow on a CPU: by default they measure reported rounds, if their weights are cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convergebench.engine.measuring.items import PicturePair, ReportedReturn
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.engine.measuring.pair_measurer import PairMeasurer
from convergebench.metrics import MetricSet
from convergebench.metrics.face_distance import FACTS as FACE_DISTANCE
from convergebench.store import MeasurementKey


class SampledMeasurer:
    """Measures returns at reported rounds; faces are compared in portraits only.

    A metric without weights gives no rows: unlike a requested one, it is not missing.
    """

    def __init__(self, metric_set: MetricSet) -> None:
        without = [facts.name for facts in metric_set.facts if not metric_set.has_weights(facts.name)]
        self._of_portraits = PairMeasurer(metric_set.without(without))
        self._of_others = PairMeasurer(metric_set.without([*without, FACE_DISTANCE.name]))

    def lacks(self, item: ReportedReturn, known: Mapping[MeasurementKey, bool]) -> bool:
        measurer = self._of_portraits if item.is_portrait else self._of_others
        return measurer.lacks(PicturePair(item.reference, item.picture), known)

    def measure(self, items: Sequence[ReportedReturn]) -> list[Row]:
        portraits = [PicturePair(one.reference, one.picture) for one in items if one.is_portrait]
        others = [PicturePair(one.reference, one.picture) for one in items if not one.is_portrait]
        return self._of_portraits.measure(portraits) + self._of_others.measure(others)
