"""Any picture editor on Replicate: upload, predict, poll, fetch.

Parameters are the model's own inputs, as FLUX Kontext calls them; an empty one is not sent. `image_field`
says which input takes the picture; `image_field=images[]` is one that takes a list.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from convergebench.editors._http import (
    DEADLINE_SECONDS,
    called_off_by,
    check_inputs,
    failure_of,
    patiently,
    picture_of,
    reason_in,
    scrubbed,
    within,
)
from convergebench.editors.needs import Key, Package
from convergebench.editors.registry import provider
from convergebench.types import (
    BadOutput,
    Edited,
    Editor,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Refused,
    Unavailable,
)

if TYPE_CHECKING:
    import httpx
    from replicate.client import Client
    from replicate.prediction import Prediction

    from convergebench.picture import Picture

POLL_SECONDS = 0.5
MAX_LISTED = 10
FLAGGED = ("nsfw", "sensitive", "e005", "safety", "moderat", "content policy")
KEY = Key("REPLICATE_API_TOKEN")


class Replicate:
    """The price of a model is not known here, nor is it told by the reply."""

    def __init__(
        self,
        facts: EditorFacts,
        key: str,
        *,
        deadline_seconds: float = DEADLINE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        inputs = {name: value for name, value in facts.parameters.items() if value != ""}
        self._model = str(inputs.pop("model"))
        self._base_url = inputs.pop("base_url", None)
        field = str(inputs.pop("image_field"))
        self._image_field = field.removesuffix("[]")
        self._listed = field.endswith("[]")
        self.facts = replace(facts, max_inputs=MAX_LISTED) if self._listed else facts
        self._inputs = inputs
        self._key = key
        self._opened: Client | None = None
        self._deadline_seconds = deadline_seconds
        self._poll_seconds = poll_seconds

    async def edit(self, request: EditRequest) -> Edited:
        import httpx

        check_inputs(self.facts, request)
        try:
            async with within(self._deadline_seconds):
                job = await self._submit(request)
                async with called_off_by(job.async_cancel):
                    await self._wait(job)
                picture = await picture_of(await self._fetch(job))
        except httpx.HTTPError as error:
            raise Unavailable(f"connection lost: {type(error).__name__}") from error
        return Edited(picture, cost_usd=self.facts.price_usd)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened._async_client.aclose()

    @property
    def _client(self) -> Client:
        import httpx
        from replicate.client import Client

        if self._opened is None:
            self._opened = Client(
                self._key,
                base_url=str(self._base_url) if self._base_url else None,
                timeout=httpx.Timeout(self._deadline_seconds),
                # A mounted transport goes before the SDK's own, which asks up to ten times.
                mounts={"all://": httpx.AsyncHTTPTransport()},
                event_hooks={"response": [self._raise_for_status]},
            )
        return self._opened

    async def _raise_for_status(self, response: httpx.Response) -> None:
        """In the SDK's stead: its errors know nothing of Retry-After."""
        if response.is_error:
            reason = scrubbed(reason_in(await response.aread()), self._key)
            raise failure_of(response.status_code, reason, response.headers.get("Retry-After"))

    async def _submit(self, request: EditRequest) -> Prediction:
        from replicate.identifier import ModelVersionIdentifier

        try:
            owner, name, version = ModelVersionIdentifier.parse(self._model)
        except ValueError as error:
            raise Misconfigured(f"{self._model} is not owner/name or owner/name:version") from error
        addresses = [await self._uploaded(image) for image in request.images]
        inputs: dict[str, Any] = {
            "prompt": request.instruction,
            self._image_field: addresses if self._listed else addresses[0],
            "seed": request.seed,
            **self._inputs,
        }
        with _complete():
            if version:
                return await self._client.predictions.async_create(version=version, input=inputs)
            return await self._client.models.predictions.async_create(model=(owner, name), input=inputs)

    async def _uploaded(self, image: Picture) -> str:
        from convergebench.picture import SUFFIXES

        name = f"{image.digest[:16]}{SUFFIXES[image.facts.media_type]}"
        with _complete():
            file = await self._client.files.async_create(io.BytesIO(image.encoded), filename=name)
        return file.urls["get"]

    async def _wait(self, job: Prediction) -> None:
        import asyncio

        async def reload() -> None:
            with _complete():
                await job.async_reload()

        while job.status not in ("succeeded", "failed", "canceled"):
            await asyncio.sleep(self._poll_seconds)
            await patiently(reload, wait_seconds=self._poll_seconds)
        if job.status == "succeeded":
            return
        reason = scrubbed(job.error or job.status, self._key)
        if any(word in reason.lower() for word in FLAGGED):
            raise Refused(reason)
        raise Unavailable(reason)

    async def _fetch(self, job: Prediction) -> bytes:
        from replicate.helpers import FileOutput

        first = job.output[0] if isinstance(job.output, list) and job.output else job.output
        if not isinstance(first, str):
            raise BadOutput("the prediction holds no picture")

        async def once() -> bytes:
            with _complete():
                return await FileOutput(first, self._client).aread()

        return await patiently(once, wait_seconds=self._poll_seconds)
