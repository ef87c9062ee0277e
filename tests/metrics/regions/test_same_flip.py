"""A run takes ꟻLIP's figures from the maps of the regions: they must be those of the metrics themselves."""

from __future__ import annotations

from functools import partial

import pytest

from convergebench.metrics import MetricSet, flip
from convergebench.metrics.regions import ReferencePicture, locate_edit, measure_return
from convergebench.picture import Picture
from drawn_chains import LPIPS
from made_pictures import textured


def test_a_return_has_the_same_flip_in_a_chain_and_alone() -> None:
    source, forward, returned = (textured(90, 130, seed=seed) for seed in (1, 2, 3))

    def against(reference, pixels_per_degree):
        return partial(flip.flip_map, flip.flip_source(reference, pixels_per_degree))

    reference = ReferencePicture(source, against, LPIPS)
    in_chain = measure_return(reference, locate_edit(reference, forward, "local"), returned)
    (alone,) = MetricSet(flip.NAMES).measure([(Picture.from_pixels(source), Picture.from_pixels(returned))])
    for name in flip.NAMES:
        assert getattr(in_chain, name) == pytest.approx(alone[name].value, abs=1e-9)
