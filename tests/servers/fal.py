"""fal's queue: submit, status, result, cancel, and the host of finished files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, LoopbackServer

REFUSAL = {
    "detail": [
        {
            "loc": ["body", "prompt"],
            "msg": "The content could not be processed because it was flagged by a content checker.",
            "type": "content_policy_violation",
        }
    ]
}
TOO_SMALL = {
    "detail": [{"loc": ["body", "image_url"], "msg": "Image is too small.", "type": "image_too_small"}]
}
OTHER_FIELD = {"detail": [{"loc": ["body", "image_url"], "msg": "Field required", "type": "missing"}]}
NOT_A_NUMBER = {
    "detail": [
        {"loc": ["body", "guidance_scale"], "msg": "Input should be a number", "type": "float_parsing"}
    ]
}


class FalServer(LoopbackServer):
    """Jobs wait once, work once, then are complete.

    Words: success, success_inline, slow, rate_limited, submit_error, job_error, refused, nsfw, too_small,
    wrong_parameter, other_field, no_media, not_a_picture, file_gone, no_credit, unknown_endpoint,
    stays_queued, empty, status_out, file_out;
    those of BROKEN with `submit_` (nothing was accepted) or `result_` before; and those of BROKEN, a status
    or `a_web_page` with `status_once_`, `result_once_` or `file_once_` before.
    """

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        super().__init__(script, picture)
        self.submitted: list[tuple[str, dict[str, Any]]] = []
        self.cancelled: list[str] = []
        self.file_headers: list[dict[str, str]] = []
        self._words: dict[str, str] = {}
        self._looks: dict[str, int] = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/files/{name}", self._file),
            web.get("/requests/{job}/status", self._status),
            web.get("/requests/{job}", self._result),
            web.put("/requests/{job}/cancel", self._cancel),
            web.post("/{endpoint:.+}", self._submit),
        ]

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Key {KEY}":
            return web.json_response(
                {"detail": "Cannot access application. Authentication is required."}, status=401
            )
        self.submitted.append((request.match_info["endpoint"], await request.json()))
        word = self.next_word()
        if word.startswith("submit_") and word != "submit_error":
            return await BROKEN[word.removeprefix("submit_")](request)
        if word == "rate_limited":
            return web.json_response(
                {"detail": "Too many requests"}, status=429, headers={"Retry-After": "0.05"}
            )
        if word == "submit_error":
            return web.json_response({"detail": "Internal Server Error"}, status=500)
        if word == "no_credit":
            locked = "User is locked. Reason: Exhausted balance. Top up your balance."
            return web.json_response({"detail": locked}, status=403)
        if word == "unknown_endpoint":
            return web.json_response({"detail": "Application not found"}, status=404)
        job = f"job-{len(self.submitted)}"
        self._words[job] = word
        address = f"{self.url}/requests/{job}"
        return web.json_response(
            {
                "status": "IN_QUEUE",
                "request_id": job,
                "response_url": address,
                "status_url": f"{address}/status",
                "cancel_url": f"{address}/cancel",
                "queue_position": 0,
            }
        )

    async def _status(self, request: web.Request) -> web.StreamResponse:
        job = request.match_info["job"]
        looks = self._looks[job] = self._looks.get(job, 0) + 1
        word = self._words[job]
        if word.startswith("status_once_") and looks == 2:
            return await _lost(word.removeprefix("status_once_"), request)
        if word == "status_out" and self.is_out():
            return web.Response(status=502)
        if word == "stays_queued" or looks == 1:
            return web.json_response({"status": "IN_QUEUE", "queue_position": 0}, status=202)
        if looks < (6 if word == "slow" else 3):
            return web.json_response({"status": "IN_PROGRESS", "logs": None}, status=202)
        return web.json_response({"status": "COMPLETED", "logs": None, "metrics": {"inference_time": 0.1}})

    async def _result(self, request: web.Request) -> web.StreamResponse:
        job = request.match_info["job"]
        word = self._words[job]
        if word.startswith("result_once_"):
            self._words[job] = "success"
            return await _lost(word.removeprefix("result_once_"), request)
        if word.startswith("result_"):
            return await BROKEN[word.removeprefix("result_")](request)
        failures: dict[str, tuple[int, Any]] = {
            "job_error": (503, {"detail": "Runner disconnected", "error_type": "runner_disconnected"}),
            "refused": (422, REFUSAL),
            "too_small": (422, TOO_SMALL),
            "wrong_parameter": (422, NOT_A_NUMBER),
            "other_field": (422, OTHER_FIELD),
            "no_media": (
                422,
                {"detail": [{"loc": ["body"], "msg": "No media.", "type": "no_media_generated"}]},
            ),
        }
        if word in failures:
            status, body = failures[word]
            return web.json_response(body, status=status)
        return web.json_response({"images": self._images(word), "has_nsfw_concepts": [word == "nsfw"]})

    def _images(self, word: str) -> list[dict[str, Any]]:
        if word == "empty":
            return []
        if word == "success_inline":
            return [{"url": "data:image/png;base64," + base64.b64encode(self.picture).decode()}]
        return [{"url": f"{self.url}/files/{word}.png", "content_type": "image/png"}]

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.file_headers.append(dict(request.headers))
        name = request.match_info["name"]
        if name.startswith("file_once_") and len(self.file_headers) == 1:
            return await _lost(name.removeprefix("file_once_").removesuffix(".png"), request)
        if name == "file_out.png" and self.is_out():
            return web.Response(status=503)
        if name == "file_gone.png":
            return web.Response(status=404)
        if name == "not_a_picture.png":
            return web.Response(body=b"<html>an error page</html>", content_type="image/png")
        return web.Response(body=self.picture, content_type="image/png")

    async def _cancel(self, request: web.Request) -> web.StreamResponse:
        self.cancelled.append(request.match_info["job"])
        return web.json_response({"status": "CANCELLATION_REQUESTED"}, status=202)


async def _lost(way: str, request: web.Request) -> web.StreamResponse:
    """An answer that says nothing about the job."""
    if way == "a_web_page":
        return web.Response(text="<html>a proxy's page</html>", content_type="text/html")
    if way.isdigit():
        return web.json_response({"detail": "Not now"}, status=int(way), headers={"Retry-After": "0.01"})
    return await BROKEN[way](request)
