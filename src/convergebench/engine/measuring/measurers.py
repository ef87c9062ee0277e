"""What a run measures: returns, the change from step to step, and where forward edits go."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.engine.measuring.clip_direction import DirectionMeasurer, ForwardEdit
from convergebench.engine.measuring.measurement_queue import WORKERS, Measurer, PairMeasurer, PicturePair
from convergebench.metrics import MetricSet
from convergebench.metrics.measured_pairs import change_metrics
from convergebench.metrics.metric_set import BATCH


@dataclass(frozen=True)
class Measurers:
    returns: Measurer[PicturePair]
    changes: Measurer[PicturePair]
    directions: Measurer[ForwardEdit]
    at_once: int = WORKERS
    """Batches of each that are measured at a time."""
    batch: int = BATCH

    @property
    def fill(self) -> bool:
        """Whether batches are better full: large ones are for a GPU, which takes as long for a few pictures
        as for many, while cores had better begin with what is there."""
        return self.batch > BATCH

    @classmethod
    def of(cls, ruler: MetricSet) -> Measurers:
        """Measured in this process."""
        return cls(
            PairMeasurer(ruler),
            PairMeasurer(change_metrics(ruler)),
            DirectionMeasurer(ruler),
            batch=ruler.batch_size,
        )
