"""A judge on this machine: `vllm serve` is started once, serves all questions, and is stopped at the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path

from convergebench.judges._call import JudgeKey
from convergebench.judges.base import JudgeFacts, JudgeReply, Question
from convergebench.judges.openai_chat import OpenAIChat
from convergebench.types import Misconfigured, Parameter, Unavailable

KEY = JudgeKey(("VLLM_API_KEY",))
START_SECONDS = 1800
"""Loading the weights of large models takes long from a disk, and longer from the hub."""
STOP_SECONDS = 20
POLL_SECONDS = 0.2
LAST_LINES = 4

GENERATION = frozenset(
    {
        "temperature", "max_tokens", "top_p", "top_k", "min_p", "seed", "presence_penalty",
        "frequency_penalty", "repetition_penalty", "reasoning_effort",
    }
)  # fmt: skip
"""Settings of a question; all others are options of `vllm serve`."""
ABOUT_RUNNING = frozenset(
    {"tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "gpu_memory_utilization",
     "max_num_seqs", "start_seconds"}
)  # fmt: skip
"""Settings that change how the model runs, but not its answers; they are not part of the fingerprint."""


class Vllm:
    """One model on a server that is started on a free loopback port."""

    def __init__(self, facts: JudgeFacts) -> None:
        given = facts.settings
        self.facts = replace(facts, settings=_without(given, ABOUT_RUNNING))
        self._start_seconds = float(given.get("start_seconds", START_SECONDS))
        self._options = _without(given, GENERATION | {"start_seconds"})
        self._sent = replace(facts, settings={key: given[key] for key in given if key in GENERATION})
        self._process: asyncio.subprocess.Process | None = None
        self._chat: OpenAIChat | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._port: socket.socket | None = None

    async def start(self) -> None:
        program = shutil.which("vllm")
        if program is None:
            raise Misconfigured("vllm is not on the PATH: pip install vllm, or use server:MODEL?base_url=…")
        self._port = _held_port()
        port = self._port.getsockname()[1]
        self._folder = tempfile.TemporaryDirectory(prefix="convergebench-vllm-")
        with self._log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                program, "serve", self.facts.model, "--host", "127.0.0.1", "--port", str(port),
                *_flags(self._options), stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        await self._until_ready(f"http://127.0.0.1:{port}/health")
        self._chat = OpenAIChat(self._sent, KEY, f"http://127.0.0.1:{port}/v1", needs_key=False)
        await self._chat.start()

    async def ask(self, question: Question) -> JudgeReply:
        assert self._chat is not None, "start comes first"
        try:
            return await self._chat.ask(question)
        except Unavailable as error:
            if self._ended():
                raise Misconfigured(f"vllm serve has ended: {self._last_words()}") from error
            raise

    async def close(self) -> None:
        if self._chat is not None:
            await self._chat.close()
        if self._process is not None:
            await _stop(self._process)
        if self._port is not None:
            self._port.close()
        if self._folder is not None:
            self._folder.cleanup()

    async def _until_ready(self, health: str) -> None:
        deadline = time.monotonic() + self._start_seconds
        while not await asyncio.to_thread(_answers, health):
            if self._ended():
                raise Misconfigured(f"vllm serve ended before it was ready: {self._last_words()}")
            if time.monotonic() > deadline:
                raise Misconfigured(
                    f"vllm serve was not ready after {self._start_seconds:g} s "
                    f"(?start_seconds=… waits longer): {self._last_words()}"
                )
            await asyncio.sleep(POLL_SECONDS)

    def _ended(self) -> bool:
        return self._process is not None and self._process.returncode is not None

    @property
    def _log(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / "log"

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._log.read_text(errors="replace").splitlines() if line.strip()]
        return " / ".join(lines[-LAST_LINES:]) or "no output"


def _without(settings: Mapping[str, Parameter], names: frozenset[str]) -> dict[str, Parameter]:
    return {key: value for key, value in settings.items() if key not in names}


def _flags(options: Mapping[str, Parameter]) -> list[str]:
    flags = []
    for name, value in options.items():
        word = name.replace("_", "-")
        if isinstance(value, bool):
            flags.append(f"--{word}" if value else f"--no-{word}")
        else:
            flags += [f"--{word}", str(value)]
    return flags


def _held_port() -> socket.socket:
    """A port that the system gives no other program that asks for any, while this socket is open: the answers
    would be that program's. Whoever names the port, as servers do, can listen there."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def _answers(url: str) -> bool:
    try:
        # No proxy, because the server is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (OSError, HTTPException):  # the latter if another program has taken the port meanwhile
        return False


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Stop the server and its workers: terminate first, then kill."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
                return
