"""A web server on a thread of its own, whose answers follow a script and which can break in known ways."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Self

from aiohttp import web

SLOW_SECONDS = 0.3
OUTAGE_SECONDS = 0.6
KEY = "a-key-that-must-not-leak"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LoopbackServer:
    """Serves while its `with` block lasts. Each edit gets the script's next word; the last one stays."""

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        self.script = list(script)
        self.picture = picture
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._runner: web.AppRunner | None = None
        self._back_at: float | None = None
        self._asked: Counter[str] = Counter()

    def routes(self) -> list[web.RouteDef]:
        raise NotImplementedError

    def next_word(self) -> str:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def is_asked_again(self, ending: str = "") -> bool:
        """Whether somebody waits: asks for a path, with this ending, that was asked for before."""
        return any(count > 1 for path, count in self._asked.copy().items() if path.endswith(ending))

    def is_out(self) -> bool:
        """For a while, from the first time that somebody is turned away."""
        now = time.monotonic()
        if self._back_at is None:
            self._back_at = now + OUTAGE_SECONDS
        return now < self._back_at

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(60)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    async def _start(self) -> None:
        @web.middleware
        async def counted(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._asked[request.path] += 1
            return await handler(request)

        application = web.Application(client_max_size=64 << 20, middlewares=[counted])
        application.add_routes(self.routes())
        self._runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"


async def never(request: web.Request) -> web.StreamResponse:
    """Keep the connection open and say nothing."""
    await asyncio.sleep(3600)
    raise AssertionError("nobody waits for an hour")


async def reset(request: web.Request) -> web.StreamResponse:
    """Drop the connection with a TCP reset, before any answer."""
    assert request.transport is not None
    connection = request.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
    return web.Response()


async def truncated(request: web.Request) -> web.StreamResponse:
    """Promise more than comes: half an answer, then the end of the connection."""
    reply = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
    await reply.prepare(request)
    await reply.write(b'{"images": [{"url": "data:image/png;base64,iVBORw0')
    assert request.transport is not None
    request.transport.close()
    return reply


BROKEN: dict[str, Handler] = {"never": never, "reset": reset, "truncated": truncated}
