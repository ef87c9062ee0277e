"""Gemini's generateContent."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, KEY, SLOW_SECONDS, LoopbackServer

INVALID_KEY = {
    "error": {
        "code": 400,
        "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }
        ],
    }
}
EXHAUSTED = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.05s"}],
    }
}
FAILURES: dict[str, tuple[int, Any]] = {
    "rate_limited": (429, EXHAUSTED),
    "server_error": (503, {"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}),
    "unknown_model": (404, {"error": {"code": 404, "message": "No such model.", "status": "NOT_FOUND"}}),
    "bad_input_image": (
        400,
        {"error": {"code": 400, "message": "Unable to process input image.", "status": "INVALID_ARGUMENT"}},
    ),
}


class GeminiServer(LoopbackServer):
    """Words: success, thoughtful (words, a draft, then the picture), slow, words_only, blocked, refused,
    no_image, not_a_picture, not_json, those of FAILURES and of BROKEN."""

    def __init__(self, script: Sequence[str] = ("success",), picture: bytes = b"") -> None:
        super().__init__(script, picture)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/{version}/models/{call}", self._generate)]

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("x-goog-api-key") != KEY:
            return web.json_response(INVALID_KEY, status=400)
        self.asked.append((request.match_info["call"], await request.json()))
        word = self.next_word()
        if word in BROKEN:
            return await BROKEN[word](request)
        if word in FAILURES:
            status, body = FAILURES[word]
            return web.json_response(body, status=status)
        if word == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        if word == "not_json":
            return web.Response(text='{"candidates": [{"content"', content_type="application/json")
        if word == "blocked":
            return web.json_response({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
        if word == "refused":
            words = {"role": "model", "parts": [{"text": "I cannot draw this person."}]}
            return web.json_response({"candidates": [{"content": words, "finishReason": "IMAGE_SAFETY"}]})
        if word == "no_image":
            return web.json_response({"candidates": [{"finishReason": "NO_IMAGE"}]})
        content = {"role": "model", "parts": self._parts(word)}
        used = {"promptTokenCount": 300, "candidatesTokenCount": 1290}
        candidate = {"content": content, "finishReason": "STOP"}
        return web.json_response({"candidates": [candidate], "usageMetadata": used})

    def _parts(self, word: str) -> list[dict[str, Any]]:
        if word == "words_only":
            return [{"text": "Which ball do you mean?"}]
        data = b"<html>an error page</html>" if word == "not_a_picture" else self.picture
        picture = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(data).decode()}}
        if word != "thoughtful":
            return [picture]
        draft = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(b"draft").decode()}}
        return [{"text": "Here it is."}, {**draft, "thought": True}, picture]
