"""Compiles every kernel for a GPU, which needs none. What a compiler does not take, the interpreter may."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from late_import import torch

FLIP_SIZES = ((1, 1), (20, 33))
"""Triton makes a constant of a size of 1."""


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


def launches() -> list[Callable[[], object]]:
    """Of every kernel."""
    from convergebench.metrics._gpu import (
        axis_weights_kernel,
        colour_kernel,
        detail_kernel,
        flip_kernel,
        laying_kernel,
        map_parts_kernel,
        ms_ssim_kernel,
        probe_kernel,
        registration_kernel,
        ssim_kernel,
    )
    from convergebench.metrics._gpu.axis_weights import Spans

    def levels(*size: int) -> torch.Tensor:
        return torch.zeros((1, *size, 3), dtype=torch.uint8)

    def plane(*size: int) -> torch.Tensor:
        return torch.zeros((1, *size))

    def doubles(*size: int) -> torch.Tensor:
        return torch.zeros((1, *size), dtype=torch.float64)

    table, window = torch.zeros((1024, 16), dtype=torch.int32), (1.0,) * 11
    one = torch.ones(1, dtype=torch.int64)
    span = Spans(0 * one, one, one)
    level, found = (plane(20, 33), plane(4, 660), plane(20, 33)), doubles(4)
    return [
        partial(probe_kernel.launched, torch.device("cpu")),
        partial(ssim_kernel.ssim_totals, levels(9, 33), levels(9, 33)),
        partial(ms_ssim_kernel.mean_similarities, levels(161, 161), levels(161, 161), window),
        partial(detail_kernel.block_means, levels(21, 33), (1.0,) * 5, (1.0,) * 21),
        partial(registration_kernel.refined, *level, found, one.bool()),
        partial(registration_kernel.equation_sums, *level, found),
        partial(registration_kernel.products, level[0], level[2], found),
        partial(axis_weights_kernel.resampled, levels(9, 33).permute(0, 3, 1, 2), span, span, one, 32),
        partial(colour_kernel.mean_differences, levels(20, 33), levels(20, 33)),
        partial(laying_kernel.laid, levels(20, 33), doubles(2, 3), table),
        partial(map_parts_kernel.part_sums, plane(20, 33), plane(20, 33).bool()),
        *(partial(flip_kernel.features, levels(*size), 67.0) for size in FLIP_SIZES),
        *(partial(flip_kernel.maps, plane(5, *size), levels(*size), 67.0) for size in FLIP_SIZES),
    ]


if __name__ == "__main__":
    compile_instead_of_launching()
    for launch in launches():
        launch()
