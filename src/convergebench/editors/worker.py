"""Models that need an environment of their own: each runs in a process that is started with its Python.

`worker:ADAPTER?python=/path/to/env/bin/python`: ADAPTER is one of ours (see `workers/adapters`) or the path
of your own file with `load` and `edit`, which runs in this Python unless another is named. `replicas` starts
as many processes; `timeout` is for one edit, in seconds; `repo` goes to the front of the model's import path.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

from convergebench.atomic_files import new_temporary_folder
from convergebench.editors._exchange import hand_over, only_picture, take_back
from convergebench.editors._file_version import version_with
from convergebench.editors._settings import without_settings
from convergebench.editors._worker_models import PRESETS, Interpreter, defaults_of
from convergebench.editors._worker_process import WorkerGone, WorkerPlan, WorkerProcess
from convergebench.editors.registry import provider
from convergebench.errors import WrongUse
from convergebench.types import (
    Edited,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Parameter,
    Refused,
    Share,
    Unavailable,
)

log = logging.getLogger("convergebench")

ADAPTERS = Path(__file__).with_name("workers") / "adapters"
START_SECONDS = 1800.0
"""For loading the model: weights may come over a network."""
MOST_RESTARTS = 3
"""For one edit: a picture that ends the worker four times is expected to do so again."""
MOST_ENDS_IN_A_ROW = 2 * (MOST_RESTARTS + 1)
"""Consecutive failures without a finished edit: then the pictures are not the cause."""
_SETTINGS = ("python", "replicas", "timeout", "repo")


@provider(
    "worker",
    summary="a model in a process with its own Python environment",
    version="1",
    price_usd=0.0,
    presets=PRESETS,
    parameters={"python": "", "replicas": 1, "timeout": 600.0},
)
def worker(facts: EditorFacts) -> WorkerEditor:
    adapter = _adapter_file(str(facts.parameters["model"]))
    defaults = defaults_of(str(facts.parameters["model"]))
    parameters: dict[str, Parameter] = {**defaults, **facts.parameters}
    replicas = int(parameters["replicas"])
    if replicas < 1:
        raise WrongUse(f"{facts.name}: replicas must be at least 1")
    plan = WorkerPlan(
        _python_for(adapter, str(parameters["python"]), needs_its_own=bool(defaults)),
        adapter,
        {key: value for key, value in parameters.items() if key == "repo" or key not in _SETTINGS},
        START_SECONDS,
        float(parameters["timeout"]),
    )
    known_as = without_settings(replace(facts, parameters=parameters), *_SETTINGS)
    if adapter.parent != ADAPTERS:
        known_as = version_with(known_as, adapter)
    # A separate lane: further requests would only wait inside, with the clock running.
    lane = replace(known_as, provider=f"worker {known_as.name}", at_once=replicas)
    return WorkerEditor(lane, plan, replicas)


def _adapter_file(model: str) -> Path:
    built_in = ADAPTERS / f"{model}.py"
    if model.isidentifier() and built_in.is_file():
        return built_in
    path = Path(model).expanduser().absolute()
    if path.suffix == ".py":
        if not path.is_file():
            raise WrongUse(f"there is no file {path}; give the path of an adapter")
        return path
    known = ", ".join(sorted(file.stem for file in ADAPTERS.glob("[a-z]*.py")))
    raise WrongUse(f"unknown adapter {model}; write the path of a .py file, or one of {known}")


def _python_for(adapter: Path, chosen: str, *, needs_its_own: bool) -> Path:
    need = Interpreter(adapter.stem)
    python = chosen or os.environ.get(need.variable, "")
    if not python:
        if needs_its_own:
            raise WrongUse(str(need.missing()))
        return Path(sys.executable)
    path = Path(python).expanduser().absolute()
    if not os.access(path, os.X_OK) or path.is_dir():
        raise WrongUse(
            f"{path} is not a Python interpreter for {adapter.stem}; give an environment's bin/python"
        )
    return path


class WorkerReplica:
    """A slot for one process. Its start is a separate task, which continues if the caller stops waiting."""

    def __init__(self, plan: WorkerPlan, number: int) -> None:
        self._plan = plan
        self._number = number
        self._start: asyncio.Task[WorkerProcess] | None = None
        self._folder: Path | None = None
        self._has_trouble = False

    @property
    def folder(self) -> Path:
        """A private folder for pictures and log, created on first use."""
        if self._folder is None:
            self._folder = new_temporary_folder("worker")
        return self._folder

    @property
    def before(self) -> Path:
        return self.folder / "before.png"

    @property
    def after(self) -> Path:
        return self.folder / "after.png"

    @property
    def log_file(self) -> Path:
        return self.folder / "stderr.log"

    async def process(self) -> WorkerProcess:
        if self._start is None:
            self._start = asyncio.create_task(WorkerProcess.start(self._plan, self._number, self.log_file))
        return await asyncio.shield(self._start)

    async def stop(self) -> None:
        start, self._start = self._start, None
        if start is None:
            return
        start.cancel()
        with contextlib.suppress(asyncio.CancelledError, WorkerGone):
            await (await start).stop()

    async def give_up(self, trouble: WorkerGone) -> None:
        """Stop the process; another one is started on the next request."""
        self._has_trouble = True
        log.info("the worker %s; its log is %s", trouble, self.log_file)
        await self.stop()

    async def close(self) -> None:
        """Stop permanently. The log is kept if there were problems."""
        await self.stop()
        if self._has_trouble:
            self.before.unlink(missing_ok=True)
            self.after.unlink(missing_ok=True)
        elif self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


class WorkerEditor:
    """Assigns a free replica to each edit. A replica that ends or hangs is restarted when it is next
    needed."""

    def __init__(self, facts: EditorFacts, plan: WorkerPlan, replicas: int) -> None:
        self.facts = facts
        self.share = Share(gpus=replicas)
        self._plan = plan
        self._replicas = [WorkerReplica(plan, number) for number in range(replicas)]
        self._free: asyncio.Queue[WorkerReplica] = asyncio.Queue()
        for replica in self._replicas:
            self._free.put_nowait(replica)
        self._ends: WeakKeyDictionary[EditRequest, int] = WeakKeyDictionary()
        self._ends_in_a_row = 0
        self._has_started = False
        self._given_up: str | None = None

    async def edit(self, request: EditRequest) -> Edited:
        only_picture(request)
        if self._ends.get(request, 0) > MOST_RESTARTS:
            raise Unavailable(f"the worker ended {self._ends[request]} times on this edit; it is skipped")
        async with self._lent() as replica:
            if self._given_up:
                raise Misconfigured(self._given_up)
            try:
                process = await replica.process()
                self._has_started = True
                return await self._edited(replica, process, request)
            except WorkerGone as gone:
                await replica.give_up(gone)
                self._count(request, gone, replica.log_file)
                raise (
                    Misconfigured(self._given_up) if self._given_up else Unavailable(f"the worker {gone}")
                ) from gone

    async def close(self) -> None:
        for replica in self._replicas:
            await replica.close()

    @contextlib.asynccontextmanager
    async def _lent(self) -> AsyncIterator[WorkerReplica]:
        replica = await self._free.get()
        try:
            yield replica
        finally:
            self._free.put_nowait(replica)

    async def _edited(self, replica: WorkerReplica, process: WorkerProcess, request: EditRequest) -> Edited:
        replica.after.unlink(missing_ok=True)
        await asyncio.to_thread(hand_over, request, replica.before)
        try:
            reply = await process.edit(replica.before, request.instruction, request.seed, replica.after)
        except asyncio.CancelledError:
            await replica.stop()  # it is busy with an edit that nobody waits for
            raise
        self._ends_in_a_row = 0
        if "refused" in reply:
            raise Refused(str(reply["refused"]))
        if "error" in reply:
            raise Unavailable(str(reply["error"]))
        return Edited(await asyncio.to_thread(take_back, replica.after), cost_usd=0.0)

    def _count(self, request: EditRequest, gone: WorkerGone, log_file: Path) -> None:
        self._ends[request] = self._ends.get(request, 0) + 1
        self._ends_in_a_row += 1
        if not self._has_started:
            what = f"the worker with {self._plan.python} does not start"
        elif self._ends_in_a_row >= MOST_ENDS_IN_A_ROW:
            what = f"the worker ended {self._ends_in_a_row} times in a row"
        else:
            return
        self._given_up = f"{what}: it {gone}; see {log_file}"
