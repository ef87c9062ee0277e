from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from convergebench.metrics._gpu.resampling import Filter, Scaling, resized
from convergebench.metrics._gpu.semantic import Preparation
from late_import import torch, transformers

SIZES = st.integers(1, 90)
PILLOW = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


@given(SIZES, SIZES, SIZES, SIZES, st.sampled_from(["bilinear", "bicubic"]), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_each_direction_is_resized_as_pillow_does(
    height: int, width: int, to_height: int, to_width: int, kind: Filter, seed: int
) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    for size in ((height, to_width), (to_height, width)):
        rows, columns = (Scaling(n, to, kind) for n, to in zip((height, width), size, strict=True))
        ours = resized(torch.from_numpy(pixels)[None], rows, columns)[0].permute(1, 2, 0).numpy()
        pillow = np.asarray(Image.fromarray(pixels).resize(size[::-1], PILLOW[kind]), np.float32)
        assert np.abs(ours - pillow).max() <= 1


@pytest.mark.parametrize("size", [(56, 56), (90, 200), (301, 77), (1024, 1024), (57, 56)])
def test_pictures_are_prepared_as_transformers_does(size: tuple[int, int]) -> None:
    processor = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 56}, crop_size={"height": 50, "width": 56}, image_mean=[0.3, 0.4, 0.5]
    )
    assert Preparation.is_usual(processor)
    coarse = np.random.default_rng(3).integers(0, 256, (9, 9, 3), dtype=np.uint8)
    pixels = np.asarray(Image.fromarray(coarse).resize(size[::-1], Image.Resampling.BICUBIC))
    ours = Preparation(processor)(torch.from_numpy(pixels.copy())[None])
    theirs = processor([pixels], return_tensors="pt", input_data_format="channels_last")["pixel_values"]
    one_level = 1 / 255 / min(processor.image_std)
    # Pillow may take the directions in the other order, which moves a level by one more.
    assert (ours - theirs).abs().max() <= 2.02 * one_level
    assert (ours - theirs).abs().mean() < 0.1 * one_level


def test_a_processor_with_steps_of_its_own_is_left_alone() -> None:
    assert not Preparation.is_usual(transformers.CLIPImageProcessorPil(do_center_crop=False))
    assert not Preparation.is_usual(transformers.CLIPImageProcessorPil(resample=Image.Resampling.BILINEAR))
    assert not Preparation.is_usual(transformers.CLIPImageProcessorPil(size={"height": 224, "width": 224}))
