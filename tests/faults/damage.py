"""A schedule of damage: bits that flip, files that end early, files that are gone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path


def flip_a_bit(file: Path, draw: random.Random) -> None:
    data = bytearray(file.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)


def truncate(file: Path, draw: random.Random) -> None:
    file.write_bytes(file.read_bytes()[: draw.randrange(file.stat().st_size)])


def delete(file: Path, draw: random.Random) -> None:
    file.unlink()


KINDS = (flip_a_bit, truncate, delete)


def damaged_pictures(workspace: Path, seed: int) -> Iterator[Path]:
    """One stored picture after another, each damaged in a way that the seed decides."""
    draw = random.Random(seed)
    files = sorted(path for path in (workspace / "pictures").rglob("*") if path.suffix in (".png", ".jpg"))
    draw.shuffle(files)
    for file in files:
        draw.choice(KINDS)(file, draw)
        yield file
