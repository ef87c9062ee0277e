"""OpenAI's image models, and the call that other servers copy: multipart to /v1/images/edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from convergebench.editors._http import Web, decoded, sentence
from convergebench.editors._remote import (
    DEADLINE_SECONDS,
    call_parameters,
    deadline,
    edited_from,
    made_ready,
    sent_pictures,
)
from convergebench.editors._settings import without_settings
from convergebench.editors._short_names import short_names
from convergebench.editors.needs import KEY_NAME, EditorKey, Package, key_for
from convergebench.editors.registry import provider
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
    UnusableAnswer,
)

if TYPE_CHECKING:
    from httpx2 import Request as HTTPRequest
    from openai import APIStatusError
    from openai.types import ImagesResponse

    from convergebench.picture import Picture

KEY = EditorKey("OPENAI_API_KEY")
MANY_PICTURES = 16
POLICY = frozenset({"moderation_blocked", "content_policy_violation"})
NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


@dataclass(frozen=True)
class ImageTokenPrices:
    """USD for a million tokens."""

    text_in: float
    picture_in: float
    out: float

    def cost_usd(self, answer: ImagesResponse) -> float | None:
        """Unknown where a count is missing, as any may be at a server that copies OpenAI's."""
        used = getattr(answer, "usage", None)
        details = getattr(used, "input_tokens_details", None)
        counts: tuple[Any, Any, Any] = (
            getattr(details, "text_tokens", None),
            getattr(details, "image_tokens", None),
            getattr(used, "output_tokens", None),
        )
        if not all(type(count) in (int, float) and 0 <= count < _TOO_MANY for count in counts):
            return None
        text, picture, out = counts
        return float(text * self.text_in + picture * self.picture_in + out * self.out) / 1_000_000


_TOO_MANY = 1e15
"""In tokens; no answer has as many."""
PRICES = {
    model: ImageTokenPrices(text_in=5.0, picture_in=8.0, out=30.0)
    for model in ("gpt-image-2", "gpt-image-2.5-sunburst", "gpt-image-2.5-flare")
}


@provider(
    "openai",
    summary="any image model at OpenAI, as openai:MODEL",
    version="1",
    needs=(KEY, Package("openai", "openai")),
    presets=short_names("openai"),
    parameters={"size": "auto", "quality": "auto", "output_format": "png", "base_url": ""},
    at_once=4,
    takes_seed=False,
    sizes_itself=True,
)
def openai_images(facts: EditorFacts) -> OpenAIImages:
    """The edit's cost is known afterwards, from the tokens used: they depend on size and quality."""
    key = key_for(facts.parameters, KEY)
    return OpenAIImages(replace(without_settings(facts, KEY_NAME), max_inputs=MANY_PICTURES), key)


class OpenAIImages:
    """One model behind /v1/images/edits. OpenAI itself takes no seed; servers that copy it do."""

    def __init__(
        self,
        facts: EditorFacts,
        key: EditorKey,
        *,
        takes_seed: bool = False,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        from openai import AsyncOpenAI, DefaultAioHttpClient, DefaultAsyncHttpxClient

        # The SDK's usual transport sends a form in dozens of pieces and looks at every open connection before
        # each request: with 66 edits at once it takes all of a core.
        quick = DefaultAioHttpClient if find_spec("aiohttp") else DefaultAsyncHttpxClient
        http = quick(timeout=None)
        self.facts = facts
        self._key = key
        self._takes_seed = takes_seed
        self._deadline_seconds = deadline_seconds
        self._client = AsyncOpenAI(
            api_key=key.value() or "none",
            base_url=str(facts.parameters.get("base_url") or "") or None,
            max_retries=0,
            timeout=None,  # the deadline holds for the whole edit
            http_client=http,
        )
        base_url = str(self._client.base_url)
        hooks = guarded_hooks(KeyOrigin(base_url))
        http.event_hooks = {**hooks, "request": [*hooks["request"], _in_one_piece]}
        self._files = Web(base_url)  # without the key: other hosts

    async def edit(self, request: EditRequest) -> Edited:
        from openai import APIConnectionError, APIStatusError

        pictures = await made_ready(partial(sent_pictures, self.facts), request)
        fields: dict[str, Any] = call_parameters(self.facts, "model", "base_url")
        if self._takes_seed:
            fields["seed"] = request.seed
        model = str(self.facts.parameters["model"])
        files = [_file(picture) for picture in pictures]
        try:
            async with deadline(self._deadline_seconds) as bill:
                answer = await self._client.images.edit(
                    model=model,
                    image=files if len(files) > 1 else files[0],
                    prompt=request.instruction,
                    extra_body=fields,
                )
                prices = PRICES.get(model)
                bill.usd = prices.cost_usd(answer) if prices else None
                data = await self._picture_in(answer)
        except APIStatusError as error:
            raise _explained(error, self._key) from error
        except APIConnectionError as error:
            cause = error.__cause__ or error
            reason = one_line(f"connection lost: {cause!r}", self._key.value())
            raise unanswered(error, reason) from error
        except RecursionError as error:
            raise UnusableAnswer("the answer is nested too deeply") from error
        except ValueError as error:
            raise NoReply(f"the answer was cut short or is not JSON: {error}") from error
        return await edited_from(data, bill.usd)

    async def close(self) -> None:
        await self._files.close()
        await self._client.close()

    async def _picture_in(self, answer: ImagesResponse) -> bytes:
        # The SDK hands on whatever JSON or text it got under the name of its own type.
        pictures = getattr(answer, "data", None)
        first = pictures[0] if isinstance(pictures, list) and pictures else None
        if encoded := getattr(first, "b64_json", None):
            return decoded(encoded)
        url = str(getattr(first, "url", None) or "")
        if not url:
            raise _instead_of_a_picture(getattr(answer, "error", None), self._key)
        return await self._files.fetch(url)


async def _in_one_piece(request: HTTPRequest) -> None:
    await request.aread()


def _file(picture: Picture) -> tuple[str, bytes, str]:
    media_type = picture.facts.media_type
    return f"picture.{media_type.removeprefix('image/')}", picture.encoded, media_type


def _instead_of_a_picture(error: Any, key: EditorKey) -> EditError:
    """What a 200 without a picture says: some servers answer with an error under that status."""
    if not error:
        return BadOutput("the answer holds no picture (neither data[0].b64_json nor data[0].url)")
    reason = one_line(sentence(error), key.value())
    code = str(error.get("code")) if isinstance(error, dict) else None
    return _coded(code, reason) or BadOutput(f"the answer has no picture: {reason}")


def _coded(code: str | None, reason: str) -> EditError | None:
    """What OpenAI's own code for an error stands for, if it has one that says more than the status."""
    if code in POLICY:
        return Refused(reason)
    if code in NO_CREDIT:
        return Misconfigured(reason)
    return None


def _explained(error: APIStatusError, key: EditorKey) -> EditError:
    reason = one_line(error.message, key.value())
    if coded := _coded(error.code, reason):
        return coded
    if error.status_code == 400 and error.param == "image":
        return Refused(f"cannot take this picture: {reason}")
    after = seconds_in(error.response.headers.get("retry-after"))
    return error_for(error.status_code, reason, key_name=" or ".join(key.names), after_seconds=after)
