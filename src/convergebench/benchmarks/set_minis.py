"""Four small sets in the form of published ones, drawn by this program: anybody can run them at once.

They show that everything works and say nothing about a model. Each is written to the cache in its set's own
layout and read by that set's own reader.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from convergebench.benchmarks import set_edival
from convergebench.benchmarks._set_files import SetFiles
from convergebench.benchmarks._set_suite import Entry, load_set
from convergebench.packaged_files import cache_folder
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._picture_files import write_once
from convergebench.suites.drawn.tabletop_scenes import SCENES, TableScene
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Pixels, Suite

VERSION = "1"
_TURNS = 20
_OBJECTS = ("a potted plant", "a cat", "a book", "a coffee cup", "a dog", "an umbrella", "a chair")


def write_png(place: Path, draw: Callable[[], Pixels]) -> None:
    if not place.is_file():
        from convergebench.picture.stable_png import stable_png

        write_once(place, stable_png(draw()))


def write_edival(folder: Path) -> None:
    """Sessions of 20 turns: something is added, and what was added before the last is removed again."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["image_index", "turns", "task_type", "instructions"])
    for number, scene in enumerate(SCENES):
        write_png(folder / "input_images_resize_512" / f"{number}_input_raw.png", scene.draw)
        turns = list(_long_session(number))
        for length in range(1, _TURNS + 1):
            tasks, instructions = zip(*turns[:length], strict=True)
            table.writerow([number, length, list(tasks), list(instructions)])
    write_once(folder / set_edival.TABLE, out.getvalue().encode())


def _long_session(first: int) -> Iterator[tuple[str, str]]:
    """
    >>> [instruction for _, instruction in _long_session(0)][:3]
    ['Add a potted plant to the scene.', 'Add a cat to the scene.', 'Remove the potted plant from the scene.']
    """
    things = [_OBJECTS[(first + place) % len(_OBJECTS)] for place in range(_TURNS)]
    yield "subject_add", f"Add {things[0]} to the scene."
    for place in range(1, _TURNS // 2):
        yield "subject_add", f"Add {things[place]} to the scene."
        yield "subject_remove", f"Remove the {things[place - 1].partition(' ')[2]} from the scene."
    yield "subject_remove", f"Remove the {things[_TURNS // 2 - 1].partition(' ')[2]} from the scene."


def _mini(
    of: str,
    summary: str,
    write: Callable[[Path], None],
    read: Callable[[SetFiles], Iterator[Entry]],
    *,
    cases: int,
    turns: int | None = None,
    pictures: int = len(SCENES),
) -> SuiteInfo:
    name = f"{of}-mini"

    def load(_: OnPackage, *, sampling: Sampling = EVERY_CASE) -> Suite:
        folder = cache_folder() / f"{name}-{VERSION}"
        write(folder)
        return load_set(name, folder, read, f"the layout of {of}", sampling)

    text = f"{summary}, drawn by this program; works without a network"
    return SuiteInfo(name, VERSION, text, pictures, cases, load, turns=turns)


SUITES = (
    _mini(
        set_edival.NAME,
        f"sessions of {_TURNS} turns in the form of EdiVal",
        write_edival,
        set_edival.read,
        cases=len(SCENES),
        turns=_TURNS * len(SCENES),
    ),
)

__all__ = ["SUITES", "TableScene", "write_edival", "write_png"]
