"""One worker process: runs in another Python, and communicates in JSON lines."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.editors._stderr_tail import last_words
from convergebench.types import Parameter

log = logging.getLogger("convergebench")

MAIN = Path(__file__).with_name("workers") / "worker_main.py"
PROTOCOL = 1
LONGEST_LINE = 1 << 20
GRACE_SECONDS = 5.0
_OF_OUR_OWN_PYTHON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")


class WorkerGone(Exception):
    """The process ended, hung, or violated the protocol; the message has the end of its output."""


@dataclass(frozen=True)
class WorkerPlan:
    """The configuration that the processes of one editor share."""

    python: Path
    adapter: Path
    parameters: Mapping[str, Parameter]
    start_seconds: float
    edit_seconds: float


class WorkerProcess:
    """From `start` to `stop` it edits, one picture at a time."""

    def __init__(
        self, plan: WorkerPlan, process: asyncio.subprocess.Process, log_file: Path, log_start: int
    ) -> None:
        self._plan = plan
        self._process = process
        self._log_file = log_file
        self._log_start = log_start

    @classmethod
    async def start(cls, plan: WorkerPlan, replica: int, log_file: Path) -> WorkerProcess:
        """Start it and wait for its first message, which it sends when the model is loaded."""
        started = time.perf_counter()
        worker = await cls._spawned(plan, log_file)
        greeting = {
            "adapter": str(plan.adapter),
            "parameters": {**plan.parameters, "replica": replica},
        }
        try:
            hello = await worker._exchange(greeting, plan.start_seconds)
        except BaseException:
            await worker.stop()
            raise
        if hello.get("hello") != PROTOCOL:
            await worker.stop()
            raise WorkerGone(f"said {hello.get('error', hello)}")
        log.info(
            "worker %s: %s, version %s, Python %s, ready after %.1f s",
            *(hello.get(key) for key in ("adapter", "model", "version", "python")),
            time.perf_counter() - started,
        )
        return worker

    @classmethod
    async def _spawned(cls, plan: WorkerPlan, log_file: Path) -> WorkerProcess:
        environment = {name: text for name, text in os.environ.items() if name not in _OF_OUR_OWN_PYTHON}
        # stderr is a file that need not be drained, so that a verbose model never blocks.
        with log_file.open("ab") as stderr:
            log_start = stderr.tell()
            try:
                process = await asyncio.create_subprocess_exec(
                    plan.python,
                    MAIN,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=stderr,
                    env=environment,
                    limit=LONGEST_LINE,
                    start_new_session=True,  # Ctrl-C is for this process only: edits in flight finish
                )
            except OSError as error:
                raise WorkerGone(f"cannot be run ({error.strerror})") from error
        return cls(plan, process, log_file, log_start)

    async def edit(self, image: Path, instruction: str, seed: int, output: Path) -> dict[str, Any]:
        """The reply. A caller that stops waiting must stop the process, which is still busy."""
        request = {"image": str(image), "instruction": instruction, "seed": seed, "output": str(output)}
        return await self._exchange(request, self._plan.edit_seconds)

    async def stop(self) -> None:
        """Close its input, which ends it; kill it and its children if it does not end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _exchange(self, content: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout(seconds):
                return await self._sent_and_answered(content)
        except TimeoutError:
            raise WorkerGone(self._with_last_words(f"gave no answer within {seconds:g} s")) from None
        except ValueError as error:
            raise WorkerGone(
                self._with_last_words(f"gave an answer that cannot be read ({error})")
            ) from error

    async def _sent_and_answered(self, content: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(content).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # it has ended; its exit code says more
            await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerGone(self._with_last_words(_ending(await self._process.wait())))
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _with_last_words(self, what: str) -> str:
        words = last_words(self._log_file, self._log_start)
        return f"{what}: {words}" if words else what


def _ending(code: int) -> str:
    return f"ended with exit code {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"
