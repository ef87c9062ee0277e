"""OpenAI's POST /v1/images/edits: multipart in, base64 out."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, SLOW_SECONDS, LoopbackServer

USAGE = {
    "total_tokens": 1500,
    "input_tokens": 400,
    "output_tokens": 1100,
    "input_tokens_details": {"text_tokens": 80, "image_tokens": 320},
}
ODD_USAGE: dict[str, dict[str, Any] | None] = {
    "no_usage": None,
    "empty_usage": {},
    "usage_without_details": {"total_tokens": 1500, "input_tokens": 400, "output_tokens": 1100},
    "usage_without_a_count": {**USAGE, "output_tokens": None},
}


def problem(
    message: str, code: str | None, kind: str = "invalid_request_error", param: str | None = None
) -> Any:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


BLOCKED = problem(
    "Your request was rejected by the safety system.", "moderation_blocked", "image_generation_user_error"
)
FAILURES: dict[str, tuple[int, Any, dict[str, str]]] = {
    "rate_limited": (429, problem("Rate limit reached.", "rate_limit_exceeded"), {"Retry-After": "0.05"}),
    "no_credit": (429, problem("You exceeded your current quota.", "insufficient_quota"), {}),
    "server_error": (500, problem("The server had an error.", None, "server_error"), {}),
    "refused": (400, BLOCKED, {}),
    "unknown_model": (404, problem("The model does not exist.", "model_not_found"), {}),
    "model_mismatch": (400, problem("Model mismatch: this server serves another.", None), {}),
    "bad_input_image": (400, problem("Invalid image file.", "invalid_image_file", param="image"), {}),
}


@dataclass(frozen=True)
class Asked:
    authorization: str
    fields: dict[str, str]
    files: list[tuple[str, bytes, str]]
    """Field, content, media type."""


class OpenAIServer(LoopbackServer):
    """Words: success, slow, data_uri, in_lines, address, address_of_data, file_out, not_a_picture,
    not_base64, not_json, a_web_page, empty, no_data, those of ODD_USAGE, of BROKEN and of FAILURES, and the
    latter with `200_` before."""

    def __init__(
        self, script: Sequence[str] = ("success",), picture: bytes = b"", *, needs_key: bool = True
    ) -> None:
        super().__init__(script, picture)
        self.asked: list[Asked] = []
        self.file_headers: list[dict[str, str]] = []
        self._needs_key = needs_key

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/v1/images/edits", self._edit), web.get("/files/{name}", self._file)]

    async def _edit(self, request: web.Request) -> web.StreamResponse:
        authorization = request.headers.get("Authorization", "")
        if self._needs_key and authorization != f"Bearer {KEY}":
            given = authorization.removeprefix("Bearer ")
            refused = problem(f"Incorrect API key provided: {given}.", "invalid_api_key")
            return web.json_response(refused, status=401)
        self.asked.append(await _read(request, authorization))
        word = self.next_word()
        if word in BROKEN:
            return await BROKEN[word](request)
        if word in FAILURES:
            status, body, headers = FAILURES[word]
            return web.json_response(body, status=status, headers=headers)
        if word.startswith("200_"):
            return web.json_response(FAILURES[word.removeprefix("200_")][1])
        if word == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        if word == "not_json":
            return web.Response(text='{"created": 17000', content_type="application/json")
        if word == "a_web_page":
            return web.Response(text="<html>a proxy's page</html>", content_type="text/html")
        if word == "empty":
            return web.json_response({"created": 1_760_000_000, "data": []})
        if word == "no_data":
            return web.json_response({"created": 1_760_000_000, "data": [], "usage": USAGE})
        reply: dict[str, Any] = {
            "created": 1_760_000_000,
            "data": [self._picture(word)],
            "output_format": "png",
        }
        usage = ODD_USAGE.get(word, USAGE)
        return web.json_response(reply if usage is None else reply | {"usage": usage})

    def _picture(self, word: str) -> dict[str, Any]:
        data = b"<html>an error page</html>" if word == "not_a_picture" else self.picture
        encoded = base64.b64encode(data).decode()
        uri = f"data:image/png;base64,{encoded}"
        address = f"{self.url}/files/{word}.png"
        ways: dict[str, dict[str, Any]] = {
            "data_uri": {"b64_json": uri},
            "in_lines": {"b64_json": base64.encodebytes(data).decode()},
            "address": {"url": address},
            "address_of_data": {"b64_json": None, "url": uri},
            "file_out": {"url": address},
            "not_base64": {"b64_json": "*"},
        }
        return ways.get(word, {"b64_json": encoded})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.file_headers.append(dict(request.headers))
        if request.match_info["name"] == "file_out.png" and self.is_out():
            return web.Response(status=503)
        return web.Response(body=self.picture, content_type="image/png")


async def _read(request: web.Request, authorization: str) -> Asked:
    fields: dict[str, str] = {}
    files: list[tuple[str, bytes, str]] = []
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            with value.file:
                files.append((name, value.file.read(), value.content_type))
        else:
            assert isinstance(value, str)
            fields[name] = value
    return Asked(authorization, fields, files)
