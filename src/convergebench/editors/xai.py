"""Grok Imagine at xAI: one JSON request, the picture in the reply. It has no seed and sends JPEG only."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from convergebench.editors._http import (
    DEADLINE_SECONDS,
    Reply,
    Web,
    check_inputs,
    data_uri,
    failure_of,
    picture_of,
    within,
    within_reply,
)
from convergebench.editors.needs import Key, Package
from convergebench.editors.registry import Preset, provider
from convergebench.types import (
    BadOutput,
    Edited,
    EditError,
    Editor,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Refused,
)

HOST = "https://api.x.ai/v1"
TICKS_PER_USD = 10_000_000_000
KEY = Key("XAI_API_KEY")


class Xai:
    """The reply's own cost counts where there is one."""

    def __init__(
        self, facts: EditorFacts, key: str, *, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        options = {name: value for name, value in facts.parameters.items() if value != ""}
        host = str(options.pop("base_url", HOST))
        self.facts = facts
        self._address = f"{host.rstrip('/')}/images/edits"
        self._options = options
        self._headers = {"Authorization": f"Bearer {key}"}
        self._web = Web(key)
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        check_inputs(self.facts, request)
        body = {
            "prompt": request.instruction,
            "image": {"type": "image_url", "url": data_uri(request.image)},
            "response_format": "b64_json",
            "n": 1,
            **self._options,
        }
        async with within(self._deadline_seconds):
            reply = await self._web.ask("POST", self._address, headers=self._headers, json=body)
            if reply.status >= 400:
                raise _failure(reply)
            answer = reply.json()
            return Edited(await picture_of(_picture_in(answer)), cost_usd=self._cost(answer))

    async def close(self) -> None:
        await self._web.close()

    def _cost(self, answer: Any) -> float | None:
        ticks = (answer.get("usage") or {}).get("cost_in_usd_ticks")
        return self.facts.price_usd if ticks is None else float(ticks) / TICKS_PER_USD


def _picture_in(answer: Any) -> bytes:
    data = within_reply(answer, "data")
    if not data:
        raise Refused("moderated: the reply holds no picture")
    if data[0].get("respect_moderation") is False:
        raise Refused("moderated: the picture does not respect the content policy")
    try:
        return base64.b64decode(within_reply(data, 0, "b64_json"), validate=True)
    except binascii.Error as error:
        raise BadOutput("the picture in the reply is not base64") from error


def _failure(reply: Reply) -> EditError:
    """xAI's statuses are blurred: a wrong key is a 400, spent credit a 429, a violation a 403."""
    said = reply.reason.lower()
    if "api key" in said or "credits" in said:
        return Misconfigured(reply.reason)
    if "guidelines" in said or "moderation" in said or "safety_check" in said:
        return Refused(reply.reason)
    return failure_of(reply.status, reply.reason, reply.retry_after)


@provider(
    "xai",
    summary="Grok Imagine at xAI",
    version="1",
    needs=(KEY, Package("aiohttp", "http")),
    presets={"grok-imagine": Preset("grok-imagine-image", 0.022)},
    parameters={"base_url": "", "resolution": "1k"},
)
def xai(facts: EditorFacts) -> Editor:
    return Xai(facts, KEY.value() or "")
