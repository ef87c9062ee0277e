"""Measurements by region on a GPU, in batches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from convergebench.metrics._gpu.reader import BATCH, BATCH_PIXELS
from convergebench.metrics._gpu.region_edits import EditToLocate, located_edits
from convergebench.metrics._gpu.region_references import RegionReferences
from convergebench.metrics._gpu.region_returns import ReturnToMeasure, measured_returns
from convergebench.metrics.base import MetricUnavailable
from convergebench.metrics.regions.footprint import LocatedEdit
from convergebench.metrics.regions.returns import ReturnRegions
from convergebench.types import Pixels

if TYPE_CHECKING:
    from convergebench.metrics._lpips_torch import TorchFeatures

Item = TypeVar("Item")
Found = TypeVar("Found")

_log = logging.getLogger("convergebench")


class RegionsOnGpu:
    """Locates edits and measures returns of any sizes; None for those for which the device failed, which are
    left to the processor. Safe to share between threads."""

    def __init__(self, device: str = "cuda") -> None:
        self._device = device
        self._references = RegionReferences(device)

    def located(self, edits: Sequence[EditToLocate]) -> list[LocatedEdit | None]:
        def together(part: Sequence[EditToLocate]) -> list[LocatedEdit]:
            return located_edits(part, self._references, self._device)

        return _in_batches(edits, lambda edit: edit.forward, together)

    def measured(self, returns: Sequence[ReturnToMeasure]) -> list[ReturnRegions | None]:
        def together(part: Sequence[ReturnToMeasure]) -> list[ReturnRegions]:
            return measured_returns(part, self._references, self._network, self._device)

        return _in_batches(returns, lambda each: each.returned, together)

    @cached_property
    def _network(self) -> TorchFeatures | str:
        """For close-ups, or the reason why there is none."""
        from convergebench.metrics._lpips_torch import TorchFeatures

        try:
            return TorchFeatures("alex", self._device)
        except MetricUnavailable as error:
            return str(error)


def _in_batches(
    items: Sequence[Item],
    pixels: Callable[[Item], Pixels],
    together: Callable[[Sequence[Item]], Sequence[Found]],
) -> list[Found | None]:
    found: list[Found | None] = [None] * len(items)
    for places in _places_by_size([pixels(item).shape for item in items]):
        for place, one in zip(places, _tried([items[place] for place in places], together), strict=True):
            found[place] = one
    return found


def _tried(
    items: Sequence[Item], together: Callable[[Sequence[Item]], Sequence[Found]]
) -> list[Found | None]:
    """If a batch fails, for example for lack of memory, each half is tried separately."""
    import torch

    try:
        with torch.inference_mode():
            return list(together(items))
    except Exception as error:
        if len(items) == 1:
            _log.debug("measured on the processor", exc_info=error)
            return [None]
    half = len(items) // 2
    return _tried(items[:half], together) + _tried(items[half:], together)


def _places_by_size(shapes: Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Of pictures of one size, few enough to fit into the device's memory."""
    for (height, width, _), group in groupby(
        sorted(range(len(shapes)), key=shapes.__getitem__), shapes.__getitem__
    ):
        places = list(group)
        step = max(1, min(BATCH, BATCH_PIXELS // (height * width)))
        yield from (places[start : start + step] for start in range(0, len(places), step))
