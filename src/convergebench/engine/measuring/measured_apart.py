"""Measuring on a GPU in processes of its own.

Hundreds of small calls make one batch, and each waits for Python's lock while other threads encode and store
pictures. Until those processes have loaded, a run measures on the processor.
"""

from __future__ import annotations

import itertools
import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from convergebench.engine.measuring.gpu_sharing import GpuSharing
from convergebench.engine.measuring.items import Item, Kind, pictures_of
from convergebench.engine.measuring.measurement_queue import Measurer, Row
from convergebench.engine.measuring.measuring_process import MeasuringProcess, ProcessGone
from convergebench.engine.measuring.process_messages import Setup
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.lru_cache import LruCache
from convergebench.metrics.metric_set import BATCH, cores
from convergebench.store import MeasurementKey
from convergebench.types import Digest

START_SECONDS = 1.0
"""What the processor measures in this time is measured sooner without another process that loads."""
SWITCH_SECONDS = 0.0005
"""How long a thread of the run keeps Python's lock if others want it. With the usual 5 ms, threads that
encode pictures wait half of their time for those that read and record measurements."""
SOURCES_KNOWN = 4096

_log = logging.getLogger("convergebench")


class MeasuringProcesses:
    """Equal processes. All that belongs to a source goes to one of them, which knows the footprints of its
    chains. Safe to share between threads."""

    def __init__(
        self,
        setup: Setup,
        count: int,
        share: Callable[[], GpuSharing | None] = lambda: None,
        fitting: Callable[[], int] | None = None,
    ) -> None:
        """`fitting` says how many the GPU has memory for, which may be none; it and `share` are called before
        the first is started, since few results need none."""
        self._count = count
        self._setup = setup
        self._share = share
        self._fitting = fitting
        self._sharing: GpuSharing | None = None
        self._starting = threading.Lock()
        self.started: list[MeasuringProcess] = []
        self._assigned: LruCache[tuple[Digest, int], MeasuringProcess] = LruCache(count=SOURCES_KNOWN)
        self._turn = itertools.count()
        self._begun: float | None = None

    @property
    def has_loaded(self) -> bool:
        """Whether one of them has."""
        return any(each.settled.is_set() and each.reason is None for each in self.started)

    def try_start(self) -> bool:
        """Start what pays; whether the first has loaded, or failed. Until then the processor measures, and
        loading takes its time, too: the others are started when the first has loaded, and that one not for a
        few results."""
        with self._starting:
            self._begun = self._begun or time.monotonic()
            if time.monotonic() - self._begun >= START_SECONDS:
                self._start(1)
            first = self.started[0] if self.started else None
            if first is None or not first.settled.is_set():
                return False
            if first.reason is None:
                self._start(self._count)
            return not self._restarted_alone(1)

    def wait_until_loaded(self) -> None:
        """All of them."""
        with self._starting:
            self._start(self._count)
            self._wait()
            if self._restarted_alone(self._count):
                self._wait()

    def _wait(self) -> None:
        for process in self.started:
            process.settled.wait()

    def divided(self, items: Sequence[Item]) -> dict[MeasuringProcess | None, list[Item]]:
        """By process; None if all have failed."""
        able = [each for each in self.started if each.settled.is_set() and each.reason is None]
        divided: dict[MeasuringProcess | None, list[Item]] = {}
        for item in items:
            divided.setdefault(self._of(item[0].digest, able), []).append(item)
        return divided

    def _start(self, count: int) -> None:
        sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))
        if not self.started and self._count:
            self._count = min(self._count, self._fitting()) if self._fitting else self._count
            if not self._count:
                _log.warning("too little memory of the GPU is free to measure there; the processor measures")
            self._sharing = self._share() if self._count > 1 else None
        environment = self._sharing.environment if self._sharing else {}
        # While the only one waits for the device, it can prepare another job.
        setup = self._setup if self._count > 1 else replace(self._setup, at_once=2)
        while len(self.started) < min(count, self._count):
            self.started.append(MeasuringProcess(setup, environment))

    def _restarted_alone(self, count: int) -> bool:
        """Whether so many were started again, without sharing, because none could load with it."""
        if self._sharing is None or any(each.reason is None for each in self.started):
            return False
        _log.warning("the GPU cannot be shared (%s); its processes take turns", self.started[0].reason)
        self._share = lambda: None
        self.started, self._assigned = [], LruCache(count=SOURCES_KNOWN)
        self._start(count)
        return True

    def _of(self, source: Digest, able: Sequence[MeasuringProcess]) -> MeasuringProcess | None:
        if not able:
            return None
        # Once one has loaded or failed, sources are assigned anew.
        return self._assigned.get((source, len(able)), lambda: able[next(self._turn) % len(able)])


class MeasuredApart:
    """Has items of one kind measured by the processes."""

    def __init__(
        self,
        kind: Kind,
        processes: MeasuringProcesses,
        meanwhile: Measurer[Any] | None,
        otherwise: Measurer[Any],
    ) -> None:
        """`meanwhile` measures until one has loaded, if it is given; `otherwise` what they could not."""
        self.processes = processes
        self._kind = kind
        self._meanwhile = meanwhile
        self._otherwise = otherwise

    def lacks(self, item: Item, known: Mapping[MeasurementKey, bool]) -> bool:
        return (self._meanwhile or self._otherwise).lacks(item, known)

    def measure(self, items: Sequence[Item]) -> list[Row]:
        if self._meanwhile is None:
            self.processes.wait_until_loaded()
        elif not self.processes.try_start():
            return self._meanwhile.measure(items)
        readable, left = _divided_by(_are_readable(items), items)
        divided = self.processes.divided(readable)
        left += divided.pop(None, [])
        submitted = [
            (part, process.submit(self._kind, part))
            for process, part in divided.items()
            if process is not None
        ]
        rows: list[Row] = []
        for part, futures in submitted:
            try:
                rows += [row for future in futures for row in future.result()]
            except ProcessGone as error:
                _log.warning("a process that measures on the GPU failed (%s); this one goes on", error)
                left += part
        return rows + (self._otherwise.measure(left) if left else [])


def _divided_by(answers: Sequence[bool], items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    both = list(zip(answers, items, strict=True))
    return [item for answer, item in both if answer], [item for answer, item in both if not answer]


def _are_readable(items: Sequence[Item]) -> list[bool]:
    """Pictures that are only stored yet are decoded on all cores."""
    if all(picture.is_decoded for item in items for picture in pictures_of(item)):
        return [True] * len(items)
    return list(cores().map(_is_readable, items))


def _is_readable(item: Item) -> bool:
    try:
        for picture in pictures_of(item):
            _ = picture.pixels
    except (BadPicture, WorkspaceError):
        return False
    return True


class OnCores:
    """Divides large batches among the processor's cores."""

    def __init__(self, measurer: Measurer[Any]) -> None:
        self.lacks = measurer.lacks
        self._measurer = measurer

    def measure(self, items: Sequence[Any]) -> list[Row]:
        step = max(1, min(BATCH, math.ceil(len(items) / (os.cpu_count() or 1))))
        parts = [items[start : start + step] for start in range(0, len(items), step)]
        return [row for rows in cores().map(self._measurer.measure, parts) for row in rows]
