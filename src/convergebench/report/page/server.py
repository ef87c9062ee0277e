"""Serves the page on this machine's loopback address, with current data."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.errors import MissingExtra
from convergebench.metrics.flip import WorstBox
from convergebench.report.page.change_maps import full_map
from convergebench.report.page.http import (
    HOST,
    IMMUTABLE,
    MEDIA_TYPES,
    REVALIDATED,
    add_full_pictures,
    answer,
    bind,
    from_digests,
    guarded_app,
)
from convergebench.report.page.live_data import LiveData
from convergebench.report.page.page_files import PAGE, PARTS, page_files
from convergebench.report.page.picture_cache import BREAKAGES, CROPS, EXPORTS, MAPS, THUMBNAILS
from convergebench.report.page.static_site import MEANS
from convergebench.types import Digest, SuiteId

if TYPE_CHECKING:
    from fastapi import FastAPI, Response

__all__ = ["HOST", "make_app", "serve"]


def serve(
    folder: Path,
    suite: SuiteId | None,
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
            bind(listening, port)
            server = uvicorn.Server(uvicorn.Config(make_app(data), log_level="warning", access_log=False))
            data.prepare()
            listening.listen()
            on_ready(f"http://{HOST}:{listening.getsockname()[1]}/")
            server.run(sockets=[listening])
    finally:
        data.close()


def make_app(data: LiveData) -> FastAPI:
    """The page's routes. Pictures are found by digest alone, so that no path can lead elsewhere."""
    app = guarded_app()
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
        return answer(data.script(key), MEDIA_TYPES[".js"], REVALIDATED)


def _add_pictures(app: FastAPI, data: LiveData) -> None:
    @app.get(f"/{PARTS}/{THUMBNAILS}/{{start}}/{{digest}}.jpg")
    def small(start: str, digest: str) -> Response:
        return answer(from_digests(digest, make=data.picture_cache.thumbnail_of), "image/jpeg", IMMUTABLE)

    @app.get(f"/{PARTS}/{CROPS}/{{start}}/{{source}}-{{result}}-{{left}}-{{top}}-{{width}}-{{height}}.jpg")
    def crop(source: str, result: str, left: int, top: int, width: int, height: int) -> Response:
        box = WorstBox(left, top, width, height)
        content = from_digests(
            source, result, make=lambda one, two: data.picture_cache.crop_of(one, two, box)
        )
        return answer(content, "image/jpeg", IMMUTABLE)

    @app.get(f"/{PARTS}/{BREAKAGES}/{{start}}/{{name}}")
    def breakage(start: str, name: str) -> Response:
        return answer(data.breakage(f"{start}/{name}"), "image/png", IMMUTABLE)

    @app.get(f"/{PARTS}/{EXPORTS}/{{name}}")
    def export(name: str) -> Response:
        return answer(data.export(name), f"image/{name.rpartition('.')[2]}", IMMUTABLE)

    add_full_pictures(app, data.workspace)


def _add_maps(app: FastAPI, data: LiveData) -> None:
    """Maps of change in full size, created on request."""

    def draw(source: Digest, result: Digest) -> bytes:
        load = data.workspace.pictures.load
        return full_map(load(source).pixels, load(result).pixels)

    @app.get(f"/{PARTS}/{MAPS}/{MEANS}/{{number}}.png")
    def mean(number: int) -> Response:
        return answer(data.mean_map(number), "image/png", REVALIDATED)

    @app.get(f"/{PARTS}/{MAPS}/{MEANS}/of/{{scope}}/{{number}}.png")
    def mean_of_scope(scope: int, number: int) -> Response:
        return answer(data.mean_map(number, scope), "image/png", REVALIDATED)

    @app.get(f"/{PARTS}/{MAPS}/{{start}}/{{source}}-{{result}}.png")
    def map_of(start: str, source: str, result: str) -> Response:
        return answer(from_digests(source, result, make=draw), "image/png", IMMUTABLE)


def _add_assets(app: FastAPI) -> None:
    """The last route, since it matches any name; only the page's own files are found."""
    files = page_files()

    @app.get("/")
    @app.get(f"/{PARTS}/{{name}}")
    def asset(name: str = PAGE) -> Response:
        return answer(files.get(name), MEDIA_TYPES.get(Path(name).suffix, ""), REVALIDATED)
