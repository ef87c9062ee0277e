"""fal: any image-editing endpoint through its queue (submit, look, fetch)."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from convergebench.editors._http import Web, called_off_by, data_uri, patiently
from convergebench.editors._remote import (
    DEADLINE_SECONDS,
    Bill,
    call_parameters,
    deadline,
    edited_from,
    made_ready,
    sent_pictures,
)
from convergebench.editors.needs import EditorKey, Package
from convergebench.editors.registry import Preset, provider
from convergebench.network import KeyOrigin, guarded_hooks
from convergebench.providers import error_for, one_line, seconds_in
from convergebench.types import (
    BadOutput,
    Edited,
    EditError,
    EditorFacts,
    EditRequest,
    Refused,
    Unavailable,
    UnusableAnswer,
)

if TYPE_CHECKING:
    from fal_client import FalClientHTTPError

T = TypeVar("T")

KEY = EditorKey("FAL_KEY")
POLL_SECONDS = 0.25
MANY_PICTURES = 10

ONE_PICTURE = frozenset(
    {
        "fal-ai/qwen-image-edit",
        "fal-ai/flux-kontext/dev",
        "fal-ai/flux-pro/kontext",
        "fal-ai/flux-pro/kontext/max",
    }
)
"""Endpoints whose field is `image_url`; all others that we know take a list, `image_urls`."""
UNSEEDED = frozenset({"xai/grok-imagine-image/edit", "fal-ai/bytedance/seedream/v5/lite/edit"})

UNFIT_PICTURE = frozenset(
    {"image_too_small", "image_too_large", "image_load_error", "unsupported_image_format", "file_too_large"}
)
PASSING = frozenset({"downstream_service_error", "downstream_service_unavailable", "generation_timeout"})
ASK_AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
GATEWAY = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)

PRESETS = {
    "qwen": Preset("fal-ai/qwen-image-edit", 0.02),
    "qwen-2511": Preset("fal-ai/qwen-image-edit-2511", 0.03),
    "flux-dev": Preset(
        "fal-ai/flux-kontext/dev", 0.025, {"resolution_mode": "match_input", "enhance_prompt": False}
    ),
    "flux-pro": Preset("fal-ai/flux-pro/kontext", 0.04, {"enhance_prompt": False}),
    "flux-max": Preset("fal-ai/flux-pro/kontext/max", 0.08, {"enhance_prompt": False}),
    "flux-2": Preset("fal-ai/flux-2/edit", 0.024, {"enable_prompt_expansion": False}),
    "flux-2-pro": Preset("fal-ai/flux-2-pro/edit", None, {"image_size": "auto"}),
    "grok": Preset("xai/grok-imagine-image/edit", 0.05),
    "seedream": Preset("fal-ai/bytedance/seedream/v4.5/edit", 0.04, {"image_size": "auto_2K"}),
    "seedream-v4": Preset("fal-ai/bytedance/seedream/v4/edit", 0.04, {"image_size": "auto"}),
    "nano-banana-edit": Preset("fal-ai/nano-banana/edit", 0.039, {"aspect_ratio": "auto"}),
    "nano-banana-pro": Preset("fal-ai/nano-banana-pro/edit", 0.15, {"aspect_ratio": "auto"}),
}


@provider(
    "fal",
    summary="any image-editing endpoint at fal, as fal:ENDPOINT",
    version="1",
    needs=(KEY, Package("fal_client", "fal"), Package("aiohttp", "fal")),
    presets=PRESETS,
    parameters={"output_format": "png", "image_field": "", "base_url": ""},
    at_once=2,
)
def fal(facts: EditorFacts) -> Fal:
    return Fal(facts)


class Fal:
    """One endpoint. `image_field` names the field for the picture; a plural one takes a list."""

    def __init__(self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        from fal_client import AsyncClient, client
        from fal_client.auth import FAL_QUEUE_RUN_HOST

        # The client knows both only as globals of its module: all fal editors of a process share them.
        client.MAX_ATTEMPTS = 1
        base_url = str(facts.parameters.get("base_url") or f"https://{FAL_QUEUE_RUN_HOST}")
        client.QUEUE_URL_FORMAT = base_url.rstrip("/") + "/"
        self._endpoint = str(facts.parameters["model"])
        self._field = str(facts.parameters.get("image_field") or _image_field(self._endpoint))
        self.facts = replace(facts, max_inputs=MANY_PICTURES if self._field.endswith("s") else 1)
        self._deadline_seconds = deadline_seconds
        self._client = AsyncClient(key=KEY.value())
        self._hooks = guarded_hooks(KeyOrigin(base_url))
        self._files = Web(base_url)  # without the key: other hosts

    async def edit(self, request: EditRequest) -> Edited:
        from fal_client import FalClientHTTPError

        arguments = await made_ready(self._arguments, request)
        try:
            async with deadline(self._deadline_seconds) as bill:
                with _whole():
                    data = await self._picture_in(await self._answer(arguments, bill))
        except FalClientHTTPError as error:
            raise _explained(error) from error
        return await edited_from(data, self.facts.price_usd)

    async def close(self) -> None:
        await self._files.close()
        await (await self._client._client).aclose()

    def _arguments(self, request: EditRequest) -> dict[str, Any]:
        pictures = [data_uri(picture) for picture in sent_pictures(self.facts, request)]
        arguments: dict[str, Any] = call_parameters(self.facts, "model", "image_field", "base_url")
        arguments["prompt"] = request.instruction
        arguments[self._field] = pictures if self._field.endswith("s") else pictures[0]
        if self._endpoint not in UNSEEDED:
            arguments["seed"] = request.seed
        return arguments

    async def _answer(self, arguments: dict[str, Any], bill: Bill) -> dict[str, Any]:
        # The addresses of the job in the answer are asked with the key too.
        (await self._client._client).event_hooks = self._hooks
        job = await self._client.submit(self._endpoint, arguments)
        bill.usd = self.facts.price_usd
        async with called_off_by(job.cancel):
            return await _paid_for(lambda: job.get(interval=POLL_SECONDS))

    async def _picture_in(self, answer: dict[str, Any]) -> bytes:
        if any(answer.get("has_nsfw_concepts") or ()):
            raise Refused("fal's safety checker withheld the picture (has_nsfw_concepts)")
        images = answer.get("images") or [answer.get("image")]
        if not images[0]:
            raise BadOutput("fal's answer has no picture")
        return await self._files.fetch(images[0]["url"])


async def _paid_for(look: Callable[[], Awaitable[T]]) -> T:
    """A lost look at the queue or at a file is not a lost job: look again before paying again."""
    from fal_client import FalClientHTTPError

    async def once() -> T:
        try:
            with _whole():
                return await look()
        except FalClientHTTPError as error:
            if not _is_a_lost_look(error):
                raise
            if error.status_code == HTTPStatus.NOT_FOUND:
                raise Unavailable("the job cannot be found") from error
            raise _explained(error) from error

    return await patiently(once)


@contextlib.contextmanager
def _whole() -> Iterator[None]:
    """A lost connection, or an answer that is not whole or not in fal's form, is Unavailable."""
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise Unavailable(one_line(f"connection lost: {error!r}", KEY.value())) from error
    except RecursionError as error:
        raise UnusableAnswer("fal's answer is nested too deeply") from error
    except (ValueError, LookupError) as error:
        reason = one_line(repr(error), KEY.value())
        raise Unavailable(f"fal's answer was cut short or has an unexpected format: {reason}") from error


