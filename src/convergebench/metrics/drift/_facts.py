"""The facts of a drift metric, most of which are alike."""

from __future__ import annotations

from convergebench.types import MetricFacts

VERSION = "1"


def signed(name: str, unit: str, worst: float, summary: str) -> MetricFacts:
    """A difference: 0 where nothing drifted, either sign where something did."""
    return MetricFacts(name, VERSION, "nearest", 0.0, worst, "drift", unit, summary)


def ratio(name: str, summary: str) -> MetricFacts:
    """Result over source: 1 where nothing drifted."""
    return MetricFacts(name, VERSION, "nearest", 1.0, 0.0, "drift", "×", summary)
