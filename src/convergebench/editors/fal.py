"""fal: any image-editing endpoint through its queue (submit, look, fetch)."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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
from convergebench.editors._settings import without_settings
from convergebench.editors._short_names import facts_by_id, short_names
from convergebench.editors.needs import KEY_NAME, EditorKey, Package, key_for
from convergebench.editors.registry import ModelFacts, provider
from convergebench.network import KeyOrigin, guarded_hooks, unanswered
from convergebench.providers import error_for, one_line, seconds_in
from convergebench.types import (
    BadOutput,
    Edited,
    EditError,
    EditorFacts,
    EditRequest,
    Misconfigured,
    NoReply,
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
USUAL_FIELD = "image_urls"
"""Of endpoints whose field is not known."""

ENDPOINTS = facts_by_id("fal")

UNFIT_PICTURE = frozenset(
    {"image_too_small", "image_too_large", "image_load_error", "unsupported_image_format", "file_too_large"}
)
PASSING = frozenset({"downstream_service_error", "downstream_service_unavailable", "generation_timeout"})
ASK_AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
GATEWAY = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)


@provider(
    "fal",
    summary="any image-editing endpoint at fal, as fal:ENDPOINT",
    version="1",
    needs=(KEY, Package("fal_client", "fal"), Package("aiohttp", "fal")),
    presets=short_names("fal"),
    parameters={"output_format": "png", "image_field": "", "base_url": ""},
    at_once=2,
)
def fal(facts: EditorFacts) -> Fal:
    return Fal(without_settings(facts, KEY_NAME), key=key_for(facts.parameters, KEY))


class Fal:
    """One endpoint. `image_field` names the field for the picture; a plural one takes a list."""

    def __init__(
        self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS, key: EditorKey = KEY
    ) -> None:
        from fal_client import AsyncClient, client
        from fal_client.auth import FAL_QUEUE_RUN_HOST

        client.MAX_ATTEMPTS = 1  # a global of the client's module
        base_url = str(facts.parameters.get("base_url") or f"https://{FAL_QUEUE_RUN_HOST}")
        self._queue = base_url.rstrip("/") + "/"
        self._key = key
        self._endpoint = str(facts.parameters["model"])
        self._known = ENDPOINTS.get(self._endpoint, ModelFacts())
        self._field = str(facts.parameters.get("image_field") or self._known.image_field or USUAL_FIELD)
        self.facts = replace(facts, max_inputs=MANY_PICTURES if self._field.endswith("s") else 1)
        self._deadline_seconds = deadline_seconds
        self._client = AsyncClient(key=key.value() or "none")
        self._hooks = guarded_hooks(KeyOrigin(base_url))
        self._files = Web(base_url)  # without the key: other hosts

    async def edit(self, request: EditRequest) -> Edited:
        from fal_client import FalClientHTTPError

        arguments = await made_ready(self._arguments, request)
        try:
            async with deadline(self._deadline_seconds) as bill:
                with _whole(self._key):
                    data = await self._picture_in(await self._answer(arguments, bill))
        except FalClientHTTPError as error:
            raise _explained(error, self._key) from error
        return await edited_from(data, self.facts.price_usd)

    async def close(self) -> None:
        await self._files.close()
        await (await self._client._client).aclose()

    def _arguments(self, request: EditRequest) -> dict[str, Any]:
        pictures = [data_uri(picture) for picture in sent_pictures(self.facts, request)]
        arguments: dict[str, Any] = call_parameters(self.facts, "model", "image_field", "base_url")
        arguments["prompt"] = request.instruction
        arguments[self._field] = pictures if self._field.endswith("s") else pictures[0]
        if self._known.takes_seed is not False:
            arguments["seed"] = request.seed
        return arguments

    async def _answer(self, arguments: dict[str, Any], bill: Bill) -> dict[str, Any]:
        from fal_client import client

        # The addresses of the job in the answer are asked with the key too.
        (await self._client._client).event_hooks = self._hooks
        # A global, shared with editors at other addresses; `submit` reads it before it waits for anything.
        client.QUEUE_URL_FORMAT = self._queue
        job = await self._client.submit(self._endpoint, arguments)
        bill.usd = self.facts.price_usd
        async with called_off_by(job.cancel):
            return await _paid_for(lambda: job.get(interval=POLL_SECONDS), self._key)

    async def _picture_in(self, answer: dict[str, Any]) -> bytes:
        if any(answer.get("has_nsfw_concepts") or ()):
            raise Refused("fal's safety checker withheld the picture (has_nsfw_concepts)")
        images = answer.get("images") or [answer.get("image")]
        if not images[0]:
            raise BadOutput("fal's answer has no picture")
        return await self._files.fetch(images[0]["url"])


async def _paid_for(look: Callable[[], Awaitable[T]], key: EditorKey) -> T:
    """A lost look at the queue or at a file is not a lost job: look again before paying again."""
    from fal_client import FalClientHTTPError

    async def once() -> T:
        try:
            with _whole(key):
                return await look()
        except FalClientHTTPError as error:
            if not _is_a_lost_look(error):
                raise
            if error.status_code == HTTPStatus.NOT_FOUND:
                raise Unavailable("the job cannot be found") from error
            raise _explained(error, key) from error

    return await patiently(once)


@contextlib.contextmanager
def _whole(key: EditorKey) -> Iterator[None]:
    """A lost connection, or an answer that is not whole or not in fal's form, is Unavailable."""
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise unanswered(error, one_line(f"connection lost: {error!r}", key.value())) from error
    except RecursionError as error:
        raise UnusableAnswer("fal's answer is nested too deeply") from error
    except (ValueError, LookupError) as error:
        reason = one_line(repr(error), key.value())
        raise NoReply(f"fal's answer was cut short or has an unexpected format: {reason}") from error


def _is_a_lost_look(error: FalClientHTTPError) -> bool:
    """Whether the job may yet be well. The result of one that failed is an error too, perhaps a 503; but then
    fal says of which type or for which request, as a gateway on the way does not."""
    if error.response.url.path.endswith("/status") or error.status_code in ASK_AGAIN:
        return True
    is_fals = error.error_type is not None or "x-fal-request-id" in error.response_headers
    return error.status_code in GATEWAY and not is_fals


def _missing_field(problems: Sequence[Mapping[str, object]]) -> str | None:
    """The field for a picture that the request lacks, where fal's validation names one."""
    places = (problem.get("loc") for problem in problems if problem.get("type") == "missing")
    names = (str(place[-1]) for place in places if isinstance(place, list) and place)
    return next((name for name in names if "image" in name), None)


def _explained(error: FalClientHTTPError, key: EditorKey) -> EditError:
    details: object = error.message
    problems = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    kinds = {str(problem.get("type")) for problem in problems}
    said = "; ".join(str(problem.get("msg")) for problem in problems) or str(details)
    reason = one_line(said, key.value())
    if "content_policy_violation" in kinds:
        return Refused(reason)
    if kinds & UNFIT_PICTURE:
        return Refused(f"cannot take this picture: {reason}")
    if "no_media_generated" in kinds:
        return BadOutput(reason)
    if field := _missing_field(problems):
        return Misconfigured(f"{reason}: the endpoint takes the picture as {field}; add ?image_field={field}")
    if kinds & PASSING:
        return Unavailable(reason)
    after = seconds_in(error.response_headers.get("retry-after"))
    return error_for(error.status_code, reason, key_name=" or ".join(key.names), after_seconds=after)
