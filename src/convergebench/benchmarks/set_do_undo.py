"""Do-Undo-Bench: an action in a kitchen and its reverse, with the true frames before and after.

A case is a session of two turns. The protocol `session` reverses the model's own result; `independent`
reverses the true end frame, as the set's own program does; `round_trip` goes there and back several times.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import Entry, instruction_of, load_set, picked
from convergebench.errors import WrongUse
from convergebench.suites._hub import local_copy
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._lazy_pictures import LazyPicture
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Case, SessionTurn, Suite

NAME = "do-undo"
FILE = "annotations_test.json"
LAYOUT = f"Do-Undo-Bench's {FILE}, and your frames as <participant>/rgb_frames/<video>/frame_0000001810.jpg"
FORWARD, REVERSE = "forward", "reverse"


def read_with(frames: Path, files: SetFiles) -> Iterator[Entry]:
    for name in picked(files, FILE):
        for number, (key, fields) in enumerate(json_entries(files, name), start=1):
            label = key or (fields.get("narration_id") if isinstance(fields, dict) else "") or f"row {number}"
            yield f"case {label}", partial(_case, frames, fields)


def _case(frames: Path, fields: Any) -> Case:
    if not isinstance(fields, dict) or not fields.get("narration_id"):
        raise Unusable("it has no narration_id")
    id = str(fields["narration_id"])
    forward, reverse = (_prompt(fields, f"{one}_prompt") for one in (FORWARD, REVERSE))
    start, stop = (_frame(frames, fields, f"{one}_frame", f"{id}-{one}") for one in ("start", "stop"))
    turns = (
        SessionTurn(forward, FORWARD, target=stop),
        SessionTurn(reverse, REVERSE, start=stop, target=start),
    )
    hints = {"description": str(fields["narration"])} if fields.get("narration") else {}
    return Case(id, (start,), forward, reverse, pair="do_undo", category="action", hints=hints, turns=turns)


def _prompt(fields: dict[str, Any], name: str) -> str:
    try:
        return instruction_of(fields.get(name))
    except Unusable:
        raise Unusable(f"it has no {name}") from None


def _frame(frames: Path, fields: dict[str, Any], name: str, id: str) -> LazyPicture:
    try:
        number = int(fields[name])
    except (KeyError, TypeError, ValueError):
        raise Unusable(f"it has no {name}") from None
    folder = frames / str(fields.get("participant_id")) / "rgb_frames" / str(fields.get("video_id"))
    place = folder / f"frame_{number:010}.jpg"
    if not place.is_file():
        raise Unusable(f"there is no frame {place.relative_to(frames)}")
    return LazyPicture(id, lambda: place)


def load_do_undo(data: Path, frames: Path, sampling: Sampling = EVERY_CASE, name: str = NAME) -> Suite:
    return load_set(name, data, partial(read_with, frames), LAYOUT, sampling)


def _load(_: OnPackage, *, data: str = "", frames: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    place = local_copy(data or "doundo/doundobench", ("*.json",), f"give {LAYOUT}")
    root = Path(frames).expanduser() if frames else (place if place.is_dir() else place.parent)
    if not root.is_dir():
        raise WrongUse(f"there is no folder of frames {root}; name it as in {NAME}?data=FILE&frames=FOLDER")
    # Only the table: a folder of frames may hold millions of files.
    table = place if place.is_file() else place / FILE
    if not table.is_file():
        raise WrongUse(f"{place} holds no {FILE}; give {LAYOUT}")
    return load_do_undo(table, root, sampling)


SUITE = SuiteInfo(
    NAME,
    "1",
    "Do-Undo-Bench: an action and its reverse, with the true frames",
    None,
    None,
    _load,
    needs=f"{LAYOUT}; {NAME}?data=FILE&frames=FOLDER",
)
