"""A loopback judge: speaks /v1/chat/completions with pictures, and answers as it is told."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

MODEL = "loopback-vl-1"


@dataclass(frozen=True)
class Answer:
    """What goes over the wire for one question."""

    body: Mapping[str, Any] | str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_seconds: float = 0.0
    when: Callable[[], bool] = lambda: True
    """It is held until then."""


@dataclass(frozen=True)
class Asked:
    """A question as it arrived."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body["response_format"]["json_schema"]["schema"]
        return found

    @property
    def content(self) -> list[dict[str, Any]]:
        """The parts of the user's message, in order."""
        found: list[dict[str, Any]] = self.body["messages"][-1]["content"]
        return found

    @property
    def system(self) -> str | None:
        """None if there is no system message."""
        first = self.body["messages"][0]
        return first["content"] if first["role"] == "system" else None

    @property
    def texts(self) -> list[str]:
        return [part["text"] for part in self.content if part["type"] == "text"]

    @property
    def pictures(self) -> list[bytes]:
        urls = [part["image_url"]["url"] for part in self.content if part["type"] == "image_url"]
        return [base64.b64decode(url.partition("base64,")[2], validate=True) for url in urls]


Script = Callable[[int, Asked], Answer]
"""From the number of the question, counted from 1, and the question."""


def completion(text: str, finish: str = "stop", **message: Any) -> Answer:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text, **message},
    }
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return Answer(
        {"id": "1", "object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage}
    )


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    return Answer({"error": {"message": message, "code": code, "type": "error"}}, status, headers)


def graded(asked: Asked, **grades: Any) -> str:
    """A reply in the form that the question asks for; 7, yes and tie unless told."""
    (form,) = [text for text in asked.texts if text.startswith("Reply with one JSON object")]
    names = dict(re.findall(r'- "(\w+)": (a number|"yes"|"first")', form))
    usual = {"a number": 7, '"yes"': "yes", '"first"': "tie"}
    reply = {"reason": "seen", **{name: usual[kind] for name, kind in names.items()}}
    return json.dumps({**reply, **{name: grade for name, grade in grades.items() if name in names}})


def correct(number: int, asked: Asked) -> Answer:
    return completion(graded(asked))


class JudgeServer:
    """Serves in a thread of its own while the block lasts."""

    def __init__(self, script: Script = correct, port: int = 0) -> None:
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.connections = 0
        self.script = script
        self._port = port
        self._at_once = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def name(self) -> str:
        """As a judge's name."""
        return f"server:{MODEL}?base_url={self.url}/v1"

    def __enter__(self) -> JudgeServer:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(60)

    def serve_forever(self) -> None:
        self._serve()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._until_ended())
        self._loop.close()

    async def _until_ended(self) -> None:
        self._end = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, limit=1 << 26)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {
                    name.lower(): value
                    for name, _, value in (line.partition(": ") for line in head[1:] if line)
                }
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                await self._answer(head[0].split(" ")[1], headers, body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.connections -= 1
            writer.close()

    async def _answer(
        self, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter
    ) -> None:
        if path == "/health":
            answer = Answer("")
        else:
            asked = Asked(path, json.loads(body), headers)
            self.asked.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            answer = self.script(len(self.asked), asked)
            await asyncio.sleep(answer.after_seconds)
            while not answer.when():  # noqa: ASYNC110 - whoever asks gives up, or the server ends
                await asyncio.sleep(0.001)
            self._at_once -= 1
        content = (answer.body if isinstance(answer.body, str) else json.dumps(answer.body)).encode()
        lines = {"content-type": "application/json", "content-length": str(len(content)), **answer.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"HTTP/1.1 {answer.status} OK\r\n{head}\r\n".encode() + content)
        await writer.drain()
