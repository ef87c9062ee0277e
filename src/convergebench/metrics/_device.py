"""Whether to use the GPU."""

from __future__ import annotations

from pathlib import Path

from convergebench.metrics.base import MetricOptions, MetricUnavailable


def may_use_cuda(options: MetricOptions) -> bool:
    """Whether CUDA is requested, or NVIDIA's driver is present. Importing torch to find out would take
    seconds."""
    return options.device == "cuda" or (options.device == "auto" and Path("/dev/nvidiactl").exists())


def uses_cuda(options: MetricOptions) -> bool:
    """True if CUDA is requested or found; raises MetricUnavailable if it is requested and not found."""
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
