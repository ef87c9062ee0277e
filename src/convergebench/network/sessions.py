"""Sessions of aiohttp that obey the rules: one kind for a provider's API, one for pictures from anywhere."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from convergebench.network.addresses import AddressPolicy, checked_resolver
from convergebench.network.answers import BoundedBody, in_time, unanswered
from convergebench.network.origins import KeyOrigin
from convergebench.network.settings import network_settings

if TYPE_CHECKING:
    import aiohttp

CONNECT_SECONDS = 30.0


def provider_session(origin: KeyOrigin | None) -> aiohttp.ClientSession:
    """For a provider's own API. With an origin, no request leaves it, redirected or not."""
    import aiohttp

    async def guard(
        request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        if origin is not None:
            origin.check_request(str(request.url))
        response = await _sent(request, send)
        location = response.headers.get("Location")
        if origin is not None and 300 <= response.status < 400 and location:
            response.close()
            origin.check_redirect(str(request.url), location)
        return response

    return _session(aiohttp.TCPConnector(limit=0), guard)


def proxy_for(url: str) -> str | None:
    """The proxy from the environment. To be looked up once: aiohttp would do so for each request, on a
    thread, and read a .netrc too."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)


def file_session(policy: AddressPolicy, proxy_hosts: frozenset[str] = frozenset()) -> aiohttp.ClientSession:
    """For pictures that an answer names; no key is sent. A proxy may be at a private address."""
    import aiohttp

    async def guard(
        request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        await asyncio.to_thread(policy.check_url, str(request.url))
        return await _sent(request, send)

    return _session(aiohttp.TCPConnector(limit=0, resolver=checked_resolver(policy, proxy_hosts)), guard)


def _session(connector: aiohttp.TCPConnector, guard: Any) -> aiohttp.ClientSession:
    import aiohttp

    settings = network_settings()  # once: they are in a file

    class BoundedResponse(aiohttp.ClientResponse):
        """Read by SDKs too, which is why the bound is here."""

        async def read(self) -> bytes:
            if self._body is None:
                body, pieces = BoundedBody("", settings.answer_bytes), []
                try:
                    async for chunk in in_time(aiter(self.content.iter_any()), settings.answer_seconds):
                        pieces += body.pieces(chunk)
                except BaseException:
                    self.close()
                    raise
                self._body = b"".join(pieces)
            return await super().read()

    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        response_class=BoundedResponse,
        middlewares=(guard,),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


async def _sent(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """A lost connection is Unavailable, or NoReply if it may have been charged; nothing is sent again."""
    import aiohttp

    try:
        return await send(request)
    except aiohttp.ClientConnectionError as error:
        reason = f"connection to {request.url.host} lost: {type(error).__name__}"
        raise unanswered(error, reason) from error
