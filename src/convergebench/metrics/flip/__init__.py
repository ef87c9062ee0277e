"""ꟻLIP (Andersson et al. 2020): the difference that a person sees when flipping between two pictures, 0 to 1.

`flip_source` prepares the source, `flip_map` compares results of the same size with it. The other functions
compute numbers from the map, or from its `smoothed` form.
"""

from convergebench.metrics.flip.family import NAMES, visibility
from convergebench.metrics.flip.histogram import BIN_EDGES, BINS, histogram, mean_ramp, share_above
from convergebench.metrics.flip.map import (
    PIXELS_PER_DEGREE,
    FlipAgainst,
    FlipSource,
    flip_against,
    flip_difference,
    flip_map,
    flip_source,
    pixels_per_degree,
)
from convergebench.metrics.flip.pooling import (
    VISIBLE,
    flip_area,
    flip_mean,
    flip_peak,
    smoothed,
    smoothed_difference,
    smoothing_window,
)
from convergebench.metrics.flip.worst_box import WorstBox, worst_box

__all__ = [
    "BINS",
    "BIN_EDGES",
    "NAMES",
    "PIXELS_PER_DEGREE",
    "VISIBLE",
    "FlipAgainst",
    "FlipSource",
    "WorstBox",
    "flip_against",
    "flip_area",
    "flip_difference",
    "flip_map",
    "flip_mean",
    "flip_peak",
    "flip_source",
    "histogram",
    "mean_ramp",
    "pixels_per_degree",
    "share_above",
    "smoothed",
    "smoothed_difference",
    "smoothing_window",
    "visibility",
    "worst_box",
]