def _is_a_lost_look(error: FalClientHTTPError) -> bool:
    """Whether the job may yet be well. The result of one that failed is an error too, perhaps a 503; but then
    fal says of which type or for which request, as a gateway on the way does not."""
    if error.response.url.path.endswith("/status") or error.status_code in ASK_AGAIN:
        return True
    is_fals = error.error_type is not None or "x-fal-request-id" in error.response_headers
    return error.status_code in GATEWAY and not is_fals


def _image_field(endpoint: str) -> str:
    return "image_url" if endpoint in ONE_PICTURE else "image_urls"


def _explained(error: FalClientHTTPError) -> EditError:
    details: object = error.message
    problems = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    kinds = {str(problem.get("type")) for problem in problems}
    said = "; ".join(str(problem.get("msg")) for problem in problems) or str(details)
    reason = one_line(said, KEY.value())
    if "content_policy_violation" in kinds:
        return Refused(reason)
    if kinds & UNFIT_PICTURE:
        return Refused(f"cannot take this picture: {reason}")
    if "no_media_generated" in kinds:
        return BadOutput(reason)
    if kinds & PASSING:
        return Unavailable(reason)
    after = seconds_in(error.response_headers.get("retry-after"))
    return error_for(error.status_code, reason, key_name="FAL_KEY", after_seconds=after)
