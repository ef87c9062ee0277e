"""Black Forest Labs: submit, poll, and the host of finished files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, LoopbackServer

REJECTED: dict[str, tuple[int, Any]] = {
    "rate_limited": (429, {"detail": "Too many active tasks"}),
    "submit_error": (500, {"detail": "Internal Server Error"}),
    "no_credit": (402, {"detail": "Insufficient credits"}),
    "unknown_model": (404, {"detail": "Not Found"}),
    "wrong_parameter": (
        422,
        {
            "detail": [
                {"loc": ["body", "seed"], "msg": "Input should be a valid integer", "type": "int_parsing"}
            ]
        },
    ),
}
ENDED = {
    "request_moderated": ("Request Moderated", {"Moderation Reasons": ["Derivative Works Filter"]}),
    "content_moderated": ("Content Moderated", {"Moderation Reasons": ["Safety Filter", "Violence"]}),
    "job_error": ("Error", "the worker died"),
    "lost_job": ("Task not found", None),
}


class BflServer(LoopbackServer):
    """Jobs are pending once, then ended.

    Words: success, without_cost, slow, stays_pending, poll_once_error, poll_once_missing, poll_out,
    not_a_picture, file_gone, file_once_truncated, file_out, those of REJECTED and ENDED, and those of BROKEN
    with `submit_` or `poll_once_` before.
    """

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        super().__init__(script, picture)
        self.submitted: list[tuple[str, dict[str, Any]]] = []
        self.file_headers: list[dict[str, str]] = []
        self._words: dict[str, str] = {}
        self._looks: dict[str, int] = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/{model}", self._submit),
            web.get("/v1/get_result", self._poll),
            web.get("/files/{name}", self._file),
        ]

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("x-key") != KEY:
            return web.json_response({"detail": f"Invalid key {request.headers.get('x-key')}"}, status=401)
        self.submitted.append((request.match_info["model"], await request.json()))
        word = self.next_word()
        if word in REJECTED:
            status, body = REJECTED[word]
            return web.json_response(body, status=status, headers={"Retry-After": "0.05"})
        if word.startswith("submit_"):
            return await BROKEN[word.removeprefix("submit_")](request)
        job = f"job-{len(self.submitted)}"
        self._words[job] = word
        answer: dict[str, Any] = {"id": job, "polling_url": f"{self.url}/v1/get_result?id={job}"}
        return web.json_response(answer if word == "without_cost" else answer | {"cost": 5.0})

    async def _poll(self, request: web.Request) -> web.StreamResponse:
        assert request.headers["x-key"] == KEY
        job = request.query["id"]
        looks = self._looks[job] = self._looks.get(job, 0) + 1
        word = self._words[job]
        if word == "poll_once_error" and looks == 2:
            return web.json_response({"detail": "Bad Gateway"}, status=502)
        if word == "poll_once_missing" and looks == 1:
            return web.json_response({"id": job, "status": "Task not found", "result": None}, status=404)
        if word == "poll_out" and self.is_out():
            return web.Response(status=503)
        if word.startswith("poll_once_") and looks == 2:
            return await BROKEN[word.removeprefix("poll_once_")](request)
        if word == "stays_pending" or looks < (6 if word == "slow" else 2):
            return web.json_response({"id": job, "status": "Pending", "result": None, "progress": None})
        if word in ENDED:
            status, details = ENDED[word]
            return web.json_response({"id": job, "status": status, "result": None, "details": details})
        sample = {"sample": f"{self.url}/files/{word}.png", "prompt": "", "seed": 1}
        return web.json_response({"id": job, "status": "Ready", "result": sample})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.file_headers.append(dict(request.headers))
        name = request.match_info["name"]
        if name == "file_gone.png":
            return web.Response(status=403)
        if name == "file_out.png" and self.is_out():
            return web.Response(status=503)
        if name == "file_once_truncated.png" and len(self.file_headers) == 1:
            return await BROKEN["truncated"](request)
        body = b"<html>an error page</html>" if name == "not_a_picture.png" else self.picture
        return web.Response(body=body, content_type="image/png")
