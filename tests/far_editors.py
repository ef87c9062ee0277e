"""Editors for replicas in other processes: they write down what they do, wait, and die when told to."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import Sequence
from pathlib import Path

from convergebench.editors._degradations import noise
from convergebench.picture import Picture
from convergebench.types import Edited, EditError, EditorFacts, EditRequest, Refused, Share


class Logged:
    """Adds noise by the step's seed, after `seconds`; each edit is a line of the log, with its process."""

    share = Share(cpus=0.5)

    def __init__(self, log: Path, name: str = "logged", seconds: float = 0.0) -> None:
        self.facts = EditorFacts(name, "1", {"sigma": 2.0}, price_usd=0.0)
        self._log = log
        self._seconds = seconds

    async def edit(self, request: EditRequest) -> Edited:
        await asyncio.sleep(self._seconds)
        self._meet(request)
        with self._log.open("a") as log:
            log.write(f"{os.getpid()} {request.seed}\n")
        made = noise(request.image.pixels, seed=request.seed, sigma=2.0)
        return Edited(Picture.from_pixels(made), cost_usd=0.0)

    async def close(self) -> None:
        pass

    def _meet(self, request: EditRequest) -> None:
        pass


class Deadly(Logged):
    """Ends its process at its first edits, so many times in all."""

    def __init__(self, log: Path, deaths: int) -> None:
        super().__init__(log)
        self._deaths = deaths

    def _meet(self, request: EditRequest) -> None:
        for number in range(self._deaths):
            try:
                self._log.with_name(f"death{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)


class DeadlyOnce(Logged):
    """Ends its process whenever it meets one case."""

    def _meet(self, request: EditRequest) -> None:
        if request.context is not None and request.context.case.startswith("bad"):
            os.kill(os.getpid(), signal.SIGKILL)


class Picky(Logged):
    """Refuses one case, breaks on another."""

    def _meet(self, request: EditRequest) -> None:
        assert request.context is not None
        if request.context.case.startswith("refused"):
            raise Refused("not this one")
        if request.context.case.startswith("broken"):
            raise ZeroDivisionError("in the model")


class InBatches(Logged):
    """The same in batches; a line of the log for each batch, with its size."""

    batch_size = 4

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        with self._log.open("a") as log:
            log.write(f"{len(requests)}\n")
        await asyncio.sleep(0.05)
        pixels = [noise(request.image.pixels, seed=request.seed, sigma=2.0) for request in requests]
        return [Edited(Picture.from_pixels(made), cost_usd=0.0) for made in pixels]


class OnTwoGpus(Logged):
    """Takes a GPU to itself, by name. Two of them begin together, and go on from the twelfth edit when `lost`
    beside the log says that one has gone."""

    share = Share(gpus=1.0)

    async def edit(self, request: EditRequest) -> Edited:
        self._log.with_name(f"here-{os.getpid()}").touch()
        while len(list(self._log.parent.glob("here-*"))) < 2 or (  # noqa: ASYNC110 - of two processes
            self._edits() >= 12 and not self._log.with_name("lost").exists()
        ):
            await asyncio.sleep(0.01)
        return await super().edit(request)

    def _edits(self) -> int:
        return self._log.read_text().count("\n") if self._log.exists() else 0


class Huge(Logged):
    """Needs more than any machine has."""

    share = Share(cpus=10_000.0)


class Cramped(Logged):
    """Its process cannot write large files, as on a full disk; the driver's still can."""

    most_bytes = 400_000

    def __init__(self, log: Path, driver: int) -> None:
        super().__init__(log)
        if os.getpid() != driver:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.most_bytes, resource.RLIM_INFINITY))


def another_one(log: Path) -> Logged:
    """What a node with another version of the model has."""
    made = Logged(log)
    made.facts = EditorFacts("logged", "2", {"sigma": 2.0}, price_usd=0.0)
    return made
