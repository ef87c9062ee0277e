"""Servers that mean harm: they redirect, never stop sending, send bombs, and name addresses that are none of
their business. Each speaks HTTP only; which provider it claims to be is up to the request."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import random
import struct
import zlib
from typing import Any

from aiohttp import web

from servers.asking import RESULT
from servers.base import LoopbackServer, truncated

BOMB_BYTES = 64 << 20
_BOMB = gzip.compress(b" " * BOMB_BYTES)
_DEEP = b"[" * 100_000


class Recorder(LoopbackServer):
    """Answers 200 to everything and remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []

    def routes(self) -> list[web.RouteDef]:
        return [web.route("*", "/{rest:.*}", self._answer)]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((request.method, request.path, dict(request.headers), await request.read()))
        return web.json_response({})


class Redirector(LoopbackServer):
    """Redirects everything to the same path at another server."""

    def __init__(self, target: str, status: int = 307) -> None:
        super().__init__()
        self.requests = 0
        self._target = target
        self._status = status

    def routes(self) -> list[web.RouteDef]:
        return [web.route("*", "/{rest:.*}", self._answer)]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        await request.read()
        location = f"{self._target}{request.path_qs}"
        return web.Response(status=self._status, headers={"Location": location})


class FileHost(LoopbackServer):
    """Where a picture should be: /picture.png is it, the other paths are traps."""

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/picture.png", self._picture),
            web.get("/to/{where}", self._redirect),
            web.get("/loop", self._circle),
            web.get("/gone", self._gone),
            web.get("/bomb", bomb),
            web.get("/endless", endless),
            web.get("/drip", drip),
        ]

    async def _picture(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=self.picture)

    async def _redirect(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": request.query["url"]})

    async def _circle(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/loop"})

    async def _gone(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=404)


async def bomb(request: web.Request) -> web.StreamResponse:
    """A few kilobytes that decompress to 64 MiB."""
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    return web.Response(body=_BOMB, headers=headers)


async def endless(request: web.Request) -> web.StreamResponse:
    """A body without an end."""
    reply = web.StreamResponse(headers={"Content-Type": "application/json"})
    await reply.prepare(request)
    while True:
        await reply.write(b" " * 65536)
        await asyncio.sleep(0)


async def drip(request: web.Request) -> web.StreamResponse:
    """A body without an end of which a byte comes now and then."""
    reply = web.StreamResponse(headers={"Content-Type": "application/json"})
    await reply.prepare(request)
    while True:
        await reply.write(b" ")
        await asyncio.sleep(0.05)


async def deep(request: web.Request) -> web.StreamResponse:
    return web.Response(body=_DEEP, content_type="application/json")


class HostileImagesServer(LoopbackServer):
    """An OpenAI-style /v1/images/edits whose answers follow a seeded schedule of faults, with enough honest
    ones between them that a patient run can finish.

    `requests` counts what was asked for; `served` counts the pictures that were handed out. `seeds` are those
    of all requests in order, by which an edit is known.
    """

    FAULTS = (
        "reset", "error_500", "rate_limited", "not_json", "deep", "bomb", "no_picture", "not_a_picture",
        "file_url", "private_url", "redirect", "escapes", "lone_surrogate", "html", "cut_short", "empty",
        "picture_bomb", "cut_picture", "says_the_key", "refuses_with_the_key",
    )  # fmt: skip

    def __init__(self, picture: bytes, seed: int = 0, share_of_faults: float = 0.5) -> None:
        super().__init__(picture=picture)
        self.requests = 0
        self.served = 0
        self.seeds: list[int] = []
        self.said: list[str] = []
        self._random = random.Random(seed)
        self._share = share_of_faults

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/v1/images/edits", self._edit)]

    @property
    def model(self) -> str:
        return f"server:any?base_url={self.url}/v1"

    async def _edit(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        self.requests += 1
        self.seeds.append(int(str(form["seed"])))
        word = self._random.choice(self.FAULTS) if self._random.random() < self._share else "success"
        self.said.append(word)
        return await self._answer(word, request)

    async def _answer(self, word: str, request: web.Request) -> web.StreamResponse:
        if word == "success":
            self.served += 1
            return _images({"b64_json": base64.b64encode(self.picture).decode()})
        if word == "reset":
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if word == "bomb":
            return await bomb(request)
        if word == "cut_short":
            return await truncated(request)
        if word == "deep":
            return await deep(request)
        status, body, headers = _FAULTY[word]
        text = body if isinstance(body, str) else json.dumps(body)
        text = text.replace(THE_KEY, request.headers.get("Authorization", ""))
        return web.Response(status=status, text=text, content_type="application/json", headers=headers)


def _images(first: Any) -> web.Response:
    return web.json_response({"created": 1, "data": [first]})


def _data(first: Any) -> dict[str, Any]:
    return {"created": 1, "data": [first]}


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _picture_bomb() -> bytes:
    """A PNG of 50,000 x 50,000 black pixels in its header, and of next to nothing in its data."""
    header = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(1 << 20))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


THE_KEY = "%KEY%"
"""Stands for the key that the request brought, which a mean server says back."""
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x00 \u202egnp.exe =HYPERLINK(1)"
_FAULTY: dict[str, tuple[int, Any, dict[str, str]]] = {
    "says_the_key": (500, {"error": {"message": f"bad {THE_KEY}", "type": THE_KEY}}, {}),
    "refuses_with_the_key": (
        400,
        {"error": {"message": f"rejected by safety: {THE_KEY}", "code": "moderation_blocked"}},
        {},
    ),
    "error_500": (500, {"error": {"message": "broken"}}, {}),
    "rate_limited": (429, {"error": {"message": "slow down"}}, {"Retry-After": "0"}),
    "not_json": (200, "<html>", {}),
    "html": (200, "<!doctype html><title>Maintenance</title>", {"X-Served-By": "a proxy"}),
    "empty": (200, "", {}),
    "picture_bomb": (200, _data({"b64_json": _encoded(_picture_bomb())}), {}),
    "cut_picture": (200, _data({"b64_json": _encoded(RESULT.encoded[: len(RESULT.encoded) // 2])}), {}),
    "no_picture": (200, {"data": []}, {}),
    "not_a_picture": (200, _data({"b64_json": "aGVsbG8="}), {}),
    "file_url": (200, _data({"url": "file:///etc/passwd"}), {}),
    "private_url": (200, _data({"url": "http://169.254.169.254/latest/meta-data"}), {}),
    "redirect": (307, "", {"Location": "http://192.0.2.1/v1/images/edits"}),
    "escapes": (500, {"error": {"message": ESCAPES}}, {}),
    "lone_surrogate": (500, '{"error": {"message": "half \\ud83d"}}', {}),
}
