"""Geometric drift of many pictures at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.metrics._gpu.base import sent
from convergebench.metrics._gpu.fidelity import similarities
from convergebench.metrics._gpu.laying import laid_pictures
from convergebench.metrics._gpu.registration import registered
from convergebench.metrics._gpu.registration_planes import DeviceLevel, pyramids, registration_planes
from convergebench.metrics._shared_values import shared
from convergebench.metrics.drift._registration import RegistrationFit
from convergebench.metrics.drift.geometry import (
    NAMES,
    TOO_SMALL,
    aspect_change,
    covered_part,
    movement,
    similarity_readings,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics._reader import PixelPair


class GeometryOnGpu:
    """Registration, and the similarity after it; the readings follow from the fit on the processor."""

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """The pictures and the levels to register by, none of pictures that are too small."""
        levels = pyramids(registration_planes(pictures))
        return pictures, *(part for level in levels for part in level)

    def summaries(self, sources: tuple[Tensor, ...], results: Tensor) -> list[Tensor]:
        """The similarity after registration, then the fit, each a column; empty for too small pictures."""
        pictures, *levels = sources
        if not levels:
            return []
        pairs = zip(levels[::2], levels[1::2], strict=True)
        fits = registered([DeviceLevel(*pair) for pair in pairs], registration_planes(results))
        rows = [(*fit.matrix[:2].flat, fit.likeness, fit.before, fit.error) for fit in fits]
        columns = sent(np.array(rows), results.device)
        return [_similarities(fits, pictures, results), *columns.unbind(1)]

    def readings(self, summaries: Sequence[NDArray[Any]], pair: PixelPair) -> Mapping[str, float | str]:
        height, width, _ = pair.source_pixels.shape
        aspect = {"aspect_change": aspect_change(pair.source_pixels, pair.result)}
        if not summaries:
            return dict.fromkeys(NAMES, TOO_SMALL) | aspect
        similarity, *numbers = (float(number) for number in summaries)
        matrix = np.array([*numbers[:6], 0, 0, 1]).reshape(3, 3)
        fit = RegistrationFit(matrix, *numbers[6:])
        doubt = fit.distrust()
        if doubt is not None:
            return dict.fromkeys(NAMES, doubt) | aspect
        after = similarity_readings(
            covered_part(fit, height, width), None if math.isnan(similarity) else similarity
        )
        return {**movement(fit, height, width), **after, **aspect}


def _similarities(fits: Sequence[RegistrationFit], sources: Tensor, results: Tensor) -> Tensor:
    """SSIM of each result laid on its source; not a number without a trusted fit, or if little is covered."""
    import torch

    _, height, width, _ = sources.shape
    parts = {
        place: covered_part(fit, height, width) for place, fit in enumerate(fits) if fit.distrust() is None
    }
    parts = {place: part for place, part in parts.items() if not part.is_too_little}
    moved = [place for place, part in parts.items() if part.affine is not None]
    is_still = [place in parts and place not in moved for place in range(len(fits))]
    of_all = shared(similarities, sources, results)
    found = torch.where(sent(is_still, sources.device), of_all, torch.nan)
    if moved:
        laid, _ = laid_pictures(results[moved], [fits[place].matrix for place in moved])
        for place, picture in zip(moved, laid, strict=True):
            rows, columns = parts[place].rows, parts[place].columns
            one, other = (each[rows, columns][None] for each in (sources[place], picture))
            found[place] = similarities(one, other)[0]
    return found
