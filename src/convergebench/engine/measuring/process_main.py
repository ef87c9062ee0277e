"""A measuring process: `python -m convergebench.engine.measuring.process_main SOCKET ROOM`."""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from logging.handlers import QueueHandler

import numpy as np

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, Item, Kind, PicturePair, opened
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.measuring.picture_passing import Channel, SeenRoom, received
from convergebench.engine.measuring.process_messages import Job, Measured, PictureMessage, Ready, Setup
from convergebench.metrics import MetricSet
from convergebench.metrics._device import uses_cuda
from convergebench.metrics._gpu.pictures import pin
from convergebench.metrics._gpu.waiting import wait_asleep
from convergebench.picture import Picture
from convergebench.store.picture_location import open_pictures
from convergebench.types import Digest, PictureFacts, Pixels


def main() -> None:
    wait_asleep()
    end, room = map(int, sys.argv[1:])
    channel = Channel(socket.socket(fileno=end))
    logging.getLogger("convergebench").addHandler(_LogSender(channel))
    logging.getLogger("convergebench").propagate = False
    try:
        setup, _ = channel.receive()
        MeasuringWorker(setup, channel, room).serve()
    except (EOFError, OSError):
        pass  # the run has ended
    os._exit(0)  # nothing here is worth waiting for


class _LogSender(QueueHandler):
    """Sends log records to the run."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)  # type: ignore[arg-type]
        self._channel = channel

    def enqueue(self, record: logging.LogRecord) -> None:
        self._channel.send(record)


class MeasuringWorker:
    def __init__(self, setup: Setup, channel: Channel, room: int) -> None:
        self._channel = channel
        self._released: deque[int] = deque()
        self._room = SeenRoom(room, self._released.append)
        self._kinds = setup.kinds
        self._store = open_pictures(setup.place)
        self._metric_set = MetricSet(setup.metrics, setup.options)
        self._measurers = Measurers.here(self._metric_set, self._store)
        self._threads = ThreadPoolExecutor(setup.at_once, thread_name_prefix="measure")
        self._pictures: dict[Digest, Picture] = {}

    def serve(self) -> None:
        """Until the run ends."""
        self._threads.submit(self._prepare)
        while True:
            message, descriptor = self._channel.receive()
            if isinstance(message, PictureMessage):
                assert descriptor is not None
                self._add(message.facts, received(descriptor, message.facts))
            else:
                self._begin(message)

    def _prepare(self) -> None:
        """Kernels are compiled for their first pictures, which takes long on a new machine."""
        reason, is_pinned = None, False
        options = self._metric_set.options
        try:
            if options.device == "auto" and not uses_cuda(options):
                reason = "torch finds no CUDA device here"
            else:
                if uses_cuda(options):
                    is_pinned = pin(self._room.memory)
                for kind in self._kinds:
                    self._measurers.by_kind[kind].measure(made_items(kind))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        gc.freeze()  # what was loaded stays, and is large to search for garbage
        self._channel.send(Ready(reason, is_pinned))

    def _add(self, facts: PictureFacts, pixels: Pixels) -> None:
        self._pictures[facts.digest] = Picture(facts, pixels=pixels)

    def _begin(self, job: Job) -> None:
        for facts, at in job.placed:
            self._add(facts, self._room.pixels(at, facts))
        items = [opened(item, self._picture) for item in job.items]
        for digest in job.forget:
            self._pictures.pop(digest, None)
        self._threads.submit(self._measure, job, items)

    def _picture(self, facts: PictureFacts) -> Picture:
        return self._pictures.get(facts.digest) or self._store.open(facts)

    def _measure(self, job: Job, items: list[Item]) -> None:
        rows: list[Row] | Exception
        try:
            rows = self._measurers.by_kind[job.kind].measure(items)
        except Exception as error:
            rows = RuntimeError(f"{type(error).__name__}: {error}")
        items.clear()
        released = [self._released.popleft() for _ in range(len(self._released))]
        self._channel.send(Measured(job.number, rows, released))


def made_items(kind: Kind) -> list[Item]:
    """What a batch of this kind may contain, of made pictures."""
    random = np.random.default_rng(0)
    one, other = (Picture.from_pixels(random.integers(0, 256, (512, 512, 3), np.uint8)) for _ in range(2))
    if kind == "regions":
        return [
            ForwardPicture(one, one, other, "", "", Digest("")),
            ChainReturn(one, one, other, other, "", Digest(""), ()),
        ]
    return [PicturePair(one, other)] * 2


if __name__ == "__main__":
    main()
