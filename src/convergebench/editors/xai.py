"""Grok Imagine at xAI: one JSON request, the picture in the reply. It takes no seed and sends JPEG only."""

from __future__ import annotations

from typing import Any

from convergebench.editors._http import HttpReply, Web, data_uri, decoded, part_of
from convergebench.editors._remote import (
    DEADLINE_SECONDS,
    call_parameters,
    charged,
    deadline,
    edited_from,
    made_ready,
    sent_pictures,
)
from convergebench.editors._short_names import short_names
from convergebench.editors.needs import EditorKey, Package
from convergebench.editors.registry import provider
from convergebench.providers import stated_cost_usd
from convergebench.types import Edited, EditError, EditorFacts, EditRequest, Misconfigured, Refused

KEY = EditorKey("XAI_API_KEY")
HOST = "https://api.x.ai/v1"
TICKS_PER_USD = 10_000_000_000
VIOLATION = ("guidelines", "moderation", "safety_check")


@provider(
    "xai",
    summary="Grok Imagine at xAI, as xai:MODEL",
    version="1",
    needs=(KEY, Package("aiohttp", "http")),
    presets=short_names("xai"),
    parameters={"resolution": "1k", "base_url": ""},
    takes_seed=False,
)
def xai(facts: EditorFacts) -> Xai:
    return Xai(facts)


class Xai:
    """One model. What a reply says it cost goes before the preset's price."""

    def __init__(self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        host = str(facts.parameters.get("base_url") or HOST).rstrip("/")
        self.facts = facts
        self._address = f"{host}/images/edits"
        self._headers = {"Authorization": f"Bearer {KEY.value()}"}
        self._web = Web(host, KEY)
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        body = await made_ready(self._body, request)
        async with deadline(self._deadline_seconds):
            reply = await self._web.ask("POST", self._address, headers=self._headers, json=body)
        if reply.error:
            raise _explained(reply, reply.error)
        answer = reply.json()
        cost_usd = self._cost(answer)
        with charged(cost_usd):
            data = _picture_in(answer)
        return await edited_from(data, cost_usd)

    async def close(self) -> None:
        await self._web.close()

    def _body(self, request: EditRequest) -> dict[str, Any]:
        (picture,) = sent_pictures(self.facts, request)
        return {
            "prompt": request.instruction,
            "image": {"type": "image_url", "url": data_uri(picture)},
            "response_format": "b64_json",
            "n": 1,
            **call_parameters(self.facts, "base_url"),
        }

    def _cost(self, answer: Any) -> float | None:
        usage = answer.get("usage") if isinstance(answer, dict) else None
        ticks = usage.get("cost_in_usd_ticks") if isinstance(usage, dict) else None
        stated = stated_cost_usd(ticks, 1.0)
        return self.facts.price_usd if stated is None else stated / TICKS_PER_USD


def _picture_in(answer: Any) -> bytes:
    data = part_of(answer, "data")
    if not data:
        raise Refused("moderated: the reply has no picture")
    if data[0].get("respect_moderation") is False:
        raise Refused("moderated: the picture does not respect the content policy")
    return decoded(part_of(data, 0, "b64_json"))


def _explained(reply: HttpReply, usual: EditError) -> EditError:
    """xAI's statuses are blurred: a wrong key is a 400, spent credit a 429, a violation a 400 or 403."""
    said = reply.reason.lower()
    if "api key" in said:
        return Misconfigured(f"the key in {KEY.names[0]} is not accepted; check it and run again")
    if "credits" in said:
        return Misconfigured(reply.reason)
    if reply.status < 500 and any(word in said for word in VIOLATION):
        return Refused(reply.reason)
    return usual
