"""Gemini as a judge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from convergebench.errors import MissingExtra
from convergebench.judges._call import JudgeKey, error_for, sent_settings
from convergebench.judges.base import Ending, JudgeFacts, JudgeReply, Question, cost_usd
from convergebench.network import KeyOrigin, guarded_hooks, unanswered
from convergebench.providers import gemini_address, seconds_in
from convergebench.types import EditError, Misconfigured, NoReply, UnusableAnswer

if TYPE_CHECKING:
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentConfig, GenerateContentResponse

KEY = JudgeKey(("GOOGLE_API_KEY", "GEMINI_API_KEY"))
POLICY = frozenset(
    {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE", "IMAGE_SAFETY",
     "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)  # fmt: skip


class GeminiJudge:
    """One model at Google. Settings are passed to the generation unchanged."""

    def __init__(self, facts: JudgeFacts) -> None:
        self.facts = facts
        self._http: Any = None
        self._client: Any = None

    async def start(self) -> None:
        try:
            import httpx2
            from google import genai
            from google.genai.types import HttpOptions, HttpRetryOptions
        except ImportError as error:
            raise MissingExtra("google-genai", "gemini") from error
        key = KEY.required()
        base_url = gemini_address(self.facts.settings.get("base_url"))
        # The limits apply a deadline to every call.
        self._http = httpx2.AsyncClient(timeout=None, event_hooks=guarded_hooks(KeyOrigin(base_url)))
        options = HttpOptions(
            base_url=base_url,
            retry_options=HttpRetryOptions(attempts=1),  # without this it retries once by itself
            httpx_async_client=self._http,
        )
        self._client = genai.Client(api_key=key, http_options=options, enterprise=False)

    async def ask(self, question: Question) -> JudgeReply:
        import httpx2
        from google.genai.errors import APIError

        contents = await asyncio.to_thread(_contents, question)
        config = self._config(question)
        try:
            answer = await self._client.aio.models.generate_content(
                model=self.facts.model, contents=contents, config=config
            )
        except APIError as error:
            raise _explained(error) from error
        except httpx2.HTTPError as error:
            raise unanswered(error, KEY.hidden_in(f"connection lost: {error!r}")) from error
        except RecursionError as error:
            raise UnusableAnswer("the answer is nested too deeply") from error
        except ValueError as error:
            raise NoReply(KEY.hidden_in(f"the answer does not have Gemini's format: {error!r}")) from error
        return KEY.removed_from(self._reply(answer))

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    def _config(self, question: Question) -> GenerateContentConfig:
        from google.genai.types import GenerateContentConfig

        wanted: dict[str, Any] = {"seed": question.seed}
        if question.system:
            wanted["system_instruction"] = question.system
        if question.schema is not None:
            wanted |= {
                "response_mime_type": "application/json", "response_json_schema": dict(question.schema)
            }  # fmt: skip
        try:
            return GenerateContentConfig.model_validate(
                {**wanted, **sent_settings(self.facts.settings, "base_url")}
            )
        except ValueError as error:
            raise Misconfigured(f"unknown Gemini setting: {KEY.hidden_in(error)}") from error

    def _reply(self, answer: GenerateContentResponse) -> JudgeReply:
        used = answer.usage_metadata
        read = used.prompt_token_count if used else None
        written = (used.candidates_token_count or 0) + (used.thoughts_token_count or 0) if used else None
        ending, finish, text = _said(answer)
        served = answer.model_version or ""
        return JudgeReply(
            text, ending, finish, served, read, written, cost_usd(self.facts.prices, read, written)
        )


def _contents(question: Question) -> list[Any]:
    from google.genai.types import Part

    return [
        Part.from_text(text=part)
        if isinstance(part, str)
        else Part.from_bytes(data=part.encoded, mime_type=part.facts.media_type)
        for part in question.parts
    ]


def _said(answer: GenerateContentResponse) -> tuple[Ending, str, str]:
    """The ending, in our terms and in Gemini's, and the text without thoughts."""
    feedback = answer.prompt_feedback
    if feedback is not None and feedback.block_reason is not None:
        return "refused", feedback.block_reason.name, feedback.block_reason_message or ""
    candidate = answer.candidates[0] if answer.candidates else None
    finish = candidate.finish_reason.name if candidate and candidate.finish_reason else "no candidate"
    text = "".join(part.text for part in answer.parts or [] if part.text and not part.thought)
    if finish in POLICY:
        return "refused", finish, text
    return ("truncated" if finish == "MAX_TOKENS" else "complete"), finish, text


def _explained(error: APIError) -> EditError:
    reason = KEY.hidden_in(error.message or error.status or error)
    details = _details(error)
    if error.code == 400 and any(one.get("reason") == "API_KEY_INVALID" for one in details):
        return error_for(401, reason, KEY)
    hints = [str(one["retryDelay"]).removesuffix("s") for one in details if "retryDelay" in one]
    return error_for(error.code, reason, KEY, seconds_in(hints[0]) if hints else None)


def _details(error: APIError) -> list[dict[str, Any]]:
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error")
    found = inner.get("details") if isinstance(inner, dict) else None
    return [one for one in found or [] if isinstance(one, dict)]
