"""The arrangements of the tabletop that the mini sets show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convergebench.suites.drawn.tabletop import Thing
    from convergebench.types import Pixels


@dataclass(frozen=True)
class TableScene:
    """Things on the table, as (shape, colour, x, z, size), before a wall of one colour."""

    things: tuple[tuple[str, str, float, float, float], ...]
    wall: tuple[float, float, float]
    seed: int

    def draw(self) -> Pixels:
        from convergebench.suites.drawn import tabletop

        things: list[Thing] = [tabletop.Thing(*thing) for thing in self.things]  # type: ignore[arg-type]
        return tabletop.draw(things, self.wall, self.seed)

    def without(self, place: int) -> TableScene:
        return replace(self, things=self.things[:place] + self.things[place + 1 :])

    def adding(self, shape: str, colour: str, x: float, z: float, size: float = 0.24) -> TableScene:
        return replace(self, things=(*self.things, (shape, colour, x, z, size)))

    def recoloured(self, place: int, colour: str) -> TableScene:
        shape, _, *rest = self.things[place]
        changed = (shape, colour, *rest)
        return replace(self, things=(*self.things[:place], changed, *self.things[place + 1 :]))  # type: ignore[arg-type]


_GREY, _CLAY, _SAGE, _SAND = (0.34, 0.40, 0.41), (0.45, 0.36, 0.30), (0.36, 0.42, 0.33), (0.50, 0.46, 0.36)

SCENES = tuple(
    TableScene(things, wall, seed)
    for seed, (wall, things) in enumerate(
        (
            (_GREY, (("ball", "red", -0.55, 0.0, 0.26), ("block", "blue", 0.45, 0.3, 0.26),
                     ("egg", "white", 0.1, -0.4, 0.2))),
            (_CLAY, (("block", "green", -0.7, 0.3, 0.26), ("ball", "yellow", 0.6, -0.1, 0.26))),
            (_SAGE, (("egg", "orange", -0.2, 0.1, 0.24), ("ball", "black", 0.55, 0.25, 0.22))),
            (_SAND, (("block", "white", 0.0, 0.35, 0.28), ("ball", "blue", -0.6, -0.2, 0.2),
                     ("ball", "green", 0.6, -0.3, 0.2))),
            (_GREY, (("block", "yellow", -0.45, 0.1, 0.22), ("egg", "red", 0.4, 0.0, 0.24))),
            (_CLAY, (("ball", "orange", 0.0, 0.2, 0.28), ("block", "black", 0.75, 0.3, 0.2))),
            (_SAND, (("egg", "green", -0.6, 0.2, 0.24), ("block", "red", 0.35, 0.3, 0.26))),
            (_SAGE, (("ball", "white", -0.3, -0.2, 0.22), ("egg", "blue", 0.5, 0.1, 0.24))),
        )
    )
)  # fmt: skip
