"""The facts that drift metrics share."""

from __future__ import annotations

from convergebench.types import MetricFacts

VERSION = "1"


def signed(name: str, unit: str, worst: float, summary: str) -> MetricFacts:
    """A signed difference: 0 without drift."""
    return MetricFacts(name, VERSION, "nearest", 0.0, worst, "drift", unit, summary)


def ratio(name: str, summary: str) -> MetricFacts:
    """The ratio of result to source: 1 without drift."""
    return MetricFacts(name, VERSION, "nearest", 1.0, 0.0, "drift", "×", summary)
