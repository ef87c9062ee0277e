"""A schedule of kills: a command is started, killed without warning at a random moment, and started again."""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.cli.main import main
from forked_python import ForkedPython

PROGRAM = ["-m", "convergebench"]
LIMIT_SECONDS = 240.0


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


def in_process(words: Sequence[object], folder: Path) -> Ended:
    """The command, run to its end in this process, which takes less time to start."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder):
        try:
            main([str(word) for word in words])
        except SystemExit as ended:
            code = ended.code
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    assert isinstance(code, int)
    return Ended(code, out.getvalue(), err.getvalue())


def finished(words: Sequence[object], folder: Path, env: Mapping[str, str]) -> Ended:
    """The command, run to its end."""
    return _ended(_started(words, folder, env), LIMIT_SECONDS)


def killed_at(
    words: Sequence[object], folder: Path, env: Mapping[str, str], is_time: Callable[[], bool]
) -> Ended:
    """The command, killed as soon as `is_time`, unless it ends before."""
    process = _started(words, folder, env)
    while process.poll() is None and not is_time():
        try:
            process.wait(0.005)
        except subprocess.TimeoutExpired:
            continue
    process.signal_session(signal.SIGKILL)
    return _ended(process, LIMIT_SECONDS)


def moments(seed: int, most: int) -> Iterator[int]:
    """How many requests a server sees before each kill."""
    draw = random.Random(seed)
    while True:
        yield draw.randint(1, most)


def _started(words: Sequence[object], folder: Path, env: Mapping[str, str]) -> ForkedPython:
    return ForkedPython(
        [*PROGRAM, *words], cwd=folder, env={**os.environ, **env},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def _ended(process: ForkedPython, seconds: float) -> Ended:
    out, err = process.communicate(timeout=seconds)
    return Ended(process.wait(), out, err)
