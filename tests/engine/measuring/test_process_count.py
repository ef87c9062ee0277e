from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from convergebench.engine.measuring import process_count
from convergebench.engine.measuring.process_count import machine_memory, most_processes, processes_that_fit

GIB = 2**30


@pytest.mark.parametrize(
    ("cores", "gib", "shared", "expected"),
    [
        (16, 128, True, 6),
        (16, 128, False, 4),
        (8, 128, True, 4),
        (16, 32, True, 4),
        (1, 128, True, 1),
        (16, 4, True, 1),
    ],
)
def test_no_more_processes_than_there_are_cores_and_memory_for(
    monkeypatch: pytest.MonkeyPatch, cores: int, gib: int, shared: bool, expected: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(process_count, "machine_memory", lambda: gib * GIB)
    monkeypatch.setattr(process_count, "can_share", lambda: shared)
    assert most_processes() == expected


@pytest.mark.parametrize(
    ("written", "limit"), [(f"{GIB}\n", GIB), ("max\n", None), (f"{2**63 - 4096}\n", None), (None, None)]
)
def test_the_memory_is_that_of_the_container_if_it_has_less(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written: str | None, limit: int | None
) -> None:
    file = tmp_path / "memory.max"
    if written is not None:
        file.write_text(written)
    monkeypatch.setattr(process_count, "_LIMITS", (file,))
    assert machine_memory() == (limit or psutil.virtual_memory().total)


LIBRARY = """
#include <string.h>
typedef struct { unsigned long long total, free, used; } Memory;
static unsigned long long free_gib[] = {70, 30, 11};
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device) {
    if (number > 2) return 2;
    *device = &free_gib[number];
    return 0;
}
int nvmlDeviceGetHandleByUUID(const char *name, void **device) {
    *device = &free_gib[1];
    return strcmp(name, "GPU-1b") ? 6 : 0;
}
int nvmlDeviceGetMemoryInfo(void *device, Memory *memory) {
    memory->total = 80ULL << 30;
    memory->free = *(unsigned long long *)device << 30;
    memory->used = memory->total - memory->free;
    return 0;
}
"""
"""NVIDIA's library of a machine with three GPUs that others use, too."""


@pytest.fixture
def three_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    source, library = tmp_path / "nvml.c", tmp_path / "nvml.so"
    source.write_text(LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    monkeypatch.setattr("ctypes.CDLL", {"libnvidia-ml.so.1": loaded}.__getitem__)


@pytest.mark.parametrize(
    ("visible", "expected"),
    [(None, 5), ("0", 5), ("1,0", 2), ("GPU-1b", 2), ("2", 0), ("7", 1), ("GPU-9", 1), ("", 1)],
)
def test_as_many_processes_fit_as_the_gpu_that_measures_has_free_memory_for(
    three_gpus: None, monkeypatch: pytest.MonkeyPatch, visible: str | None, expected: int
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert processes_that_fit() == expected
    assert processes_that_fit(least=1) == max(1, expected)


def test_without_nvidias_library_one_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(name)

    monkeypatch.setattr("ctypes.CDLL", missing)
    assert processes_that_fit() == 1
