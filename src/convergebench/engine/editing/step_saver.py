"""Saves steps on threads, in groups."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Step


class UnsavedStep(NamedTuple):
    trajectory: int
    run: int
    step: Step
    picture: Picture | None
    saved: asyncio.Future[None]


class StepSaver:
    """Saves the steps of many trajectories. What comes in one turn of the event loop, or while others are
    written, is one group: every change from one thread to another takes as long as saving a step.

    A step that was handed over is saved, also if nobody waits for it any more.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._waiting: deque[UnsavedStep] = deque()
        self._writers = 0
        self._changing = threading.Lock()

    def save(self, trajectory: int, run: int, step: Step, picture: Picture | None) -> asyncio.Future[None]:
        """Done when the picture and then the row are on the disk."""
        loop = asyncio.get_running_loop()
        unsaved = UnsavedStep(trajectory, run, step, picture, loop.create_future())
        with self._changing:  # or the last writer could end between the look and the append
            is_first = not self._waiting
            self._waiting.append(unsaved)
        if is_first:
            loop.call_soon(self._start_writers, loop)
        return unsaved.saved

    def _start_writers(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._changing:
            started = min(len(self._waiting), self._workspace.pictures.writers - self._writers)
            self._writers += started
        for _ in range(started):
            loop.run_in_executor(None, self._write_all, loop)

    def _write_all(self, loop: asyncio.AbstractEventLoop) -> None:
        while group := self._next_group():
            try:
                self._write(group, loop)
            except Exception as error:
                _report(group, error, loop)

    def _next_group(self) -> list[UnsavedStep]:
        """An even share of what waits; if there is nothing, the writer has ended."""
        with self._changing:
            share = -(-len(self._waiting) // self._writers)
            self._writers -= not share
            return [self._waiting.popleft() for _ in range(share)]

    def _write(self, group: Sequence[UnsavedStep], loop: asyncio.AbstractEventLoop) -> None:
        """One that cannot be saved does not affect the others."""
        pictures = [one.picture for one in group if one.picture is not None]
        errors = iter(self._workspace.pictures.put_all(pictures))
        stored: list[UnsavedStep] = []
        for unsaved in group:
            error = None if unsaved.picture is None else next(errors)
            if error is None:
                stored.append(unsaved)
            else:
                _report([unsaved], error, loop)
        self._record(stored, loop)

    def _record(self, group: Sequence[UnsavedStep], loop: asyncio.AbstractEventLoop) -> None:
        """All together or, if that fails, each on its own."""

        def recorded(error: BaseException | None) -> None:
            if error is None or len(group) == 1:
                _report(group, error, loop)
                return
            for one in group:
                self._record([one], loop)

        if not group:
            return
        try:
            recording = self._workspace.record_steps([(one.trajectory, one.run, one.step) for one in group])
        except Exception as error:
            recorded(error)
        else:
            recording.add_done_callback(lambda done: recorded(done.exception()))


def _report(
    group: Sequence[UnsavedStep], error: BaseException | None, loop: asyncio.AbstractEventLoop
) -> None:
    with contextlib.suppress(RuntimeError):  # the loop was closed, as after a second interrupt
        loop.call_soon_threadsafe(_settle, group, error)


def _settle(group: Sequence[UnsavedStep], error: BaseException | None) -> None:
    for unsaved in group:
        if unsaved.saved.done():
            continue  # the trajectory was cancelled
        if error is None:
            unsaved.saved.set_result(None)
        else:
            unsaved.saved.set_exception(error)
