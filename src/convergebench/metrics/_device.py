"""Whether the GPU is to be used."""

from __future__ import annotations

from pathlib import Path

from convergebench.metrics.base import MetricOptions, MetricUnavailable


def uses_cuda(options: MetricOptions) -> bool:
    """True where CUDA is asked for, or found; asked for and not found is MetricUnavailable."""
    if options.device == "cpu":
        return False
    # Importing torch takes seconds, so a machine without NVIDIA's driver is not asked at all.
    if options.device == "auto" and not Path("/dev/nvidiactl").exists():
        return False
    if _torch_finds_cuda():
        return True
    if options.device == "cuda":
        raise MetricUnavailable(
            "torch finds no CUDA device here: use --device cpu, or install torch for CUDA"
        )
    return False


def _torch_finds_cuda() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()
