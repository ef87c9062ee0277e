"""Answers have a largest size, decompressed, and a longest time, and requests with a key go to one host: the
same rules for httpx, httpx2 and aiohttp, which the SDKs use between them."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Any

from convergebench.network.origins import KeyOrigin
from convergebench.network.settings import network_settings
from convergebench.types import EditError, NoReply, Unavailable, UnusableAnswer

ENCODINGS = "gzip, deflate"
_PIECE_BYTES = 1 << 20
_NOT_SENT = frozenset(
    {
        "ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "ClientConnectorError",
        "ClientConnectorDNSError", "ClientConnectorCertificateError", "ClientConnectorSSLError",
        "ClientProxyConnectionError", "ClientHttpProxyError", "ConnectionTimeoutError",
    }
)  # fmt: skip
"""Errors of httpx, httpx2 and aiohttp before a request has left; by name, as none need be installed."""


class BoundedBody:
    """Decompresses an answer piece by piece, and raises UnusableAnswer as soon as it is too large."""

    def __init__(self, encoding: str, most_bytes: int) -> None:
        self._decoder = _decoder_of(encoding)
        self._most_bytes = most_bytes
        self._bytes = 0
        self._started = False

    def pieces(self, chunk: bytes) -> list[bytes]:
        """What this chunk of the answer holds, in pieces of bounded size."""
        if self._decoder is None:
            return [self._counted(chunk)]
        found = []
        rest = chunk
        while rest:
            found.append(self._counted(self._inflated(rest)))
            rest = self._decoder.unconsumed_tail
        return found

    def _inflated(self, data: bytes) -> bytes:
        try:
            piece: bytes = self._decoder.decompress(data, _PIECE_BYTES)
        except zlib.error as error:
            if self._started:
                raise Unavailable(f"the answer is damaged: {error}") from error
            # Some servers send deflate without its header.
            self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)
            self._started = True
            return self._inflated(data)
        self._started = True
        return piece

    def _counted(self, piece: bytes) -> bytes:
        self._bytes += len(piece)
        if self._bytes > self._most_bytes:
            raise UnusableAnswer(
                f"the answer is larger than {self._most_bytes / 1e6:g} MB; a larger limit is answer_mb under "
                "[network] in convergebench.toml"
            )
        return piece


def _decoder_of(encoding: str) -> Any:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return None
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32)
    raise UnusableAnswer(f"the answer is compressed with {name[:40]!r}, which was not requested")


async def in_time(chunks: AsyncIterator[bytes], seconds: float) -> AsyncIterator[bytes]:
    """The chunks of an answer; raises UnusableAnswer if all of them together take longer than this."""
    until = asyncio.get_running_loop().time() + seconds
    while True:
        limit = asyncio.timeout_at(until)
        try:
            async with limit:
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise UnusableAnswer(
                f"the answer was not complete after {seconds:g} s; a longer time is answer_seconds under "
                "[network] in convergebench.toml"
            ) from error
        yield chunk


def guarded_hooks(origin: KeyOrigin) -> dict[str, list[Any]]:
    """Event hooks for a client of httpx or httpx2 that sends a key. They run for each request of a chain of
    redirects, before it is sent."""

    async def check_origin(request: Any) -> None:
        request.headers["Accept-Encoding"] = ENCODINGS
        origin.check_request(str(request.url))

    async def bound(response: Any) -> None:
        if response.has_redirect_location:
            origin.check_redirect(str(response.url), response.headers["location"])
        settings = network_settings()
        body = BoundedBody(response.headers.get("content-encoding", ""), settings.answer_bytes)
        response.stream = _bounded_stream(response.stream, body, settings.answer_seconds)
        response.headers.pop("content-encoding", None)  # it is decompressed below what httpx sees

    return {"request": [check_origin], "response": [bound]}


def _bounded_stream(stream: Any, body: BoundedBody, seconds: float) -> Any:
    """A stream of the same library that yields the decompressed answer."""
    library = next(base for base in type(stream).__mro__ if base.__name__ == "AsyncByteStream")

    class BoundedStream(library):  # type: ignore[misc,valid-type]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in in_time(aiter(stream), seconds):
                for piece in body.pieces(chunk):
                    yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    return BoundedStream()


def unanswered(error: BaseException, reason: str) -> EditError:
    """What a call without a complete answer means, from the error of an HTTP library or an SDK: the rule of
    ours that ended it, Unavailable where nothing was sent, and otherwise NoReply."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        if isinstance(cause, EditError):
            return cause
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__
    was_sent = not any(type(one).__name__ in _NOT_SENT for one in seen)
    return NoReply(reason) if was_sent else Unavailable(reason)
