"""The drawn pictures: created by code in this project, so that they need no network and no licence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convergebench.types import Pixels


@dataclass(frozen=True)
class Drawing:
    id: str
    kind: str
    description: str
    module: str
    """A module of the package `drawn`; its function `draw` creates the pixels."""
    version: str = "1"
    """Increase this with every change of a pixel; the tests check the digests."""

    def draw(self) -> Pixels:
        draw: Callable[[], Pixels] = import_module(f"convergebench.suites.drawn.{self.module}").draw
        return draw()


DRAWINGS: tuple[Drawing, ...] = (
    Drawing("scene_beach", "scene", "A sandy beach at sunset, with surf and scattered clouds", "beach"),
    Drawing("scene_lake", "scene", "A mountain lake that mirrors the peaks, with firs on the shore", "lake"),
    Drawing("scene_room", "scene", "A sunlit room with a window, a wooden table and a rug", "room"),
    Drawing("scene_fruit", "scene", "Oranges and an apple on a wooden table before a plain wall", "fruit"),
)
