"""Whether to use the GPU."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from convergebench.metrics.base import MetricOptions, MetricUnavailable


def may_use_cuda(options: MetricOptions) -> bool:
    """Whether CUDA is requested, or torch and NVIDIA's driver are there. Importing torch to find out would
    take seconds."""
    if options.device == "auto":
        return Path("/dev/nvidiactl").exists() and find_spec("torch") is not None
    return options.device == "cuda"


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
