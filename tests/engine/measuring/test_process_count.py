from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from convergebench.engine.measuring import process_count
from convergebench.engine.measuring.process_count import machine_memory, most_processes

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
