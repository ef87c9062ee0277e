"""How much of the source is left in a result: metrics by name, and the metric set that applies them.

A metric is one file in this package, or in another one that names its module under the entry points
`convergebench.metrics`.
"""

from __future__ import annotations

from convergebench.metrics._catalogue import (
    SAMPLED,
    expand,
    facts,
    groups,
    load,
    missing_reason,
    names,
    packaged_weights,
)
from convergebench.metrics.base import (
    ON_REQUEST,
    Family,
    Metric,
    MetricOptions,
    MetricUnavailable,
    NotMeasurable,
    Result,
)
from convergebench.metrics.metric_set import MetricSet

DEFAULT = ("psnr", "ssim", "ms_ssim", "lpips", "clip")
"""The metrics that compare models."""
DEFAULT_MEASURED = (*DEFAULT, "drift", "visibility", "regions", SAMPLED)
"""The metrics that a run measures: those above, the kind and place of decay, and slow metrics at the reported
rounds."""

__all__ = [
    "DEFAULT",
    "DEFAULT_MEASURED",
    "ON_REQUEST",
    "SAMPLED",
    "Family",
    "Metric",
    "MetricOptions",
    "MetricSet",
    "MetricUnavailable",
    "NotMeasurable",
    "Result",
    "expand",
    "facts",
    "groups",
    "load",
    "missing_reason",
    "names",
    "packaged_weights",
]
