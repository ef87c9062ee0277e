"""Serves the page on this machine's loopback address, with current data."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.errors import ConvergeBenchError, MissingExtra, WrongUse
from convergebench.picture import SUFFIXES
from convergebench.report.page.change_maps import full_map
from convergebench.report.page.live_data import LiveData
from convergebench.report.page.page_files import PAGE, PARTS, page_files
from convergebench.report.page.picture_cache import MAPS, THUMBNAILS
from convergebench.report.page.static_site import MEANS, PICTURES
from convergebench.store import Workspace
from convergebench.types import Digest, PictureFacts

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

HOST = "127.0.0.1"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_IMMUTABLE = {"Cache-Control": "private, max-age=31536000, immutable"}
"""For files named by content."""
_REVALIDATED = {"Cache-Control": "no-cache"}


def serve(
    folder: Path,
    suite: str | None,
    port: int,
    on_ready: Callable[[str], None],
    models: Sequence[str] = (),
) -> None:
    """Serve until interrupted; `on_ready` gets the address. Port 0 takes any free port."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtra("uvicorn", "view") from error
    data = LiveData(folder, suite, models)
    try:
        with socket.socket() as listening, suppress(KeyboardInterrupt):  # the normal way to stop
            _bind(listening, port)
            server = uvicorn.Server(uvicorn.Config(make_app(data), log_level="warning", access_log=False))
            data.prepare()
            listening.listen()
            on_ready(f"http://{HOST}:{listening.getsockname()[1]}/")
            server.run(sockets=[listening])
    finally:
        data.close()


def _bind(listening: socket.socket, port: int) -> None:
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        raise WrongUse(f"cannot listen on port {port} ({error}); choose another with --port") from error


def make_app(data: LiveData) -> FastAPI:
    """The page's routes. Pictures are found by digest alone, so that no path can lead elsewhere."""
    try:
        from fastapi import FastAPI
        from starlette.middleware.trustedhost import TrustedHostMiddleware
    except ImportError as error:
        raise MissingExtra("fastapi", "view") from error

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    # Otherwise another site's host name that resolves to this address could read the pictures.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])

    @app.middleware("http")
    async def guarded(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    _add_data(app, data)
    _add_pictures(app, data)
    _add_maps(app, data)
    _add_assets(app)
    return app


def _add_data(app: FastAPI, data: LiveData) -> None:
    @app.get("/state")
    def state() -> dict[str, int]:
        return {"version": data.version()}

    @app.get(f"/{PARTS}/data/{{key:path}}.js")
    def section(key: str) -> Response:
        return _answer(data.script(key), _TYPES[".js"], _REVALIDATED)


def _add_pictures(app: FastAPI, data: LiveData) -> None:
    media_types = {suffix: media_type for media_type, suffix in SUFFIXES.items()}

    @app.get(f"/{PARTS}/{THUMBNAILS}/{{start}}/{{digest}}.jpg")
    def small(start: str, digest: str) -> Response:
        return _answer(_from_digests(digest, make=data.picture_cache.thumbnail_of), "image/jpeg", _IMMUTABLE)

    @app.get(f"/{PICTURES}/{{start}}/{{name}}")
    def picture(start: str, name: str) -> Response:
        digest, _, suffix = name.partition(".")
        media_type = media_types.get(f".{suffix}")
        content = (
            _from_digests(digest, make=partial(_stored, data.workspace, media_type)) if media_type else None
        )
        return _answer(content, media_type or "", _IMMUTABLE)


def _add_maps(app: FastAPI, data: LiveData) -> None:
    """Maps of change in full size, created on request."""

    def draw(source: Digest, result: Digest) -> bytes:
        load = data.workspace.pictures.load
        return full_map(load(source).pixels, load(result).pixels)

    @app.get(f"/{PARTS}/{MAPS}/{MEANS}/{{number}}.png")
    def mean(number: int) -> Response:
        return _answer(data.mean_map(number), "image/png", _REVALIDATED)

    @app.get(f"/{PARTS}/{MAPS}/{{start}}/{{source}}-{{result}}.png")
    def map_of(start: str, source: str, result: str) -> Response:
        return _answer(_from_digests(source, result, make=draw), "image/png", _IMMUTABLE)


def _add_assets(app: FastAPI) -> None:
    """The last route, since it matches any name; only the page's own files are found."""
    files = page_files()

    @app.get("/")
    @app.get(f"/{PARTS}/{{name}}")
    def asset(name: str = PAGE) -> Response:
        return _answer(files.get(name), _TYPES.get(Path(name).suffix, ""), _REVALIDATED)


def _answer(content: bytes | str | None, media_type: str, headers: dict[str, str]) -> Response:
    from fastapi import Response

    if content is None:
        return Response("Not found.", 404, media_type="text/plain")
    return Response(content, media_type=media_type, headers=headers)


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _stored(workspace: Workspace, media_type: str, digest: Digest) -> bytes:
    """The picture's stored bytes, from any kind of store."""
    return workspace.pictures.open(PictureFacts(digest, 0, 0, media_type)).encoded


def _from_digests(*digests: Digest, make: Callable[..., bytes]) -> bytes | None:
    """The result of `make` for these pictures; None if one of them is missing."""
    if not all(map(_is_digest, digests)):
        return None
    try:
        return make(*digests)
    except ConvergeBenchError:
        return None
