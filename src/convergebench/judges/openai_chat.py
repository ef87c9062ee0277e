"""Any OpenAI-compatible /v1/chat/completions: OpenAI, DashScope, Ollama, LM Studio, SGLang, vLLM."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from convergebench.errors import MissingExtra
from convergebench.judges._call import JudgeKey, error_for, sent_settings
from convergebench.judges.base import Ending, JudgeFacts, JudgeReply, Question, cost_usd, token_counts
from convergebench.network import KeyOrigin, guarded_hooks, unanswered
from convergebench.providers import seconds_in
from convergebench.types import (
    BadOutput,
    EditError,
    Misconfigured,
    NoReply,
    Refused,
    UnusableAnswer,
)

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

POLICY = frozenset({"content_policy_violation", "content_filter", "data_inspection_failed"})
NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_ENDINGS: Mapping[str, Ending] = {"length": "truncated", "content_filter": "refused"}
_MARK = uuid4().hex
"""The placeholder for a picture in a request, which no text can contain."""
_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "structured", "guided")


class OpenAIChat:
    """One model on one server. The reply is constrained by the schema. If the server does not support that,
    later questions are sent without it, and only the contract checks the replies."""

    def __init__(self, facts: JudgeFacts, key: JudgeKey, base_url: str | None, *, needs_key: bool) -> None:
        self.facts = facts
        self._key = key
        self._base_url = base_url
        self._needs_key = needs_key
        self._client: AsyncOpenAI | None = None
        self._forces_schema = True

    async def start(self) -> None:
        try:
            from openai import AsyncOpenAI, DefaultAioHttpClient, DefaultAsyncHttpxClient
        except ImportError as error:
            raise MissingExtra("openai", "openai") from error
        api_key = self._key.required() if self._needs_key else self._key.value or "none"
        # Saves half the time of a call, if installed; the limits apply a deadline to every call.
        quick = DefaultAioHttpClient if find_spec("aiohttp") else DefaultAsyncHttpxClient
        http = quick(timeout=None)
        self._client = AsyncOpenAI(
            api_key=api_key, base_url=self._base_url, max_retries=0, timeout=None, http_client=http
        )
        http.event_hooks = guarded_hooks(KeyOrigin(str(self._client.base_url)))

    async def ask(self, question: Question) -> JudgeReply:
        from openai import APIStatusError

        if self._forces_schema and question.schema is not None:
            try:
                return await self._completed(question, _forced(question.schema))
            except APIStatusError as error:
                if not _rejects_schema(error):
                    raise self._explained(error) from error
                self._forces_schema = False
        try:
            return await self._completed(question, {})
        except APIStatusError as error:
            raise self._explained(error) from error

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _completed(self, question: Question, form: Mapping[str, Any]) -> JudgeReply:
        from openai import APIConnectionError

        assert self._client is not None, "start comes first"
        settings = sent_settings({"seed": question.seed, **self.facts.settings}, "base_url")
        body = _body(question, {"model": self.facts.model, **settings, **form})
        try:
            # Raw bytes and plain JSON: the SDK's encoding and models cost more than the rest of the call.
            answer = await self._client.post("/chat/completions", content=body, cast_to=object)
        except APIConnectionError as error:
            cause = error.__cause__ or error
            raise unanswered(error, self._key.hidden_in(f"connection lost: {cause!r}")) from error
        except RecursionError as error:
            raise UnusableAnswer("the answer is nested too deeply") from error
        except ValueError as error:
            reason = self._key.hidden_in(error)
            raise NoReply(f"the answer was cut short or is not JSON: {reason}") from error
        return self._key.removed_from(self._reply(answer))

    def _reply(self, answer: Any) -> JudgeReply:
        try:
            choice = answer["choices"][0]
            message, finish = choice["message"], str(choice.get("finish_reason"))
            read, written = token_counts(answer.get("usage"), "prompt_tokens", "completion_tokens")
            refusal, text = _text_of(message.get("refusal") or ""), _text_of(message.get("content"))
        except (TypeError, KeyError, IndexError, AttributeError) as error:
            raise BadOutput("the answer has no choices[0].message") from error
        return JudgeReply(
            text=refusal or text,
            ending="refused" if refusal else _ENDINGS.get(finish, "complete"),
            finish_reason=finish,
            served_model=str(answer.get("model") or ""),
            tokens_read=read,
            tokens_written=written,
            cost_usd=cost_usd(self.facts.prices, read, written),
        )

    def _explained(self, error: APIStatusError) -> EditError:
        reason = self._key.hidden_in(error.message)
        if error.code in POLICY:
            return Refused(reason)
        if error.code in NO_CREDIT:
            return Misconfigured(reason)
        if error.status_code == 400 and error.param in self.facts.settings:
            return Misconfigured(f"{reason}; to omit it, add ?{error.param}= to the judge's name")
        after = seconds_in(error.response.headers.get("retry-after"))
        return error_for(error.status_code, reason, self._key, after)


def _body(question: Question, rest: Mapping[str, Any]) -> bytes:
    """The request as JSON; pictures are inserted afterwards, because encoders scan every character."""
    parts = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": _MARK}}
        for part in question.parts
    ]
    system = [{"role": "system", "content": question.system}] if question.system else []
    messages = [*system, {"role": "user", "content": parts}]
    around = json.dumps({**rest, "messages": messages}).encode().split(_MARK.encode())
    pieces = [around[0]]
    for picture, after in zip(question.pictures, around[1:], strict=True):
        pieces += [f"data:{picture.facts.media_type};base64,".encode(), picture.base64, after]
    return b"".join(pieces)


def _text_of(content: Any) -> str:
    """A message's content: a text, a list of parts, or nothing; anything else as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text_of(part.get("text") if isinstance(part, dict) else part) for part in content)
    return "" if content is None else json.dumps(content)


def _forced(schema: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {"name": "verdict", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _rejects_schema(error: APIStatusError) -> bool:
    said = error.message.lower()
    return error.status_code in (400, 404, 422, 501) and any(word in said for word in _SCHEMA_WORDS)
