"""`python -m convergebench …` and other programs, forked from a Python that has imported the package already.

A `ForkedPython` is used as a `subprocess.Popen` of `[sys.executable, …]` and is as much a process of its own;
what it lacks is the second of imports at its start. What a test has to say about that start, about closed
streams or about encodings needs a real one.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import IO, Any

PRELOADED = (
    "convergebench.cli.main", "convergebench.api", "convergebench.engine", "convergebench.refinement",
    "convergebench.report.export", "convergebench.report.figures", "convergebench.report.page",
    "convergebench.report.tables", "convergebench.editors.probes", "convergebench.editors.classical",
    "convergebench.editors.http_editor", "convergebench.metrics.psnr", "convergebench.metrics.ms_ssim",
    "convergebench.metrics.lpips", "convergebench.run_progress.terminal", "aiohttp", "cv2", "rich.progress",
    "scipy.stats", "uvicorn",
)  # fmt: skip
_SENDING = threading.Lock()


class ForkedPython:
    """The process, started. Its streams carry text."""

    def __init__(
        self,
        arguments: Sequence[object],
        *,
        cwd: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        start_new_session: bool = False,
    ) -> None:
        self.returncode: int | None = None
        self._collecting = threading.Lock()
        request = {
            "arguments": [str(word) for word in arguments],
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
            "session": start_new_session,
        }
        reported, reports = os.pipe()
        self._reports: IO[str] = os.fdopen(reported)
        with contextlib.ExitStack() as ours:
            ours.callback(os.close, reports)
            self.stdout, out = _stream(stdout, 1, ours)
            self.stderr, err = _stream(stderr, 2, ours)
            _send(_server(), json.dumps(request).encode(), [_input(stdin, ours), out, err, reports])
        self.pid = int(self._reports.readline())

    def poll(self) -> int | None:
        if self._collecting.acquire(blocking=False):  # otherwise another thread waits for the end
            try:
                self._collect(0)
            finally:
                self._collecting.release()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        with self._collecting:
            self._collect(timeout)
            if self.returncode is None:
                raise subprocess.TimeoutExpired("forked python", timeout or 0)
            return self.returncode

    def _collect(self, timeout: float | None) -> None:
        if self.returncode is None and self._has_ended(timeout):
            self.returncode = int(self._reports.readline())
            self._reports.close()

    def _has_ended(self, timeout: float | None) -> bool:
        ends = select.poll()  # which takes any descriptor: `select` none above 1023
        ends.register(self._reports, select.POLLIN)
        return bool(ends.poll(None if timeout is None else timeout * 1000))

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        until = None if timeout is None else time.monotonic() + timeout
        texts = ["", ""]

        def read(number: int, stream: IO[str]) -> None:
            texts[number] = stream.read()

        pipes = [(number, one) for number, one in enumerate((self.stdout, self.stderr)) if one is not None]
        readers = [threading.Thread(target=read, args=pipe, daemon=True) for pipe in pipes]
        for reader in readers:
            reader.start()
        code = self.wait(timeout)
        for reader in readers:
            reader.join(None if until is None else max(0.0, until - time.monotonic()))
        for _, stream in pipes:
            stream.close()
        assert code == self.returncode
        return texts[0], texts[1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def signal_session(self, number: int) -> None:
        """To it and all that it started, if it has a session of its own."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.killpg(self.pid, number)


def run(
    arguments: Sequence[object], *, timeout: float = 120, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """What it wrote, once it has ended."""
    process = ForkedPython(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    try:
        out, err = process.communicate(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    done = subprocess.CompletedProcess(list(arguments), process.wait(), out, err)
    if check:
        done.check_returncode()
    return done


def _input(wanted: int | None, ours: contextlib.ExitStack) -> int:
    if wanted is not None and wanted >= 0:
        return wanted
    nothing = os.open(os.devnull, os.O_RDONLY)
    ours.callback(os.close, nothing)
    return nothing


def _stream(wanted: int | None, usual: int, ours: contextlib.ExitStack) -> tuple[IO[str] | None, int]:
    """What we read, and the descriptor for the process; `ours` closes what is not needed here then."""
    if wanted is None:
        return None, usual
    if wanted >= 0:
        return None, wanted
    if wanted == subprocess.DEVNULL:
        nothing = os.open(os.devnull, os.O_WRONLY)
        ours.callback(os.close, nothing)
        return None, nothing
    reading, writing = os.pipe()
    ours.callback(os.close, writing)
    return os.fdopen(reading, encoding="utf-8", errors="replace"), writing


@cache
def _server() -> socket.socket:
    """The process that forks, one for each that tests; it ends when this end is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno())]
        subprocess.Popen(command, pass_fds=[theirs.fileno()], start_new_session=True)
    return ours


def _send(server: socket.socket, request: bytes, descriptors: list[int]) -> None:
    with _SENDING:
        socket.send_fds(server, [len(request).to_bytes(8, "big")], descriptors)
        server.sendall(request)


def _serve(server: socket.socket) -> None:
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            import_module(name)
    here = {str(Path(__file__).parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)}
    paths = [path for path in sys.path if path not in here]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the observers
    gc.freeze()
    while True:
        length, descriptors, _, _ = socket.recv_fds(server, 8, 4)
        if not length:
            return
        request = json.loads(_received(server, int.from_bytes(length, "big")))
        if os.fork() == 0:
            server.close()
            _observe(request, descriptors, paths)
        for descriptor in descriptors:
            os.close(descriptor)


def _received(server: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        data += server.recv(length - len(data))
    return data


def _observe(request: dict[str, Any], descriptors: list[int], paths: list[str]) -> None:
    """Fork once more. That process reports its number, and this one how it ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, reports = descriptors
    started = os.fork()
    if started == 0:
        if request["session"]:
            os.setsid()
        os.write(reports, f"{os.getpid()}\n".encode())  # only now can signals be sent to its session
        os.close(reports)
        _become(request, streams, paths)
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(started, 0)
    os.write(reports, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(request: dict[str, Any], streams: list[int], paths: list[str]) -> None:
    """Be that program, as far as a process can be one that it was not started as."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0), "utf-8", "backslashreplace", write_through=True)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    code = 1
    try:
        _run(request["arguments"], paths)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        threading._shutdown()  # type: ignore[attr-defined]  # as the interpreter does: it waits for threads
        sys.stdout.flush()
        os._exit(code)


def _run(arguments: list[str], paths: list[str]) -> None:
    first, *rest = arguments
    given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [str(Path.cwd()) if first == "-m" else str(Path(first).parent), *given, *paths]
    invalidate_caches()
    if first == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
