"""Maps of single pictures, made on torch's CPU device by the code that a GPU runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from convergebench.metrics import MetricOptions
from convergebench.metrics._gpu.flip_maps import FlipMaps, flip_with
from convergebench.metrics.flip import PIXELS_PER_DEGREE, flip_against
from convergebench.types import Pixels

Make = Callable[..., Pixels]


def test_a_map_is_that_of_the_processor(textured: Make, noisy: Make) -> None:
    source = textured(120, 150)
    for degree in (PIXELS_PER_DEGREE, PIXELS_PER_DEGREE / 2):
        made, expected = FlipMaps("cpu").against(source, degree), flip_against(source, degree)
        for level in (0, 3, 60):
            result = noisy(source, level)
            assert np.abs(made(result) - expected(result)).max() <= 1e-3


def test_threads_get_the_maps_of_their_own_pictures(textured: Make, noisy: Make) -> None:
    maps = FlipMaps("cpu")
    sources = [textured(60, 80, seed=seed) for seed in range(4)]
    against = [maps.against(source, PIXELS_PER_DEGREE) for source in sources]
    work = [(place, noisy(source, level)) for level in (4, 30) for place, source in enumerate(sources)] * 3
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda one: against[one[0]](one[1]), work))
    for (place, result), one in zip(work, found, strict=True):
        assert np.abs(one - flip_against(sources[place], PIXELS_PER_DEGREE)(result)).max() <= 1e-3


def test_without_a_gpu_the_processor_makes_large_maps_too(textured: Make) -> None:
    source = textured(40, 600)
    made = flip_with(MetricOptions(device="cpu"))(source, PIXELS_PER_DEGREE)
    assert not made(source).any()
