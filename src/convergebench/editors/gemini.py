"""Gemini: Google's models that answer with pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
from convergebench.network import KeyOrigin, guarded_hooks, unanswered
from convergebench.providers import error_for, gemini_address, one_line, seconds_in
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
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentConfig, GenerateContentResponse

KEY = EditorKey("GOOGLE_API_KEY", "GEMINI_API_KEY")
MANY_PICTURES = 14
IMAGE_SETTINGS = ("aspect_ratio", "image_size")
POLICY = frozenset(
    {
        "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE",
        "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
    }
)  # fmt: skip
"""Why a candidate ends when the answer would be the same next time; the other reasons may pass."""


@provider(
    "gemini",
    summary="any Gemini model that draws, as gemini:MODEL",
    version="1",
    needs=(KEY, Package("google.genai", "gemini")),
    presets=short_names("gemini"),
    parameters={"base_url": ""},
    at_once=8,
    takes_seed=True,
)
def gemini(facts: EditorFacts) -> GeminiEditor:
    return GeminiEditor(facts)


class GeminiEditor:
    """One model. `aspect_ratio` and `image_size` shape the picture; other parameters go to the generation.

    The API offers no choice of file format: the picture is kept as it comes.
    """

    def __init__(self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        import httpx2
        from google import genai
        from google.genai.types import HttpOptions, HttpRetryOptions

        self.facts = replace(facts, max_inputs=MANY_PICTURES)
        self._deadline_seconds = deadline_seconds
        base_url = gemini_address(facts.parameters.get("base_url"))
        self._http = httpx2.AsyncClient(
            timeout=None,
            limits=httpx2.Limits(),
            follow_redirects=True,
            event_hooks=guarded_hooks(KeyOrigin(base_url)),
        )
        options = HttpOptions(
            base_url=base_url,
            # Without this, one attempt more is made after a lost connection.
            retry_options=HttpRetryOptions(attempts=1),
            # Given, so that lost connections show the same way whether or not aiohttp is installed.
            httpx_async_client=self._http,
        )
        self._client = genai.Client(api_key=KEY.value(), http_options=options, enterprise=False)

    async def edit(self, request: EditRequest) -> Edited:
        import httpx2
        from google.genai.errors import APIError

        contents = await made_ready(self._contents, request)
        config = self._config(request.seed)
        try:
            async with deadline(self._deadline_seconds):
                answer = await self._client.aio.models.generate_content(
                    model=str(self.facts.parameters["model"]), contents=contents, config=config
                )
        except APIError as error:
            raise _explained(error) from error
        except httpx2.HTTPError as error:
            raise unanswered(error, one_line(f"connection lost: {error!r}", KEY.value())) from error
        except RecursionError as error:
            raise UnusableAnswer("the answer is nested too deeply") from error
        except ValueError as error:
            reason = one_line(repr(error), KEY.value())
            raise NoReply(f"Gemini's answer was cut short or has an unexpected format: {reason}") from error
        with charged(self.facts.price_usd if _wrote(answer) else None):
            data = _picture_in(answer)
        return await edited_from(data, self.facts.price_usd)

    async def close(self) -> None:
        await self._http.aclose()

    def _contents(self, request: EditRequest) -> list[Any]:
        from google.genai.types import Part

        pictures = [
            Part.from_bytes(data=picture.encoded, mime_type=picture.facts.media_type)
            for picture in sent_pictures(self.facts, request)
        ]
        return [*pictures, request.instruction]

    def _config(self, seed: int) -> GenerateContentConfig:
        from google.genai.types import GenerateContentConfig

        settings: dict[str, Any] = call_parameters(self.facts, "model", "base_url")
        shape = {name: settings.pop(name) for name in IMAGE_SETTINGS if name in settings}
        try:
            return GenerateContentConfig.model_validate(
                {
                    "response_modalities": ["IMAGE"],
                    "seed": seed,
                    "image_config": shape or None,
                    **settings,
                }
            )
        except ValueError as error:
            raise Misconfigured(f"unknown Gemini parameter: {one_line(error, None)}") from error


def _wrote(answer: GenerateContentResponse) -> bool:
    """Whether anything was made that is charged for; what is blocked before that is not."""
    used = answer.usage_metadata
    return bool(used and used.candidates_token_count)


def _picture_in(answer: GenerateContentResponse) -> bytes:
    """The last picture that is not a draft: models that think may show their way there."""
    feedback = answer.prompt_feedback
    if feedback is not None and feedback.block_reason is not None:
        said = feedback.block_reason_message or "the request was blocked"
        raise Refused(f"{feedback.block_reason.name}: {said}")
    parts = answer.parts or []
    pictures: list[bytes | None] = [
        part.inline_data.data for part in parts if part.inline_data and not part.thought
    ]
    if pictures and (last := pictures[-1]):
        return last
    candidate = answer.candidates[0] if answer.candidates else None
    ended = candidate.finish_reason.name if candidate and candidate.finish_reason else "no candidate"
    words = " ".join(part.text for part in parts if part.text and not part.thought)
    reason = one_line(f"{ended}: {words or 'the reply has no picture'}", KEY.value())
    raise Refused(reason) if ended in POLICY else BadOutput(reason)


def _explained(error: APIError) -> EditError:
    reason = one_line(error.message or error.status or error, KEY.value())
    details = _details(error)
    if error.code == 400 and any(one.get("reason") == "API_KEY_INVALID" for one in details):
        return error_for(401, reason, key_name=" or ".join(KEY.names))
    if error.code == 400 and "input image" in reason:
        return Refused(reason)
    hints = [str(one["retryDelay"]).removesuffix("s") for one in details if "retryDelay" in one]
    after = seconds_in(hints[0]) if hints else None
    return error_for(error.code, reason, key_name=" or ".join(KEY.names), after_seconds=after)


def _details(error: APIError) -> list[dict[str, Any]]:
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error")
    found = inner.get("details") if isinstance(inner, dict) else None
    return [one for one in found or [] if isinstance(one, dict)]
