"""`convergebench vote` as a process, with raters who answer, and requests that mean harm."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from faults.kills import LIMIT_SECONDS, PROGRAM, Ended
from forked_python import ForkedPython

_LINK = re.compile(r"Open http://127\.0\.0\.1:(\d+)/")
_JSON = {"Content-Type": "application/json"}


class VoteServer:
    """Listens from `with` on; ends with it, or with `stop`."""

    def __init__(self, folder: Path, *more: str, env: Mapping[str, str]) -> None:
        self._words = [*PROGRAM, "vote", "--port", "0", *more]
        self._folder, self._env = folder, {**os.environ, **env}
        self._ended: Ended | None = None

    def __enter__(self) -> VoteServer:
        self._process = ForkedPython(
            self._words, cwd=self._folder, env=self._env, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := _LINK.search(line):
                self.port = int(found[1])
                return self
        raise AssertionError(self.stop().err)

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.stop(signal.SIGKILL)

    def stop(self, how: signal.Signals = signal.SIGINT) -> Ended:
        if self._ended is None:
            self._process.signal_session(how)
            out, err = self._process.communicate(timeout=LIMIT_SECONDS)
            self._ended = Ended(self._process.wait(), out, err)
        return self._ended

    def get(self, path: str) -> tuple[int, bytes]:
        return self._answer("GET", path, None, {})

    def post(self, action: str, body: object) -> tuple[int, Any]:
        """Sends bytes as they are, and anything else as JSON."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, answer = self._answer("POST", f"/vote/{action}", sent, _JSON)
        return status, json.loads(answer) if answer.startswith(b"{") else answer

    def send(self, request: bytes) -> socket.socket:
        """Sends raw bytes and waits for nothing."""
        connection = socket.create_connection(("127.0.0.1", self.port), LIMIT_SECONDS)
        connection.sendall(request)
        return connection

    def _answer(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_SECONDS)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def vote_on(question: Mapping[str, Any], rater: str) -> dict[str, Any]:
    """The first, or yes."""
    return {
        "convergebench_vote": 1, "rater": rater, "kind": question["kind"], "consent": "", "mode": "side",
        "answer": "yes" if question["kind"] == "visibility" else "first", "pictures": question["pictures"],
        "texts": question["texts"], "repeat": question["repeat"], "seconds": 2.5,
    }  # fmt: skip


def answer_request(vote: Mapping[str, Any]) -> bytes:
    """A vote as the bytes of a request."""
    body = json.dumps(vote).encode()
    head = "POST /vote/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def hostile_votes(honest: Mapping[str, Any]) -> list[object]:
    """Each must be answered with an error and change nothing."""
    nowhere = [[role, "0" * 64] for role, _ in honest["pictures"]]
    changes: list[dict[str, Any]] = [
        {"answer": "maybe"}, {"answer": ["first"]}, {"rater": "../../x"}, {"rater": "\x1b[2J"}, {"rater": 7},
        {"rater": "half \ud83d"}, {"seconds": -1}, {"seconds": True}, {"seconds": int("9" * 400)},
        {"seconds": float("nan")}, {"seconds": float("inf")}, {"repeat": -1}, {"repeat": 10**30},
        {"texts": {"instruction": "half \ud83d"}}, {"texts": ["x"]}, {"texts": {"instruction": "x" * 20_000}},
        {"kind": {}}, {"pictures": nowhere}, {"pictures": [[[], []]]}, {"pictures": "/etc/passwd"},
        {"mode": "\udfff"}, {"consent": "x"}, {"convergebench_vote": 2},
    ]  # fmt: skip
    raw = [b"", b"{", b"[]", b"\xff\xfe", b"[" * 60_000, b'{"a":' * 12_000, b"9" * 60_000, b" " * 70_000]
    return [*({**honest, **change} for change in changes), *raw]


HOSTILE_BYTES = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 30_000,
    b"POST /vote/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n{",
    b"GET /pictures/../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\x00" * 1000,
)  # fmt: skip
"""Requests that are none, cut off, or do not end."""
PATHS_THAT_LEAD_OUT = (
    "/pictures/../convergebench.sqlite", "/pictures/..%2f..%2fetc/passwd", "/page/..%2f..%2fstudy.py",
    "/pictures/ab/" + "0" * 64 + ".png", "/pictures/%00/%1b.png", "/page/data/../../x",
)  # fmt: skip
