"""What editors behind HTTP share: one session each, a deadline, and every failure as an EditError."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from convergebench.types import (
    BadOutput,
    EditError,
    EditorFacts,
    EditRequest,
    Misconfigured,
    RateLimited,
    Refused,
    Unavailable,
)

if TYPE_CHECKING:
    import aiohttp

    from convergebench.picture import Picture

T = TypeVar("T")

DEADLINE_SECONDS = 300.0
CONNECT_SECONDS = 30.0
CANCEL_SECONDS = 5.0
RETRIEVALS = 4
"""How often the answer to a job that is already paid for is asked for."""
LONGEST_REASON = 300
STOPS_THE_EDITOR = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
PASSES = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY)


@dataclass(frozen=True)
class Reply:
    """A complete answer, good or bad."""

    status: int
    body: bytes
    reason: str = ""
    """What the server says went wrong; empty if nothing did."""
    retry_after: str | None = None

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Unavailable("the reply is not complete JSON") from error

    def good(self) -> Reply:
        if self.status >= HTTPStatus.BAD_REQUEST:
            raise failure_of(self.status, self.reason, self.retry_after)
        return self


class Web:
    """An aiohttp session, opened when first used; a lost connection is Unavailable.

    The secret is taken out of every reason. Asking again is left to the callers.
    """

    def __init__(self, secret: str = "") -> None:
        self._secret = secret
        self._session: aiohttp.ClientSession | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                middlewares=(_lost_connection_is_unavailable,),
                trust_env=True,
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
    ) -> Reply:
        import aiohttp

        try:
            async with self.session.request(method, url, headers=headers, json=json, data=data) as response:
                body = await response.read()
        except aiohttp.InvalidURL as error:
            raise Misconfigured(f"{url} is not an address") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"the reply broke off: {type(error).__name__}") from error
        reason = ""
        if response.status >= HTTPStatus.BAD_REQUEST:
            reason = scrubbed(reason_in(body), self._secret)
        return Reply(response.status, body, reason, response.headers.get("Retry-After"))

    async def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> bytes:
        """Something that was made for us and is still there: asked for again if it does not come at once."""

        async def once() -> bytes:
            reply = await self.ask("GET", url, headers=headers)
            if reply.status >= HTTPStatus.BAD_REQUEST:
                raise Unavailable(f"the result cannot be fetched (HTTP {reply.status})")
            return reply.body

        return await patiently(once, wait_seconds=0.1)

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
        raise Unavailable(f"no connection to {request.url.host}: {type(error).__name__}") from error


@contextlib.asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """A deadline for one edit."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise Unavailable(f"no answer within {seconds:g} seconds") from error


@contextlib.asynccontextmanager
async def called_off_by(cancel: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Whoever stops waiting for a job, tells the provider; that it may not hear is no further error."""
    try:
        yield
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CANCEL_SECONDS):
                await cancel()
        raise


async def patiently(ask: Callable[[], Awaitable[T]], *, wait_seconds: float) -> T:
    """Ask again for what is paid for already, so that a lost answer does not mean paying twice."""
    for _ in range(RETRIEVALS - 1):
        try:
            return await ask()
        except RateLimited as error:
            await asyncio.sleep(wait_seconds if error.after_seconds is None else error.after_seconds)
        except Unavailable:
            await asyncio.sleep(wait_seconds)
    return await ask()


def failure_of(status: int, reason: str, retry_after: str | None = None) -> EditError:
    """What a bad HTTP status means for an edit."""
    said = f"HTTP {status}: {reason}" if reason else f"HTTP {status}"
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited(said, seconds_until(retry_after))
    if status in STOPS_THE_EDITOR:
        return Misconfigured(said)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in PASSES:
        return Unavailable(said)
    return Refused(said)


def seconds_until(retry_after: str | None) -> float | None:
    """What a Retry-After header asks for: seconds, or a date.

    >>> seconds_until("2")
    2.0
    """
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def reason_in(body: bytes) -> str:
    """The sentence for people in an error's body.

    >>> reason_in(b'{"error": {"message": "no such model", "type": "invalid"}}')
    'no such model'
    """
    text = body.decode(errors="replace")
    try:
        found = _sentence(json.loads(text))
    except ValueError:
        found = text
    return " ".join(found.split())[:LONGEST_REASON]


def _sentence(said: Any) -> str:
    if isinstance(said, Mapping):
        for key in ("detail", "error", "message", "msg", "title"):
            if said.get(key):
                return _sentence(said[key])
    if isinstance(said, list):
        return "; ".join(_sentence(one) for one in said)
    return said if isinstance(said, str) else json.dumps(said)


def scrubbed(text: str, secret: str) -> str:
    return text.replace(secret, "***") if secret else text


def within_reply(reply: Any, *path: str | int) -> Any:
    """What lies at this path of a JSON reply; BadOutput where there is nothing."""
    for step in path:
        try:
            reply = reply[step]
        except (KeyError, IndexError, TypeError) as error:
            raise BadOutput(f"the reply has no {'.'.join(map(str, path))}") from error
    return reply


def check_inputs(facts: EditorFacts, request: EditRequest) -> None:
    given = len(request.images)
    if given > facts.max_inputs:
        takes = "one picture" if facts.max_inputs == 1 else f"{facts.max_inputs} pictures"
        raise Refused(f"takes {takes}, was given {given}")


def data_uri(picture: Picture) -> str:
    return f"data:{picture.facts.media_type};base64,{base64.b64encode(picture.encoded).decode()}"


async def picture_of(data: bytes) -> Picture:
    """The picture as it was sent, decoded on a thread; BadOutput if it is none."""
    from convergebench.errors import BadPicture
    from convergebench.picture import Picture

    try:
        return await asyncio.to_thread(Picture.from_bytes, data)
    except BadPicture as error:
        raise BadOutput(str(error)) from error
