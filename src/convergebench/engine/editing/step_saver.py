"""Saves steps on threads, in groups."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
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
    """Saves the steps of many trajectories. A writer takes its share of all that wait, and reports once for
    all of them: every change from one thread to another takes as long as saving a step.

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
        with self._changing:
            self._waiting.append(unsaved)
            is_served = self._writers == self._workspace.pictures.writers
            self._writers += not is_served
        if not is_served:
            loop.run_in_executor(None, self._write_all, loop)
        return unsaved.saved

    def _write_all(self, loop: asyncio.AbstractEventLoop) -> None:
        while group := self._next_group():
            loop.call_soon_threadsafe(_settle, group, self._write(group))

    def _next_group(self) -> list[UnsavedStep]:
        """An even share of what waits; if there is nothing, the writer has ended."""
        with self._changing:
            share = -(-len(self._waiting) // self._writers)
            self._writers -= not share
            return [self._waiting.popleft() for _ in range(share)]

    def _write(self, group: Sequence[UnsavedStep]) -> list[BaseException | None]:
        """The error of each; one that cannot be saved does not affect the others."""
        written = [self._begin(one) for one in group]
        return [one if isinstance(one, Exception) else one.exception() for one in written]

    def _begin(self, unsaved: UnsavedStep) -> Future[None] | Exception:
        try:
            if unsaved.picture is not None:
                self._workspace.pictures.put(unsaved.picture)
            return self._workspace.record_step(unsaved.trajectory, unsaved.run, unsaved.step)
        except Exception as error:
            return error


def _settle(group: Sequence[UnsavedStep], errors: Sequence[BaseException | None]) -> None:
    for unsaved, error in zip(group, errors, strict=True):
        if unsaved.saved.done():
            continue  # the trajectory was cancelled
        if error is None:
            unsaved.saved.set_result(None)
        else:
            unsaved.saved.set_exception(error)
