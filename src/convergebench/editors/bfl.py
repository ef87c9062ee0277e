"""FLUX Kontext at Black Forest Labs: submit, poll, fetch."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from convergebench.editors._http import (
    DEADLINE_SECONDS,
    Web,
    check_inputs,
    patiently,
    picture_of,
    within,
    within_reply,
)
from convergebench.editors.needs import Key, Package
from convergebench.editors.registry import Preset, provider
from convergebench.types import Edited, Editor, EditorFacts, EditRequest, Refused, Unavailable

HOST = "https://api.bfl.ai"
POLL_SECONDS = 0.5
USD_PER_CREDIT = 0.01
WAITING = ("Pending", "Queued", "Processing", "Reviewing")
MODERATED = ("Request Moderated", "Content Moderated")
KEY = Key("BFL_API_KEY")


class BlackForestLabs:
    """Asks for PNG with the prompt as it is; the reply's own cost counts where there is one."""

    def __init__(
        self,
        facts: EditorFacts,
        key: str,
        *,
        deadline_seconds: float = DEADLINE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        options = dict(facts.parameters)
        host = str(options.pop("base_url", "")) or HOST
        self.facts = facts
        self._address = f"{host.rstrip('/')}/v1/{options.pop('model')}"
        self._options = options
        self._headers = {"x-key": key}
        self._web = Web(key)
        self._deadline_seconds = deadline_seconds
        self._poll_seconds = poll_seconds

    async def edit(self, request: EditRequest) -> Edited:
        check_inputs(self.facts, request)
        async with within(self._deadline_seconds):
            job = await self._submit(request)
            result = await self._result(within_reply(job, "polling_url"))
            picture = await picture_of(await self._web.fetch(within_reply(result, "result", "sample")))
        return Edited(picture, cost_usd=self._cost(job, result))

    async def close(self) -> None:
        await self._web.close()

    async def _submit(self, request: EditRequest) -> Any:
        body = {
            "prompt": request.instruction,
            "input_image": base64.b64encode(request.image.encoded).decode(),
            "seed": request.seed,
            **self._options,
        }
        return (await self._web.ask("POST", self._address, headers=self._headers, json=body)).good().json()

    async def _result(self, polling_url: str) -> Any:
        async def state() -> Any:
            return (await self._web.ask("GET", polling_url, headers=self._headers)).good().json()

        while True:
            now = await patiently(state, wait_seconds=self._poll_seconds)
            status = within_reply(now, "status")
            if status == "Ready":
                return now
            if status in MODERATED:
                raise Refused(_with_details(status, now))
            if status not in WAITING:
                raise Unavailable(_with_details(status, now))
            await asyncio.sleep(self._poll_seconds)

    def _cost(self, *replies: Any) -> float | None:
        for reply in replies:
            if isinstance(reply.get("cost"), int | float):
                return float(reply["cost"]) * USD_PER_CREDIT
        return self.facts.price_usd


def _with_details(status: str, state: Any) -> str:
    details = state.get("details")
    reasons = details.get("Moderation Reasons", details) if isinstance(details, dict) else details
    if isinstance(reasons, list):
        reasons = ", ".join(map(str, reasons))
    return f"{status}: {reasons}" if reasons else status


@provider(
    "bfl",
    summary="FLUX at Black Forest Labs",
    version="1",
    needs=(KEY, Package("aiohttp", "http")),
    presets={
        "kontext-pro": Preset("flux-kontext-pro", 0.04),
        "kontext-max": Preset("flux-kontext-max", 0.08),
    },
    parameters={"base_url": "", "output_format": "png", "prompt_upsampling": False, "safety_tolerance": 2},
)
def bfl(facts: EditorFacts) -> Editor:
    return BlackForestLabs(facts, KEY.value() or "")
