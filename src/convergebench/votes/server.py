"""Serves the voting page: on loopback, or elsewhere to those who have the token."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.errors import ConvergeBenchError, MissingExtra
from convergebench.report.page.data_script import script_of
from convergebench.report.page.http import (
    HOST,
    MEDIA_TYPES,
    REVALIDATED,
    add_full_pictures,
    answer,
    bind,
    guarded_app,
)
from convergebench.report.page.page_files import PARTS
from convergebench.store import Workspace
from convergebench.votes.study import Study
from convergebench.votes.vote_files import PAGE, vote_files

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

LOCAL_HOSTS = (HOST, "localhost", "::1")
_COOKIE = "convergebench_token"
_MOST_BYTES = 64 * 1024


def serve_votes(
    study: Study, workspace: Workspace, host: str, port: int, token: str, on_ready: Callable[[int], None]
) -> None:
    """Serve until interrupted; `on_ready` gets the port. No address of a rater is stored or logged."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtra("uvicorn", "view") from error
    with socket.socket() as listening, suppress(KeyboardInterrupt):
        bind(listening, port, host)
        app = make_vote_app(study, workspace, token)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        listening.listen()
        on_ready(listening.getsockname()[1])
        server.run(sockets=[listening])


def make_vote_app(study: Study, workspace: Workspace, token: str = "") -> FastAPI:
    """The routes. With a token, nothing is answered without it, and any host name is accepted."""
    app = guarded_app(("*",) if token else LOCAL_HOSTS)
    if token:
        _require(app, token)
    _add_votes(app, study)
    add_full_pictures(app, workspace)
    _add_page(app, study)
    return app


def _require(app: FastAPI, token: str) -> None:
    """The token comes once in the address, and from then on in a cookie that other sites cannot send."""
    from starlette.responses import PlainTextResponse, RedirectResponse

    @app.middleware("http")
    async def checked(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        given = request.query_params.get("token")
        if given is not None and secrets.compare_digest(given.encode(), token.encode()):
            entered = RedirectResponse("/", 303)
            entered.set_cookie(_COOKIE, token, httponly=True, samesite="strict")
            return entered
        held = request.cookies.get(_COOKIE, "")
        if not secrets.compare_digest(held.encode(), token.encode()):
            return PlainTextResponse("This page needs the link that the study gave you.", 403)
        return await call_next(request)


def _add_votes(app: FastAPI, study: Study) -> None:
    """Requests must be JSON, which no other site can send here without being asked first."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse

    def start(data: dict[str, Any]) -> dict[str, Any]:
        return study.start(str(data.get("rater", "")), str(data.get("consent", "")))

    def undo(data: dict[str, Any]) -> dict[str, Any]:
        return study.undo(str(data.get("rater", "")), str(data.get("consent", "")))

    def endpoint(
        action: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                return JSONResponse({"error": "send JSON"}, 415)
            try:
                return JSONResponse(await run_in_threadpool(action, await _json_object(request)))
            except ValueError as error:
                return JSONResponse({"error": str(error)}, 400)
            except ConvergeBenchError as error:
                return JSONResponse({"error": str(error)}, 500)

        return respond

    for name, action in (("start", start), ("answer", study.answer), ("undo", undo)):
        app.router.add_route(f"/vote/{name}", endpoint(action), ["POST"])


async def _json_object(request: Request) -> dict[str, Any]:
    """What was sent, of which no more than the limit is read."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise ValueError(f"a request has at most {_MOST_BYTES} bytes")
    try:
        data = json.loads(body)
    except RecursionError:
        raise ValueError("the request is nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError("a request is one JSON object")
    return data


def _add_page(app: FastAPI, study: Study) -> None:
    files = vote_files()
    text = script_of("study", {"consent": study.text.consent, "mark": study.text.consent_mark, "live": True})

    async def asset(request: Request) -> Response:
        name = request.path_params.get("name", PAGE)
        return answer(files.get(name), MEDIA_TYPES.get(Path(name).suffix, ""), REVALIDATED)

    async def study_text(request: Request) -> Response:
        return answer(text, MEDIA_TYPES[".js"], REVALIDATED)

    app.router.add_route(f"/{PARTS}/data/study.js", study_text, ["GET"])
    app.router.add_route("/", asset, ["GET"])
    app.router.add_route(f"/{PARTS}/{{name}}", asset, ["GET"])
