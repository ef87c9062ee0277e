"""Claude as a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from convergebench.errors import MissingExtra
from convergebench.judges._call import JudgeKey, error_for, sent_settings
from convergebench.judges.base import Ending, JudgeFacts, JudgeReply, Question, cost_usd, token_counts
from convergebench.network import KeyOrigin, guarded_hooks, unanswered
from convergebench.providers import seconds_in
from convergebench.types import BadOutput, EditError, Misconfigured, NoReply, UnusableAnswer

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

KEY = JudgeKey(("ANTHROPIC_API_KEY",))
_ENDINGS: Mapping[str, Ending] = {"max_tokens": "truncated", "refusal": "refused"}


_NO_CREDIT = "credit balance is too low"
"""A 400 like that of a bad question, with these words."""
_SCHEMA_WORDS = ("output_config", "output format", "structured output", "json_schema")


class AnthropicJudge:
    """One model at Anthropic. It takes no seed, so repeats vary with its sampling.

    The reply is constrained by the schema, unless the model does not support that."""

    def __init__(self, facts: JudgeFacts) -> None:
        self.facts = facts
        self._client: AsyncAnthropic | None = None
        self._forces_schema = True

    async def start(self) -> None:
        try:
            from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
        except ImportError as error:
            raise MissingExtra("anthropic", "anthropic") from error
        base_url = str(self.facts.settings.get("base_url") or "") or None
        http = DefaultAsyncHttpxClient(timeout=None)
        self._client = AsyncAnthropic(
            api_key=KEY.required(), base_url=base_url, max_retries=0, timeout=None, http_client=http
        )
        http.event_hooks = guarded_hooks(KeyOrigin(str(self._client.base_url)))

    async def ask(self, question: Question) -> JudgeReply:
        if self._forces_schema and question.schema is not None:
            try:
                return await self._completed(question, _forced(question.schema))
            except _SchemaRejected:
                self._forces_schema = False
        return await self._completed(question, {})

    async def _completed(self, question: Question, form: Mapping[str, Any]) -> JudgeReply:
        from anthropic import APIConnectionError, APIStatusError

        assert self._client is not None, "start comes first"
        content = await asyncio.to_thread(_content, question)
        body = {
            "model": self.facts.model,
            "messages": [{"role": "user", "content": content}],
            **({"system": question.system} if question.system else {}),
            **form,
            **sent_settings(self.facts.settings, "base_url"),
        }
        try:
            answer = await self._client.post("/v1/messages", body=body, cast_to=object)
        except APIStatusError as error:
            if form and _rejects_schema(error):
                raise _SchemaRejected from error
            raise _explained(error) from error
        except APIConnectionError as error:
            cause = error.__cause__ or error
            raise unanswered(error, KEY.hidden_in(f"connection lost: {cause!r}")) from error
        except RecursionError as error:
            raise UnusableAnswer("the answer is nested too deeply") from error
        except ValueError as error:
            reason = KEY.hidden_in(error)
            raise NoReply(f"the answer was cut short or is not JSON: {reason}") from error
        return KEY.removed_from(self._reply(answer))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _reply(self, answer: Any) -> JudgeReply:
        try:
            text = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
            finish = str(answer.get("stop_reason"))
            read, written = token_counts(answer.get("usage"), "input_tokens", "output_tokens")
        except (TypeError, KeyError, AttributeError) as error:
            raise BadOutput("the answer has no content") from error
        ending = _ENDINGS.get(finish, "complete")
        served = str(answer.get("model") or "")
        return JudgeReply(
            text, ending, finish, served, read, written, cost_usd(self.facts.prices, read, written)
        )


def _content(question: Question) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": part.facts.media_type,
                "data": part.base64.decode(),
            },
        }
        for part in question.parts
    ]


def _forced(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": _without_bounds(schema)}}}


class _SchemaRejected(Exception):
    """The model does not support schemas."""


def _rejects_schema(error: APIStatusError) -> bool:
    said = _said(error).lower()
    return error.status_code == 400 and any(word in said for word in _SCHEMA_WORDS)


def _said(error: APIStatusError) -> str:
    """The provider's own message; the SDK's has the whole answer around it."""
    inner = error.body.get("error") if isinstance(error.body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return str(message or error.message)


def _explained(error: APIStatusError) -> EditError:
    reason = KEY.hidden_in(_said(error))
    if error.status_code == 400 and _NO_CREDIT in reason.lower():
        return Misconfigured(reason)
    after = seconds_in(error.response.headers.get("retry-after"))
    return error_for(error.status_code, reason, KEY, after)


def _without_bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without numeric ranges, which this API does not accept; the contract checks them."""
    properties = {
        name: {key: value for key, value in one.items() if key not in ("minimum", "maximum")}
        for name, one in schema["properties"].items()
    }
    return {**schema, "properties": properties}
