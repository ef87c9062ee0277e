"""Four small sets in the form of published ones, drawn by this program: anybody can run them at once.

They show that everything works and say nothing about a model. Each is written to the cache in its set's own
layout and read by that set's own reader.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

from convergebench.benchmarks import set_do_undo, set_edival, set_imgedit, set_magicbrush
from convergebench.benchmarks._set_files import SetFiles
from convergebench.benchmarks._set_suite import Entry, load_set
from convergebench.packaged_files import cache_folder
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._picture_files import draw_once, write_once
from convergebench.suites.drawn.tabletop_scenes import SCENES, TableScene
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Pixels, Suite

VERSION = "1"
_TURNS = 20
_OBJECTS = ("a potted plant", "a cat", "a book", "a coffee cup", "a dog", "an umbrella", "a chair")


@lru_cache(len(SCENES) + 4)
def _drawn(scene: TableScene) -> Pixels:
    """The sets share scenes, and masks are differences of scenes; drawing one takes longest."""
    return scene.draw()


def write_edival(folder: Path) -> None:
    """Sessions of 20 turns: something is added, and what was added before the last is removed again."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["image_index", "turns", "task_type", "instructions"])
    for number, scene in enumerate(SCENES):
        draw_once(folder / "input_images_resize_512" / f"{number}_input_raw.png", partial(_drawn, scene))
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


_SINGLE = (
    ("add", "Add a red ball to the scene."), ("add", "Add a cat to the scene."),
    ("remove", "Remove the {colour} {shape}."), ("adjust", "Make the {colour} {shape} pink."),
    ("background", "Paint the wall behind the table dark blue."), ("style", "Turn it into a watercolour."),
    ("replace", "Replace the {colour} {shape} with a pear."), ("adjust", "Make the image brighter."),
)  # fmt: skip


def write_imgedit(folder: Path) -> None:
    """A single edit of each scene."""
    listed = {}
    for number, (scene, (kind, prompt)) in enumerate(zip(SCENES, _SINGLE, strict=True)):
        picture = f"table/{number:09}.png"
        draw_once(folder / "singleturn" / picture, partial(_drawn, scene))
        shape, colour, *_ = scene.things[0]
        asked = prompt.format(colour=colour, shape=shape)
        listed[str(100 + number)] = {"id": picture, "prompt": asked, "edit_type": kind}
    write_once(folder / set_imgedit.BASIC, json.dumps(listed, indent=1).encode())


def write_magicbrush(folder: Path) -> None:
    """Sessions of three turns whose every result was drawn: one thing goes, one comes, one changes colour."""
    sessions = {}
    for number, scene in enumerate(SCENES[:5]):
        shape, colour, *_ = scene.things[0]
        gone = scene.without(0)
        added = gone.adding("ball", "red", -0.15, -0.45, 0.18)
        changed = added.recoloured(0, "yellow" if gone.things[0][1] != "yellow" else "green")
        other = gone.things[0]
        stages = (scene, gone, added, changed)
        asked = (
            f"Remove the {colour} {shape}.",
            "Add a red ball to the scene.",
            f"Make the {other[1]} {other[0]} {changed.things[0][1]}.",
        )
        names = [f"{number}-input.png", *(f"{number}-output{turn}.png" for turn in (1, 2, 3))]
        place = folder / "images" / str(number)
        for name, stage in zip(names, stages, strict=True):
            draw_once(place / name, partial(_drawn, stage))
        for turn in (1, 2, 3):
            draw_once(place / f"{number}-mask{turn}.png", partial(_difference, *stages[turn - 1 : turn + 1]))
        sessions[str(number)] = [
            {"input": names[turn], "mask": f"{number}-mask{turn + 1}.png", "output": names[turn + 1],
             "instruction": asked[turn]}
            for turn in range(3)
        ]  # fmt: skip
    write_once(folder / set_magicbrush.SESSIONS, json.dumps(sessions, indent=1).encode())


def _difference(before: TableScene, after: TableScene) -> Pixels:
    """White where two scenes differ plainly, and somewhat around it."""
    import cv2
    import numpy as np

    change = np.abs(_drawn(before).astype(int) - _drawn(after)).max(axis=2) > 24
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (13, 13))
    opened = cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    mask = np.asarray(cv2.dilate(opened, disc) * 255, np.uint8)
    return np.repeat(mask[..., None], 3, axis=2)


def write_do_undo(folder: Path) -> None:
    """A thing is put on the table and taken away again, with both true frames."""
    rows = []
    for number, scene in enumerate(SCENES[:6]):
        frames = Path("P01") / "rgb_frames" / f"P01_{number:02}"
        after = scene.adding("ball", "red", -0.1, -0.5, 0.18)
        for frame, stage in ((10, scene), (90, after)):
            draw_once(folder / frames / f"frame_{frame:010}.jpg", partial(_drawn, stage))
        rows.append(
            {
                "narration_id": f"P01_{number:02}_1", "participant_id": "P01", "video_id": f"P01_{number:02}",
                "start_frame": 10, "stop_frame": 90, "narration": "put down ball", "verb_class": 1,
                "noun_class": 1, "forward_prompt": "Add a red ball to the scene.",
                "reverse_prompt": "Remove the red ball from the scene.",
            }
        )  # fmt: skip
    write_once(folder / set_do_undo.FILE, json.dumps(rows, indent=1).encode())


def _read_do_undo(files: SetFiles) -> Iterator[Entry]:
    return set_do_undo.read_with(files.root, files)


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
    _mini(
        "imgedit",
        "single edits in the form of ImgEdit",
        write_imgedit,
        set_imgedit.read_basic,
        cases=len(_SINGLE),
    ),
    _mini(
        set_magicbrush.NAME,
        "sessions with masks and true results in the form of MagicBrush",
        write_magicbrush,
        set_magicbrush.read,
        cases=5,
        turns=15,
        pictures=5,
    ),
    _mini(
        set_do_undo.NAME,
        "an edit and its undo with true pictures in the form of Do-Undo-Bench",
        write_do_undo,
        _read_do_undo,
        cases=6,
        turns=12,
        pictures=6,
    ),
)

__all__ = ["SUITES", "write_do_undo", "write_edival", "write_imgedit", "write_magicbrush"]
