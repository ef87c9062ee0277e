"""How many processes measure on a GPU beside a run."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from convergebench.engine.measuring.gpu_sharing import can_share

MOST_PROCESSES, MOST_SHARING = 4, 6
"""If a GPU works for one process at a time, and if they share it. On an H200, six measured less than four in
turns, and more together."""
CORES_EACH = 2
MEMORY_EACH = 8 * 2**30
"""Of this machine: 1.4 GiB are pinned, through which pictures are passed to a process, up to 2 GiB of
them wait for it, and it loads libraries."""
GPU_MEMORY_EACH = 12 * 2**30
"""One process took 10 GiB for pictures of 1024²; no smaller GPU than an H200 was tried."""
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""A container's memory, by the two versions of control groups."""


def most_processes() -> int:
    """As many as there are cores and memory for."""
    most = MOST_SHARING if can_share() else MOST_PROCESSES
    return max(1, min(most, (os.cpu_count() or 1) // CORES_EACH, machine_memory() // MEMORY_EACH))


def processes_that_fit(least: int = 0) -> int:
    """As many as the GPU has free memory for, where an editor may be, too; one if that is unknown."""
    free = _free_gpu_memory()
    return 1 if free is None else max(least, free // GPU_MEMORY_EACH)


def machine_memory() -> int:
    """Bytes; of the container, if this is one with less."""
    limits = [int(text) for path in _LIMITS if (text := _content(path)).isdecimal()]
    return min([os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), *limits])


def _content(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _free_gpu_memory() -> int | None:
    """Bytes of the first visible GPU, which measures, by NVIDIA's library; None without it. Importing torch
    to find out would take seconds, and memory of the GPU."""
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0].strip()
    device, memory = ctypes.c_void_p(), _Memory()
    failed = (
        library.nvmlInit_v2()
        or (
            library.nvmlDeviceGetHandleByIndex_v2(int(visible), ctypes.byref(device))
            if visible.isdecimal()
            else library.nvmlDeviceGetHandleByUUID(visible.encode(), ctypes.byref(device))
        )
        or library.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
    )
    return None if failed else int(memory.free)
