"""DashScope's multimodal generation, and the host of finished files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, SLOW_SECONDS, LoopbackServer

REJECTED: dict[str, tuple[int, str, str]] = {
    "rate_limited": (429, "Throttling.RateQuota", "Requests rate limit exceeded, please try again later."),
    "server_error": (500, "InternalError", "An internal error has occurred."),
    "refused": (400, "DataInspectionFailed", "Input data may contain inappropriate content."),
    "no_credit": (400, "Arrearage", "Access denied, please make sure your account is in good standing."),
    "unknown_model": (404, "ModelNotFound", "The model does not exist."),
    "wrong_parameter": (400, "InvalidParameter", "size must be between 512 and 2048."),
}


class DashScopeServer(LoopbackServer):
    """Words: success, slow, no_output, not_a_picture, file_gone, file_once_truncated, file_out, and those of
    REJECTED and BROKEN."""

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        super().__init__(script, picture)
        self.asked: list[dict[str, Any]] = []
        self.file_headers: list[dict[str, str]] = []

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/v1/services/aigc/multimodal-generation/generation", self._generate),
            web.get("/files/{name}", self._file),
        ]

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        authorization = request.headers.get("Authorization", "")
        if authorization != f"Bearer {KEY}":
            said = f"Invalid API-key provided: {authorization.removeprefix('Bearer ')}."
            return _problem(401, "InvalidApiKey", said)
        self.asked.append(await request.json())
        word = self.next_word()
        if word in BROKEN:
            return await BROKEN[word](request)
        if word in REJECTED:
            return _problem(*REJECTED[word])
        if word == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        if word == "no_output":
            return web.json_response({"request_id": "1"})
        content = [{"image": f"{self.url}/files/{word}.png"}]
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"width": 64, "height": 64, "image_count": 1}
        return web.json_response({"output": {"choices": [choice]}, "usage": usage, "request_id": "1"})

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


def _problem(status: int, code: str, message: str) -> web.Response:
    body = {"code": code, "message": message, "request_id": "1"}
    return web.json_response(body, status=status, headers={"Retry-After": "0.05"})
