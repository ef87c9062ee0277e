"""How much of the source is left in a result: metrics by name, and the ruler that applies them.

A metric is one file in this package, or in another one that names its module under the entry points
`convergebench.metrics`.
"""

from __future__ import annotations

from convergebench.metrics._catalogue import facts, load, missing_reason, names, packaged_weights
from convergebench.metrics.base import Metric, MetricOptions, MetricUnavailable, NotMeasurable
from convergebench.metrics.ruler import Ruler

DEFAULT = ("psnr", "ssim", "ms_ssim", "lpips", "clip")

__all__ = [
    "DEFAULT",
    "Metric",
    "MetricOptions",
    "MetricUnavailable",
    "NotMeasurable",
    "Ruler",
    "facts",
    "load",
    "missing_reason",
    "names",
    "packaged_weights",
]
