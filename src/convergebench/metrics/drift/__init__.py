"""Drift: the kinds of differences between a result and its source, each with a sign and a unit."""

from convergebench.metrics.drift import colour, detail, geometry
from convergebench.metrics.drift.casts import cast_word
from convergebench.metrics.drift.change import change_map

__all__ = ["cast_word", "change_map", "colour", "detail", "geometry"]
