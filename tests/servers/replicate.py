"""Replicate's API: files, predictions of a model or of a version, polling, cancelling, finished files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, LoopbackServer

REJECTED: dict[str, tuple[int, Any]] = {
    "rate_limited": (429, {"detail": "Request was throttled.", "status": 429}),
    "submit_error": (500, {"detail": "Internal server error", "status": 500}),
    "no_credit": (
        402,
        {"title": "Insufficient credit", "detail": "You have insufficient credit.", "status": 402},
    ),
    "unknown_model": (404, {"detail": "The requested resource could not be found.", "status": 404}),
    "wrong_input": (
        422,
        {"title": "Input validation failed", "detail": "- input: image is required", "status": 422},
    ),
}
FAILED = {
    "flagged": "The input or output was flagged as sensitive. Please try again with different inputs. (E005)",
    "job_error": "Prediction interrupted; please retry (code: PA)",
}


class ReplicateServer(LoopbackServer):
    """Predictions start, then process, then end.

    Words: success, listed, inline, slow, stays_starting, no_output, not_a_picture, file_gone,
    file_once_truncated, file_out, poll_once_error, poll_out, poll_overloaded, those of REJECTED and FAILED,
    and those of BROKEN with `submit_` or `poll_once_` before.
    """

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        super().__init__(script, picture)
        self.uploaded: list[tuple[str, str, bytes]] = []
        self.submitted: list[tuple[str, dict[str, Any]]] = []
        self.cancelled: list[str] = []
        self.file_headers: list[dict[str, str]] = []
        self.polls = 0
        self._words: dict[str, str] = {}
        self._looks: dict[str, int] = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/files", self._upload),
            web.post("/v1/models/{owner}/{name}/predictions", self._submit),
            web.post("/v1/predictions", self._submit),
            web.get("/v1/predictions/{job}", self._poll),
            web.post("/v1/predictions/{job}/cancel", self._cancel),
            web.get("/delivery/{name}", self._file),
        ]

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        authorization = request.headers.get("Authorization", "")
        if authorization != f"Bearer {KEY}":
            said = f"You did not pass a valid token: {authorization}"
            return web.json_response({"title": "Unauthenticated", "detail": said, "status": 401}, status=401)
        content = (await request.post())["content"]
        assert isinstance(content, web.FileField)
        self.uploaded.append((content.filename, content.content_type, content.file.read()))
        file = f"file-{len(self.uploaded)}"
        return web.json_response(
            {
                "id": file,
                "name": content.filename,
                "content_type": content.content_type,
                "size": 1,
                "etag": "x",
                "checksums": {},
                "metadata": {},
                "created_at": "2026-11-15T00:00:00Z",
                "expires_at": "2026-11-16T00:00:00Z",
                "urls": {"get": f"{self.url}/v1/files/{file}"},
            },
            status=201,
        )

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        model = "/".join(request.match_info.values()) or asked["version"]
        self.submitted.append((model, asked["input"]))
        word = self.next_word()
        if word in REJECTED:
            status, body = REJECTED[word]
            return web.json_response(body, status=status, headers={"Retry-After": "0.05"})
        if word.startswith("submit_"):
            return await BROKEN[word.removeprefix("submit_")](request)
        job = f"job-{len(self.submitted)}"
        self._words[job] = word
        return web.json_response(self._prediction(job, "starting"), status=201)

    async def _poll(self, request: web.Request) -> web.StreamResponse:
        job = request.match_info["job"]
        looks = self._looks[job] = self._looks.get(job, 0) + 1
        word = self._words[job]
        self.polls += 1
        if word == "poll_overloaded" or (word == "poll_out" and self.is_out()):
            return web.json_response({"detail": "Service unavailable"}, status=503)
        if word == "poll_once_error" and looks == 1:
            return web.json_response({"detail": "Bad Gateway"}, status=502)
        if word.startswith("poll_once_") and looks == 1:
            return await BROKEN[word.removeprefix("poll_once_")](request)
        if word == "stays_starting":
            return web.json_response(self._prediction(job, "starting"))
        if looks < (6 if word == "slow" else 2):
            return web.json_response(self._prediction(job, "processing"))
        if word in FAILED:
            return web.json_response(self._prediction(job, "failed", error=FAILED[word]))
        return web.json_response(self._prediction(job, "succeeded", output=self._output(word)))

    def _output(self, word: str) -> Any:
        address = f"{self.url}/delivery/{word}.png"
        if word == "listed":
            return [address]
        if word == "inline":
            return "data:image/png;base64," + base64.b64encode(self.picture).decode()
        return None if word == "no_output" else address

    def _prediction(self, job: str, status: str, **more: Any) -> dict[str, Any]:
        return {
            "id": job,
            "model": "owner/name",
            "version": "hidden",
            "status": status,
            "input": {},
            "output": None,
            "logs": "",
            "error": None,
            "created_at": "2026-11-15T00:00:00Z",
            "urls": {"get": f"{self.url}/v1/predictions/{job}"},
            **more,
        }

    async def _cancel(self, request: web.Request) -> web.StreamResponse:
        job = request.match_info["job"]
        self.cancelled.append(job)
        return web.json_response(self._prediction(job, "canceled"))

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.file_headers.append(dict(request.headers))
        name = request.match_info["name"]
        if name == "file_gone.png":
            return web.Response(status=404)
        if name == "file_out.png" and self.is_out():
            return web.Response(status=503)
        if name == "file_once_truncated.png" and len(self.file_headers) == 1:
            return await BROKEN["truncated"](request)
        body = b"<html>an error page</html>" if name == "not_a_picture.png" else self.picture
        return web.Response(body=body, content_type="image/png")
