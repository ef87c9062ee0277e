"""FLUX Kontext at Black Forest Labs: submit, poll, fetch."""

from __future__ import annotations

import asyncio
import base64
from http import HTTPStatus
from typing import Any

from convergebench.editors._http import Web, part_of, patiently
from convergebench.editors._remote import (
    DEADLINE_SECONDS,
    call_parameters,
    deadline,
    edited_from,
    made_ready,
    sent_pictures,
)
from convergebench.editors._short_names import short_names
from convergebench.editors.needs import EditorKey, Package
from convergebench.editors.registry import provider
from convergebench.providers import one_line, stated_cost_usd
from convergebench.types import Edited, EditorFacts, EditRequest, Refused, Unavailable

KEY = EditorKey("BFL_API_KEY")
HOST = "https://api.bfl.ai"
POLL_SECONDS = 0.5
USD_PER_CREDIT = 0.01
WAITING = ("Pending", "Queued", "Processing", "Reviewing")
MODERATED = ("Request Moderated", "Content Moderated")


@provider(
    "bfl",
    summary="FLUX at Black Forest Labs, as bfl:MODEL",
    version="1",
    needs=(KEY, Package("aiohttp", "http")),
    presets=short_names("bfl"),
    parameters={"output_format": "png", "prompt_upsampling": False, "safety_tolerance": 2, "base_url": ""},
    takes_seed=True,
)
def bfl(facts: EditorFacts) -> BlackForestLabs:
    return BlackForestLabs(facts)


class BlackForestLabs:
    """One model. What a job is said to cost goes before the preset's price."""

    def __init__(self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        host = str(facts.parameters.get("base_url") or HOST).rstrip("/")
        self.facts = facts
        self._address = f"{host}/v1/{facts.parameters['model']}"
        self._headers = {"x-key": KEY.value() or ""}
        self._web = Web(host, KEY, sites=("bfl.ai",))
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        body = await made_ready(self._body, request)
        async with deadline(self._deadline_seconds) as bill:
            submitted = await self._web.ask("POST", self._address, headers=self._headers, json=body)
            job = submitted.good().json()
            polling_url = str(part_of(job, "polling_url"))
            bill.usd = self._cost(job)
            result = await self._result(polling_url)
            data = await self._web.fetch(part_of(result, "result", "sample"))
        return await edited_from(data, self._cost(job, result))

    async def close(self) -> None:
        await self._web.close()

    def _body(self, request: EditRequest) -> dict[str, Any]:
        (picture,) = sent_pictures(self.facts, request)
        return {
            "prompt": request.instruction,
            "input_image": base64.b64encode(picture.encoded).decode(),
            "seed": request.seed,
            **call_parameters(self.facts, "model", "base_url"),
        }

    async def _result(self, polling_url: str) -> Any:
        async def state() -> Any:
            reply = await self._web.ask("GET", polling_url, headers=self._headers)
            if reply.status == HTTPStatus.NOT_FOUND:
                raise Unavailable("the job cannot be found")  # a POST's 404 is an unknown model
            return reply.good().json()

        while True:
            now = await patiently(state)
            status = part_of(now, "status")
            if status == "Ready":
                return now
            if status in MODERATED:
                raise Refused(_with_details(status, now))
            if status not in WAITING:
                raise Unavailable(_with_details(status, now), cost_usd=0.0)
            await asyncio.sleep(POLL_SECONDS)

    def _cost(self, *replies: Any) -> float | None:
        for reply in replies:
            stated = stated_cost_usd(reply.get("cost"), USD_PER_CREDIT)
            if stated is not None:
                return stated
        return self.facts.price_usd


def _with_details(status: str, state: Any) -> str:
    details = state.get("details")
    reasons = details.get("Moderation Reasons", details) if isinstance(details, dict) else details
    if isinstance(reasons, list):
        reasons = ", ".join(map(str, reasons))
    return one_line(f"{status}: {reasons}" if reasons else status, KEY.value())
