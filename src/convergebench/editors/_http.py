"""The common part of HTTP editors: sessions, complete replies, and retries for results already paid for."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from convergebench.editors.needs import EditorKey
from convergebench.providers import error_for, one_line, seconds_in
from convergebench.types import BadOutput, EditError, Misconfigured, RateLimited, Unavailable

if TYPE_CHECKING:
    import aiohttp

    from convergebench.picture import Picture

T = TypeVar("T")

CONNECT_SECONDS = 30.0
CANCEL_SECONDS = 5.0
FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 10.0


@dataclass(frozen=True)
class HttpReply:
    """A complete reply, or the error that it means."""

    status: int
    body: bytes
    reason: str = ""
    """The server's error message."""
    error: EditError | None = None

    def good(self) -> HttpReply:
        if self.error:
            raise self.error
        return self

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Unavailable("the reply is truncated or not JSON") from error


class Web:
    """An aiohttp session, opened when first used. A lost connection is Unavailable; nothing is sent again."""

    def __init__(self, key: EditorKey | None = None) -> None:
        self._key_name = key.names[0] if key else "base_url"
        self._secret = key.value() if key else None
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                middlewares=(_lost_connection_is_unavailable,),
            )
        return self._session

    async def ask(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Any = None,
    ) -> HttpReply:
        import aiohttp

        try:
            async with self.session.request(
                method, url, headers=headers, json=json, data=data, proxy=self._proxy(url)
            ) as response:
                body = await response.read()
        except aiohttp.InvalidURL as error:
            raise Misconfigured(f"{url} is not an address; check base_url") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"the reply was cut off: {type(error).__name__}") from error
        if response.status < 400:
            return HttpReply(response.status, body)
        reason = one_line(reason_in(body), self._secret)
        after = seconds_in(response.headers.get("Retry-After"))
        error_ = error_for(response.status, reason, key_name=self._key_name, after_seconds=after)
        return HttpReply(response.status, body, reason, error_)

    def _proxy(self, url: str) -> str | None:
        """The proxy from the environment, looked up once: aiohttp would do so for each request, on a thread,
        and read a .netrc too."""
        parts = urlsplit(url)
        place = parts.scheme, parts.netloc
        if place not in self._proxies:
            past = proxy_bypass(parts.netloc)
            self._proxies[place] = None if past else getproxies().get(parts.scheme)
        return self._proxies[place]

    async def fetch(self, url: str) -> bytes:
        """Fetch a result without the key, because it may be on another host."""

        async def once() -> bytes:
            reply = await self.ask("GET", url)
            if reply.error:
                raise Unavailable(f"the picture could not be fetched: {reply.status}")
            return reply.body

        return await patiently(once)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


async def _lost_connection_is_unavailable(
    request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    import aiohttp

    try:
        return await send(request)
    except aiohttp.ClientConnectionError as error:
        raise Unavailable(f"connection to {request.url.host} lost: {type(error).__name__}") from error


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Request a result that is already paid for, repeatedly until the caller's deadline, because giving up
    would mean paying twice. The last error is then a note on the cancellation."""
    wait_seconds = FIRST_WAIT_SECONDS
    trouble: RateLimited | Unavailable | None = None
    try:
        while True:
            try:
                return await ask()
            except (RateLimited, Unavailable) as error:
                trouble = error
            told = trouble.after_seconds if isinstance(trouble, RateLimited) else None
            await asyncio.sleep(max(wait_seconds, told or 0.0))
            wait_seconds = min(2 * wait_seconds, LONGEST_WAIT_SECONDS)
    except asyncio.CancelledError as cancelled:
        if trouble:
            cancelled.add_note(str(trouble))
        raise


@contextlib.asynccontextmanager
async def called_off_by(cancel: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Cancel the provider's job when the caller stops waiting; a failed cancellation is ignored."""
    try:
        yield
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CANCEL_SECONDS):
                await cancel()
        raise


def reason_in(body: bytes) -> str:
    """The human-readable message in an error's body.

    >>> reason_in(b'{"error": {"message": "no such model", "type": "invalid"}}')
    'no such model'
    """
    text = body.decode(errors="replace")
    try:
        return sentence(json.loads(text))
    except ValueError:
        return text


def sentence(said: Any) -> str:
    """The message in a JSON value, by the keys that servers use."""
    if isinstance(said, Mapping):
        for key in ("detail", "error", "message", "msg", "title"):
            if said.get(key):
                return sentence(said[key])
    if isinstance(said, list):
        return "; ".join(sentence(one) for one in said)
    return said if isinstance(said, str) else json.dumps(said)


def part_of(reply: Any, *path: str | int) -> Any:
    """The value at this path of a JSON reply; raises BadOutput if it is missing."""
    for step in path:
        try:
            reply = reply[step]
        except (KeyError, IndexError, TypeError) as error:
            raise BadOutput(f"the reply has no {'.'.join(map(str, path))}") from error
    return reply


def decoded(text: Any) -> bytes:
    """A file from base64 or a data URI, in one or several lines; raises BadOutput if it is invalid.

    >>> decoded("aGVsbG8="), decoded("data:image/png;base64,aGVs bG8=")
    (b'hello', b'hello')
    """
    if not isinstance(text, str):
        raise BadOutput("the picture in the answer is not base64: it is not text")
    encoded = "".join(text.split())
    if encoded.startswith("data:"):
        encoded = encoded.partition(",")[2]
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError as error:
        raise BadOutput(f"the picture in the answer is not base64: {error}") from error


def data_uri(picture: Picture) -> str:
    return f"data:{picture.facts.media_type};base64,{base64.b64encode(picture.encoded).decode()}"
