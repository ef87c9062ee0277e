"""Measurements: metrics and their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Better: TypeAlias = Literal["higher", "lower", "nearest"]
"""`nearest` is for signed metrics, which can deviate from the perfect value in both directions."""
Dimension: TypeAlias = Literal["quality", "semantic", "drift", "region"]


@dataclass(frozen=True)
class MetricFacts:
    """The properties of a metric that tables, plots and docs use."""

    name: str
    version: str
    better: Better
    perfect: float
    worst: float
    """If `better` is nearest, the same distance on the other side of perfect is equally bad."""
    dimension: Dimension
    unit: str = ""
    summary: str = ""
    needs_weights: bool = False
    """Whether a missing value may become available when weights are installed; otherwise it stays missing."""
    is_sampled: bool = False
    """Whether a run measures it at the reported rounds only, unless it is requested."""
    inapplicable: str = ""
    """The reason that it gives where it does not apply to the source; such a value is not missing."""


class Measurement(NamedTuple):
    """A metric's value for (reference, picture), or missing, with the reason.

    A tuple: thousands a second come from other processes, and a dataclass takes twice as long to read.
    """

    metric: str
    version: str
    value: float | None
    missing: str | None = None
    detail: str | None = None
    """Details of the measurement as JSON, such as a mask, a histogram or a position."""


@dataclass(frozen=True)
class ImportedReturn:
    """One row of a file: values by metric name, without missing ones."""

    model: str
    case: str
    picture: str
    pair: str
    category: str
    kind: str
    seed: int
    round: int
    measured: Mapping[str, float]
