"""What every server of this package's pages shares: guarded answers, pictures by digest, a bound socket."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from convergebench.errors import ConvergeBenchError, MissingExtra, WrongUse
from convergebench.picture import SUFFIXES
from convergebench.report.page.static_site import PICTURES
from convergebench.store import Workspace
from convergebench.types import Digest, PictureFacts

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

HOST = "127.0.0.1"
MEDIA_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
IMMUTABLE = {"Cache-Control": "private, max-age=31536000, immutable"}
"""For files named by content."""
REVALIDATED = {"Cache-Control": "no-cache"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def guarded_app(hosts: Sequence[str] = (HOST, "localhost")) -> FastAPI:
    """An app without routes that answers to these host names only, under the page's security policy."""
    try:
        from fastapi import FastAPI
        from starlette.middleware.trustedhost import TrustedHostMiddleware
    except ImportError as error:
        raise MissingExtra("fastapi", "view") from error

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    # Otherwise another site's host name that resolves to this address could read the pictures.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))

    @app.middleware("http")
    async def guarded(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    return app


def bind(listening: socket.socket, port: int, host: str = HOST) -> None:
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        raise WrongUse(f"cannot listen on port {port} ({error}); choose another with --port") from error


def answer(content: bytes | str | None, media_type: str, headers: dict[str, str]) -> Response:
    """The content, or 404 for None."""
    from fastapi import Response

    if content is None:
        return Response("Not found.", 404, media_type="text/plain")
    return Response(content, media_type=media_type, headers=headers)


def add_full_pictures(app: FastAPI, workspace: Workspace) -> None:
    """Pictures as they are stored. They are found by digest alone, so that no path can lead elsewhere."""
    media_types = {suffix: media_type for media_type, suffix in SUFFIXES.items()}

    @app.get(f"/{PICTURES}/{{start}}/{{name}}")
    def picture(start: str, name: str) -> Response:
        digest, _, suffix = name.partition(".")
        media_type = media_types.get(f".{suffix}")
        content = from_digests(digest, make=partial(_stored, workspace, media_type)) if media_type else None
        return answer(content, media_type or "", IMMUTABLE)


def from_digests(*digests: Digest, make: Callable[..., bytes]) -> bytes | None:
    """The result of `make` for these pictures; None if one of them is missing."""
    if not all(map(_is_digest, digests)):
        return None
    try:
        return make(*digests)
    except ConvergeBenchError:
        return None


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _stored(workspace: Workspace, media_type: str, digest: Digest) -> bytes:
    """The picture's stored bytes, from any kind of store."""
    return workspace.pictures.open(PictureFacts(digest, 0, 0, media_type)).encoded
