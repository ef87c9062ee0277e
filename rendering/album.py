"""The pictures that can be rendered: each a function that builds its scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Planned:
    id: str
    seed: int
    size: tuple[int, int]
    build: Callable[[int], None]
    """Takes the seed, so that what is scattered falls the same way each time."""


planned: dict[str, Planned] = {}


def picture(
    id: str, seed: int, size: tuple[int, int] = (512, 512)
) -> Callable[[Callable[[int], None]], Callable[[int], None]]:
    def register(build: Callable[[int], None]) -> Callable[[int], None]:
        planned[id] = Planned(id, seed, size, build)
        return build

    return register
