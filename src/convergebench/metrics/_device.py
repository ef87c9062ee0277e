"""Whether the GPU is to be used."""

from __future__ import annotations

from pathlib import Path

from convergebench.metrics.base import MetricOptions, MetricUnavailable


def may_use_cuda(options: MetricOptions) -> bool:
    """Whether CUDA is asked for, or there is NVIDIA's driver: importing torch to ask it takes seconds."""
    return options.device == "cuda" or (options.device == "auto" and Path("/dev/nvidiactl").exists())


def uses_cuda(options: MetricOptions) -> bool:
    """True where CUDA is asked for, or found; asked for and not found is MetricUnavailable."""
    if not may_use_cuda(options):
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
