"""What a run measures: returns, the change from step to step, and where forward edits go."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.analysis.succession import change_ruler
from convergebench.engine.directions import Directions, ForwardEdit
from convergebench.engine.measuring import WORKERS, Gauge, Pair, Pairs
from convergebench.metrics import Ruler
from convergebench.metrics.ruler import BATCH


@dataclass(frozen=True)
class Gauges:
    returns: Gauge[Pair]
    changes: Gauge[Pair]
    directions: Gauge[ForwardEdit]
    at_once: int = WORKERS
    """Batches of each that are measured at a time."""
    batch: int = BATCH

    @property
    def fill(self) -> bool:
        """Whether batches are better full: large ones are for a GPU, which takes as long for a few pictures
        as for many, while cores had better begin with what is there."""
        return self.batch > BATCH

    @classmethod
    def of(cls, ruler: Ruler) -> Gauges:
        """Measured in this process."""
        return cls(Pairs(ruler), Pairs(change_ruler(ruler)), Directions(ruler), batch=ruler.batch_size)
