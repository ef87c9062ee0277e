"""Compiles every kernel for a GPU, which needs none. What a compiler does not take, the interpreter may."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from late_import import torch


class NoDevice:
    """Stands for the driver of a GPU up to the launch."""

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 80, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0


def compile_instead_of_launching() -> None:
    from triton.runtime import driver
    from triton.runtime.jit import JITFunction

    driver.set_active(NoDevice())
    run: Callable[..., Any] = JITFunction.run

    def compiled(kernel: Any, *arguments: Any, warmup: bool, **named: Any) -> Any:
        return run(kernel, *arguments, warmup=True, **named)

    JITFunction.run = compiled


def kernels_made() -> int:
    return len(list(Path(os.environ["TRITON_CACHE_DIR"]).glob("*/*.cubin")))


def levels(*size: int) -> torch.Tensor:
    return torch.zeros((1, *size, 3), dtype=torch.uint8)


def plane(*size: int) -> torch.Tensor:
    return torch.zeros((1, *size))


def doubles(*size: int) -> torch.Tensor:
    return torch.zeros((1, *size), dtype=torch.float64)


def launch_for_rows(height: int, width: int) -> None:
    """The kernels that take pictures by rows, whose number must not make them others."""
    from convergebench.metrics._gpu import (
        colour_kernel,
        detail_kernel,
        flip_kernel,
        ms_ssim_kernel,
        psnr_kernel,
        registration_planes_kernel,
        resampling_kernel,
        ssim_kernel,
        window_means_kernel,
    )
    from convergebench.metrics._gpu.bands import Band

    picture = levels(height, width)
    ssim_kernel.ssim_totals(picture, picture)
    flip_kernel.maps(flip_kernel.features(picture, 67.0), picture, 67.0)
    detail_kernel.block_means(picture, (1.0,) * 5, (1.0,) * 21)
    ms_ssim_kernel.mean_similarities(picture, picture, (1.0,) * 11)
    down, along = (
        Band(torch.zeros(n // 2, dtype=torch.int32), torch.ones((2, n // 2))) for n in (height, width)
    )
    resampling_kernel.resized(picture, down, along)
    colour_kernel.cells(picture, down, along)
    psnr_kernel.squared_differences(picture, picture)
    window_means_kernel.window_means(plane(height, width), 2 * (height // 20) + 1)
    for rounding in (resampling_kernel.NEAREST_EVEN, resampling_kernel.HALF_UP):
        for of_luma in (False, True):
            resampling_kernel.averaged(picture, down, along, rounding, of_luma)
    resampling_kernel.averaged(picture[..., :1].float(), down, along, resampling_kernel.FRACTIONS)
    registration_planes_kernel.band_passed(plane(height, width), (down, along), (down, along))


def launch_others() -> None:
    from convergebench.metrics._gpu import (
        axis_weights_kernel,
        colour_kernel,
        laying_kernel,
        map_parts_kernel,
        probe_kernel,
        registration_kernel,
    )
    from convergebench.metrics._gpu.axis_weights import Spans

    picture, one = levels(20, 33), torch.ones(1, dtype=torch.int64)
    level, found, span = (plane(20, 33), plane(4, 660), plane(20, 33)), doubles(4), Spans(0 * one, one, one)
    probe_kernel.launched(torch.device("cpu"))
    axis_weights_kernel.resampled(picture.permute(0, 3, 1, 2), span, span, one, 32)
    colour_kernel.mean_differences(picture, picture)
    laying_kernel.laid(picture, doubles(2, 3), torch.zeros((1024, 16), dtype=torch.int32))
    map_parts_kernel.part_sums(plane(20, 33), plane(20, 33).bool())
    registration_kernel.refined(*level, found, one.bool())
    registration_kernel.equation_sums(*level, found)
    registration_kernel.products(level[0], level[2], found)


def launch_for_one_pixel() -> None:
    """Triton makes a constant of a size of 1."""
    from convergebench.metrics._gpu import colour_kernel, flip_kernel, psnr_kernel, resampling_kernel
    from convergebench.metrics._gpu.bands import Band

    picture, one = levels(1, 1), Band(torch.zeros(1, dtype=torch.int32), torch.ones((1, 1)))
    flip_kernel.maps(flip_kernel.features(picture, 67.0), picture, 67.0)
    resampling_kernel.resized(picture, one, one)
    colour_kernel.cells(picture, one, one)
    psnr_kernel.squared_differences(picture, picture)


if __name__ == "__main__":
    compile_instead_of_launching()
    launch_for_rows(176, 176)
    before = kernels_made()
    launch_for_rows(197, 176)
    assert kernels_made() == before, "compiled anew for another height"
    launch_others()
    launch_for_one_pixel()
