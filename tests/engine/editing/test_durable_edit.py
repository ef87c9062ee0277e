"""The durable edit on a disk that takes its time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from convergebench.engine import Plan, RunOutcome, run_plan
from convergebench.errors import DiskFull
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.store.pictures import PictureFolder, disk_full
from convergebench.types import Case, Edited, EditRequest
from scripted import Scripted


class SlowDisk(PictureFolder):
    """Keeps only so many pictures, each when it may be written."""

    def __init__(self, folder: Path, room: int, may_write: threading.Semaphore) -> None:
        super().__init__(folder)
        self._room = room
        self._may_write = may_write

    def put_all(self, pictures: Sequence[Picture]) -> list[Exception | None]:
        return [self._put_one(picture) for picture in pictures]

    def _put_one(self, picture: Picture) -> Exception | None:
        assert self._may_write.acquire(timeout=60)
        if self._room == 0:
            return disk_full(self.place)
        self._room -= 1
        return super().put_all([picture])[0]


def run(
    workspace: Workspace, editor: Scripted, case: Case, may_write: threading.Semaphore, room: int = 100
) -> RunOutcome:
    workspace.pictures = SlowDisk(Path(workspace.pictures.place), room, may_write)
    plan = Plan("tiny@0", round_trip(2), (case,), (editor,), (0,))
    number = workspace.start_run({}, "test")
    return asyncio.run(run_plan(plan, workspace, MetricSet(["psnr"]), run=number))


def test_the_next_edit_begins_while_the_last_picture_is_written_and_no_further(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    on_record: list[int] = []
    may_write = threading.Semaphore(1)  # the source

    def look(number: int, request: EditRequest) -> Edited | None:
        on_record.append(len(workspace.steps(1)))
        if len(on_record) > 1:  # the picture before this edit is written only now
            may_write.release(2 if len(on_record) == 4 else 1)
        return None

    assert run(workspace, Scripted(look), make_case(), may_write).complete == 1
    assert on_record == [0, 0, 1, 2]
    assert [step.position for step in workspace.steps(1)] == [0, 1, 2, 3]


def test_a_picture_that_finds_no_room_is_not_on_record_and_ends_the_run(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    editor = Scripted()
    with pytest.raises(DiskFull, match="Free some space"):
        run(workspace, editor, make_case(), threading.Semaphore(100), room=2)  # the source and the first edit
    assert [step.position for step in workspace.steps(1)] == [0]
    assert len(editor.requests) == 3
