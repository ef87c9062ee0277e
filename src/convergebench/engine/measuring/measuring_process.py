"""A process that measures on a GPU beside a run."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import IO

from convergebench.engine.measuring.items import Item, Kind, as_facts, pictures_of, pixels_in
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.engine.measuring.picture_passing import Channel, SharedRoom, shared_alone
from convergebench.engine.measuring.process_messages import Job, Measured, PictureMessage, Reply, Setup
from convergebench.picture import Picture
from convergebench.types import Digest

KEPT_BYTES = 256 * 2**20
"""Of pictures in that process: a source is compared with many others, a return is the next round's input."""
JOB_PIXELS = 128 * 2**20
ROOM_BYTES = KEPT_BYTES + 3 * 3 * JOB_PIXELS
"""For the pictures of three jobs beside those: while the process does one, others are passed to it. Where the
device reads the room itself, all of it is taken from the system; elsewhere only as far as it is used."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ProcessGone(Exception):
    """The process cannot measure, or has ended."""


class _Replies:
    """What the process said. A thread of its own waits for it."""

    def __init__(self, channel: Channel, room: SharedRoom, errors: IO[bytes]) -> None:
        self.settled = threading.Event()
        self.reason: str | None = None
        self._channel = channel
        self._room = room
        self._errors = errors
        self._jobs: dict[int, Future[Sequence[Row]]] = {}
        self._ending = threading.Lock()

    def expect(self, job: int) -> Future[Sequence[Row]]:
        with self._ending:
            if self.reason is not None:
                raise ProcessGone(self.reason)
            self._jobs[job] = Future()
            return self._jobs[job]

    def follow(self) -> None:
        try:
            while True:
                self._take(self._channel.receive()[0])
        except (EOFError, OSError):
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            self._end(said[-1] if said else "it ended")

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, logging.LogRecord):
            logging.getLogger(reply.name).handle(reply)
        elif isinstance(reply, Measured):
            self._settle(reply)
        elif reply.reason is not None:
            self._end(reply.reason)
        else:
            if reply.is_room_pinned:
                self._room.map_all()
            self.settled.set()

    def _settle(self, reply: Measured) -> None:
        self._room.release(reply.released)
        waiting = self._jobs.pop(reply.job)
        if isinstance(reply.rows, Exception):
            waiting.set_exception(ProcessGone(str(reply.rows)))
        else:
            waiting.set_result(reply.rows)

    def _end(self, reason: str) -> None:
        with self._ending:
            self.reason = self.reason or reason
            waiting = list(self._jobs.values())
            self._jobs.clear()
        self.settled.set()
        for each in waiting:
            each.set_exception(ProcessGone(self.reason))


class MeasuringProcess:
    """Killed with this object; it holds nothing that is worth keeping. Safe to share between threads."""

    def __init__(
        self, setup: Setup, environment: Mapping[str, str] | None = None, room_bytes: int = ROOM_BYTES
    ) -> None:
        """`environment`: variables beside those of this process."""
        self._room = SharedRoom(room_bytes)
        ours, theirs = socket.socketpair()
        passed = [theirs.fileno(), self._room.descriptor]
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        process = subprocess.Popen(
            [sys.executable, "-m", "convergebench.engine.measuring.process_main", *map(str, passed)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            pass_fds=passed, env={**_ONE_THREAD, **os.environ, **(environment or {})},
            start_new_session=True,  # an interrupt is for the run, which may still need its results
        )  # fmt: skip
        theirs.close()
        self._room.close()
        self._channel = Channel(ours)
        weakref.finalize(self, _end, process, self._channel)
        self._replies = _Replies(self._channel, self._room, errors)
        self._sending = threading.Lock()
        self._number = 0
        self._kept: dict[Digest, int] = {}
        """The bytes of the pictures that it has, the last used one last."""
        with contextlib.suppress(OSError):  # it has ended already, which the thread notices
            self._channel.send(setup)
        threading.Thread(target=self._replies.follow, name="replies", daemon=True).start()

    @property
    def settled(self) -> threading.Event:
        """Set when it has loaded, or failed."""
        return self._replies.settled

    @property
    def reason(self) -> str | None:
        """Why it cannot measure."""
        return self._replies.reason

    def submit(self, kind: Kind, items: Sequence[Item]) -> list[Future[Sequence[Row]]]:
        """Have items measured whose pixels are there. The futures raise ProcessGone if it fails."""
        return [self._submitted(kind, part) for part in _jobs(items)]

    def _submitted(self, kind: Kind, items: Sequence[Item]) -> Future[Sequence[Row]]:
        try:
            return self._send(kind, items)
        except (ProcessGone, OSError) as error:
            failed: Future[Sequence[Row]] = Future()
            failed.set_exception(ProcessGone(str(error)))
            return failed

    def _send(self, kind: Kind, items: Sequence[Item]) -> Future[Sequence[Row]]:
        pictures = {picture.digest: picture for item in items for picture in pictures_of(item)}
        with self._sending:  # the jobs of two kinds often have the same pictures, which are then sent once
            self._number += 1
            expected = self._replies.expect(self._number)
            with contextlib.suppress(ConnectionError):  # it has ended; the future will say why
                self._send_job(kind, items, pictures)
        return expected

    def _send_job(self, kind: Kind, items: Sequence[Item], pictures: Mapping[Digest, Picture]) -> None:
        lacking = [picture for digest, picture in pictures.items() if digest not in self._kept]
        placed = []
        places = self._room.place([picture.pixels for picture in lacking])
        for picture, at in zip(lacking, places, strict=True):
            if at is not None:
                placed.append((picture.facts, at))
            else:
                with shared_alone(picture.pixels) as descriptor:
                    self._channel.send(PictureMessage(picture.facts), descriptor)
        forgotten = self._forgotten(pictures)
        self._channel.send(Job(self._number, kind, [as_facts(item) for item in items], placed, forgotten))

    def _forgotten(self, pictures: Mapping[Digest, Picture]) -> list[Digest]:
        """The pictures that make room for these, which are being sent."""
        for digest, picture in pictures.items():
            self._kept.pop(digest, None)
            self._kept[digest] = picture.pixels.nbytes
        forgotten: list[Digest] = []
        excess = sum(self._kept.values()) - KEPT_BYTES
        for digest, size in self._kept.items():
            if excess <= 0:
                break
            if digest not in pictures:
                forgotten.append(digest)
                excess -= size
        for digest in forgotten:
            del self._kept[digest]
        return forgotten


def _jobs(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    start = pixels = 0
    for place, item in enumerate(items):
        if pixels and pixels + pixels_in(item) > JOB_PIXELS:
            yield items[start:place]
            start, pixels = place, 0
        pixels += pixels_in(item)
    yield items[start:]


def _end(process: subprocess.Popen[bytes], channel: Channel) -> None:
    channel.close()
    process.kill()
    process.wait()
