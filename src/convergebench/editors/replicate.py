"""Any picture editor on Replicate: upload, predict, poll, fetch.

Parameters are the model's own inputs, as FLUX Kontext calls them; an empty one is not sent. `image_field`
says which input takes the picture; `image_field=images[]` is one that takes a list.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from convergebench.editors._http import Web, called_off_by, patiently, reason_in
from convergebench.editors._remote import (
    DEADLINE_SECONDS,
    call_parameters,
    deadline,
    edited_from,
    made_ready,
    sent_pictures,
)
from convergebench.editors.needs import EditorKey, Package
from convergebench.editors.registry import provider
from convergebench.network import KeyOrigin, guarded_hooks, unanswered
from convergebench.providers import error_for, one_line, seconds_in
from convergebench.types import (
    BadOutput,
    Edited,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Refused,
    Unavailable,
    UnusableAnswer,
)

if TYPE_CHECKING:
    import httpx
    from replicate.prediction import Prediction

    from convergebench.picture import Picture

KEY = EditorKey("REPLICATE_API_TOKEN")
HOST = "https://api.replicate.com"
POLL_SECONDS = 0.5
MANY_PICTURES = 10
FLAGGED = ("nsfw", "sensitive", "e005", "safety", "moderat", "content policy")


@provider(
    "replicate",
    summary="any picture editor on Replicate, as replicate:OWNER/NAME",
    version="1",
    needs=(KEY, Package("replicate", "replicate"), Package("aiohttp", "replicate")),
    parameters={
        "image_field": "input_image",
        "aspect_ratio": "match_input_image",
        "output_format": "png",
        "prompt_upsampling": False,
        "base_url": "",
    },
)
def replicate(facts: EditorFacts) -> Replicate:
    return Replicate(facts)


class Replicate:
    """One model. What it costs is not known here, nor does the reply tell."""

    def __init__(self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        import httpx
        from replicate.client import Client

        field = str(facts.parameters["image_field"])
        self._image_field = field.removesuffix("[]")
        self._listed = field.endswith("[]")
        self.facts = replace(facts, max_inputs=MANY_PICTURES if self._listed else 1)
        base_url = str(facts.parameters["base_url"] or os.environ.get("REPLICATE_BASE_URL") or HOST)
        hooks = guarded_hooks(KeyOrigin(base_url))
        self._client = Client(
            KEY.value(),
            base_url=base_url,
            timeout=httpx.Timeout(deadline_seconds),
            # A mounted transport goes before the SDK's own, which asks up to ten times.
            mounts={"all://": httpx.AsyncHTTPTransport()},
            event_hooks={**hooks, "response": [*hooks["response"], _raise_for_status]},
        )
        # Apart: the key is not for file hosts.
        self._files = Web(base_url)
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        pictures = await made_ready(partial(sent_pictures, self.facts), request)
        async with deadline(self._deadline_seconds):
            job = await self._submit(pictures, request)
            async with called_off_by(job.async_cancel):
                await self._wait(job)
            data = await self._fetch(job)
        return await edited_from(data, self.facts.price_usd)

    async def close(self) -> None:
        await self._files.close()
        await self._client._async_client.aclose()

    async def _submit(self, pictures: tuple[Picture, ...], request: EditRequest) -> Prediction:
        from replicate.identifier import ModelVersionIdentifier

        model = str(self.facts.parameters["model"])
        try:
            owner, name, version = ModelVersionIdentifier.parse(model)
        except ValueError as error:
            raise Misconfigured(f"{model} is not owner/name or owner/name:version") from error
        addresses = [await self._uploaded(picture) for picture in pictures]
        inputs: dict[str, Any] = {
            "prompt": request.instruction,
            self._image_field: addresses if self._listed else addresses[0],
            "seed": request.seed,
            **call_parameters(self.facts, "model", "image_field", "base_url"),
        }
        with _answered():
            if version:
                return await self._client.predictions.async_create(version=version, input=inputs)
            return await self._client.models.predictions.async_create(model=(owner, name), input=inputs)

    async def _uploaded(self, image: Picture) -> str:
        from convergebench.picture import SUFFIXES

        name = f"{image.digest[:16]}{SUFFIXES[image.facts.media_type]}"
        with _answered():
            file = await self._client.files.async_create(io.BytesIO(image.encoded), filename=name)
        return file.urls["get"]

    async def _wait(self, job: Prediction) -> None:
        async def reload() -> None:
            with _answered():
                await job.async_reload()

        while job.status not in ("succeeded", "failed", "canceled"):
            await asyncio.sleep(POLL_SECONDS)
            await patiently(reload)
        if job.status == "succeeded":
            return
        reason = one_line(job.error or job.status, KEY.value())
        if any(word in reason.lower() for word in FLAGGED):
            raise Refused(reason)
        raise Unavailable(reason)

    async def _fetch(self, job: Prediction) -> bytes:
        first = job.output[0] if isinstance(job.output, list) and job.output else job.output
        if not isinstance(first, str):
            raise BadOutput("the prediction has no picture")
        return await self._files.fetch(first)


async def _raise_for_status(response: httpx.Response) -> None:
    """In the SDK's stead: its errors know nothing of Retry-After."""
    if not response.is_error:
        return
    reason = one_line(reason_in(await response.aread()), KEY.value())
    if response.status_code == HTTPStatus.NOT_FOUND and response.request.method == "GET":
        raise Unavailable("the prediction cannot be found")  # a POST's 404 is an unknown model
    after = seconds_in(response.headers.get("Retry-After"))
    raise error_for(response.status_code, reason, key_name=KEY.names[0], after_seconds=after)


@contextlib.contextmanager
def _answered() -> Iterator[None]:
    """A lost connection, or a reply that is not whole or not of the SDK's kind, is Unavailable."""
    import httpx

    try:
        yield
    except RecursionError as error:
        raise UnusableAnswer("the reply is nested too deeply") from error
    except (httpx.HTTPError, ValueError) as error:
        raise unanswered(error, f"the reply was cut off: {type(error).__name__}") from error
