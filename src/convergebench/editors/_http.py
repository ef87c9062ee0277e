"""The common part of HTTP editors: sessions, complete replies, and retries for results already paid for."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from convergebench.editors.needs import EditorKey
from convergebench.network import AddressPolicy, KeyOrigin, network_settings, unanswered
from convergebench.network.sessions import file_session, provider_session, proxy_for
from convergebench.providers import error_for, one_line, seconds_in
from convergebench.types import (
    BadOutput,
    EditError,
    Misconfigured,
    NoReply,
    RateLimited,
    Unavailable,
    UnusableAnswer,
)

if TYPE_CHECKING:
    import aiohttp

    from convergebench.picture import Picture

T = TypeVar("T")

CANCEL_SECONDS = 5.0
FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 10.0
FILE_REDIRECTS = 5
MISSING_LOOKS = 4
"""A finished file may take a moment to appear on its host: within a second, a 404 is asked again."""


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
        except RecursionError as error:
            raise UnusableAnswer("the reply is nested too deeply") from error
        except ValueError as error:
            raise NoReply("the reply is truncated or not JSON") from error


class Web:
    """Requests to one provider, and pictures from where its answers say. Sessions are opened when first used.
    A lost connection is Unavailable; nothing is sent again.

    With a key, requests go to the host of `base_url` alone (`sites`: or to these domains of the provider).
    """

    def __init__(self, base_url: str, key: EditorKey | None = None, sites: tuple[str, ...] = ()) -> None:
        self._key_name = key.names[0] if key else "base_url"
        self._secret = key.value() if key else None
        self._origin = KeyOrigin(base_url, sites) if self._secret else None
        self._base_url = base_url
        self._session: aiohttp.ClientSession | None = None
        self._files: aiohttp.ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = provider_session(self._origin)
        return self._session

    @property
    def _file_session(self) -> aiohttp.ClientSession:
        if self._files is None or self._files.closed:
            policy = AddressPolicy(self._base_url, network_settings().private_addresses)
            proxies = frozenset(urlsplit(proxy).hostname or "" for proxy in getproxies().values())
            self._files = file_session(policy, proxies)
        return self._files

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
            raise unanswered(error, f"the reply was cut off: {type(error).__name__}") from error
        if response.status < 400:
            return HttpReply(response.status, body)
        reason = one_line(reason_in(body), self._secret)
        after = seconds_in(response.headers.get("Retry-After"))
        error_ = error_for(response.status, reason, key_name=self._key_name, after_seconds=after)
        return HttpReply(response.status, body, reason, error_)

    def _proxy(self, url: str) -> str | None:
        parts = urlsplit(url)
        place = parts.scheme, parts.netloc
        if place not in self._proxies:
            self._proxies[place] = proxy_for(url)
        return self._proxies[place]

    async def fetch(self, url: Any) -> bytes:
        """A finished picture at an address that an answer names, or in a data URI. No key is sent. Passing
        errors are waited out, since the picture is paid for; UnusableAnswer if it cannot be had at all."""
        if not isinstance(url, str):
            raise UnusableAnswer("the answer names no address for the picture")
        if url.startswith("data:"):
            return decoded(url)
        AddressPolicy(allow_private=True).check_url(url)  # before a proxy is looked up for it
        looks = 0

        async def look() -> bytes:
            nonlocal looks
            looks += 1
            return await self._fetch_once(url, may_be_late=looks < MISSING_LOOKS)

        return await patiently(look)

    async def _fetch_once(self, url: str, *, may_be_late: bool) -> bytes:
        import aiohttp

        try:
            async with self._file_session.get(
                url, proxy=self._proxy(url), max_redirects=FILE_REDIRECTS
            ) as response:
                body = await response.read()
        except (
            aiohttp.InvalidURL,
            aiohttp.InvalidUrlRedirectClientError,
            aiohttp.NonHttpUrlClientError,
            aiohttp.TooManyRedirects,
        ) as error:
            what = "in circles" if isinstance(error, aiohttp.TooManyRedirects) else "to no http address"
            raise UnusableAnswer(f"the address of the picture leads {what}: {one_line(url, None)}") from error
        except Unavailable as error:
            if _names_no_host(error.__cause__) and not may_be_late:
                raise UnusableAnswer(f"the picture is at an unknown host: {one_line(url, None)}") from error
            raise
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"the picture was cut off: {type(error).__name__}") from error
        if response.status < 400:
            return body
        passing = (408, 425, 429, 404) if may_be_late else (408, 425, 429)
        is_passing = response.status >= 500 or response.status in passing
        kind = Unavailable if is_passing else UnusableAnswer
        raise kind(f"the picture could not be fetched: {response.status}")

    async def close(self) -> None:
        for session in (self._session, self._files):
            if session is not None:
                await session.close()


def _names_no_host(error: BaseException | None) -> bool:
    """Whether there is no such host, rather than no answer about it."""
    cause = getattr(error, "os_error", None)
    return isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME


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
    except (ValueError, RecursionError):
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
