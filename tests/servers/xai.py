"""xAI's /v1/images/edits: JSON in, base64 out."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, SLOW_SECONDS, LoopbackServer

INVALID = "Client specified an invalid argument"
REJECTED: dict[str, tuple[int, Any]] = {
    "rate_limited": (429, {"code": "Some resource has been exhausted", "error": "Too many requests"}),
    "server_error": (503, {"code": "The service is currently unavailable", "error": "Try again"}),
    "no_credit": (
        429,
        {"code": "Some resource has been exhausted", "error": "Your team has used all available credits."},
    ),
    "violation": (
        403,
        {"code": "The caller does not have permission", "error": "Content violates usage guidelines."},
    ),
    "rejected_picture": (400, {"code": INVALID, "error": "Generated image rejected by content moderation."}),
    "unknown_model": (404, {"code": "Not found", "error": "The model grok-9 does not exist"}),
}


class XaiServer(LoopbackServer):
    """Words: success, without_cost, odd_cost, slow, moderated, empty, data_uri, in_lines, not_base64,
    not_a_picture, and those of REJECTED and BROKEN."""

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        super().__init__(script, picture)
        self.asked: list[dict[str, Any]] = []

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/v1/images/edits", self._edit)]

    async def _edit(self, request: web.Request) -> web.StreamResponse:
        authorization = request.headers.get("Authorization", "")
        if authorization != f"Bearer {KEY}":
            said = f"Incorrect API key provided: {authorization.removeprefix('Bearer ')}."
            return web.json_response({"code": INVALID, "error": said}, status=400)
        self.asked.append(await request.json())
        word = self.next_word()
        if word in BROKEN:
            return await BROKEN[word](request)
        if word in REJECTED:
            status, body = REJECTED[word]
            return web.json_response(body, status=status, headers={"Retry-After": "0.05"})
        if word == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        return web.json_response(self._answer(word))

    def _answer(self, word: str) -> dict[str, Any]:
        picture = b"<html>an error page</html>" if word == "not_a_picture" else self.picture
        plain = base64.b64encode(picture).decode()
        ways = {
            "data_uri": f"data:image/jpeg;base64,{plain}",
            "in_lines": base64.encodebytes(picture).decode(),
            "not_base64": "*",
        }
        encoded = ways.get(word, plain)
        one: dict[str, Any] = {"b64_json": encoded, "mime_type": "image/jpeg", "revised_prompt": ""}
        if word == "moderated":
            one |= {"b64_json": "", "respect_moderation": False}
        cost = "unknown" if word == "odd_cost" else 220_000_000
        usage = {} if word == "without_cost" else {"usage": {"cost_in_usd_ticks": cost}}
        return {"data": [] if word == "empty" else [one], **usage}
