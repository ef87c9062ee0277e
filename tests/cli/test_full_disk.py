"""A disk that fills up while a benchmark runs."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.picture import Picture
from convergebench.store.pictures import RESERVE_BYTES
from made_pictures import textured

Cli = Callable[..., Any]
MEBIBYTE = 1024 * 1024
PICTURE_BYTES = 600_000
"""About what a picture of 512 × 384 takes."""


@pytest.fixture
def large(tmp_path: Path) -> Path:
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(2):
        picture = Picture.from_pixels(textured(width=512, height=384, seed=number))
        (folder / f"{number}.png").write_bytes(picture.encoded)
    return folder


def words(suite: Path, workspace: Path) -> list[object]:
    return [
        "run", "-m", "noise", "--suite", f"folder:{suite}", "--pair", "horizontal_flip", "--rounds", 8,
        "--metric", "psnr", "-w", workspace,
    ]  # fmt: skip


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for some of the pictures beside the reserve."""
    folder = tmp_path / "disk"
    folder.mkdir()
    size = RESERVE_BYTES + 8 * PICTURE_BYTES
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def made(program: Cli, command: list[object]) -> int:
    ended = program(*command, "--json")
    assert ended.code == 0
    run: dict[str, int] = ended.json["run"]
    assert run["complete"] == run["trajectories"] == 2
    return run["replayed"]


def test_a_full_disk_ends_the_run_with_a_sentence_and_room_lets_it_go_on(
    program: Cli, large: Path, small_disk: Path
) -> None:
    command = words(large, small_disk / "results")
    full = program(*command)
    assert full.code == 1
    assert full.sentence.startswith(f"the disk that holds {small_disk / 'results'}")
    assert "is full; all finished work is saved. Free some space and rerun the command" in full.sentence
    assert os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize > RESERVE_BYTES // 2
    looked = program("summary", "-w", small_disk / "results")
    assert looked.code == 0
    subprocess.run(["mount", "-o", f"remount,size={200 * MEBIBYTE}", str(small_disk)], check=True)
    assert 0 < made(program, command) < 32


def test_a_disk_that_somebody_else_filled_to_the_last_byte_is_named_too(
    program: Cli, large: Path, small_disk: Path
) -> None:
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space left"), filler.open("wb") as file:
        while True:
            file.write(bytes(MEBIBYTE))
    full = program(*words(large, small_disk / "results"))
    assert full.code == 1
    assert "full" in full.sentence or "No space left" in full.sentence
    filler.unlink()
    subprocess.run(["mount", "-o", f"remount,size={200 * MEBIBYTE}", str(small_disk)], check=True)
    assert made(program, words(large, small_disk / "results")) == 0


def test_a_limit_on_files_is_like_a_full_disk_and_nothing_broken_is_left(
    program: Cli, large: Path, tmp_path: Path
) -> None:
    command = words(large, tmp_path / "results")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (PICTURE_BYTES // 3, PICTURE_BYTES // 3))

    full = program(*command, preexec_fn=limit)
    assert full.code == 1
    assert "is full; all finished work is saved" in full.sentence
    assert not list((tmp_path / "results" / "pictures" / "incoming").iterdir())
    made(program, command)
