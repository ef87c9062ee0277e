"""Any OpenAI-compatible /v1/chat/completions: OpenAI, DashScope, Ollama, LM Studio, SGLang, vLLM."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from convergebench.errors import MissingExtra
from convergebench.judges._call import JudgeKey, error_for, sent_settings
from convergebench.judges.base import Ending, JudgeFacts, JudgeReply, Question, cost_usd, token_counts
from convergebench.network import KeyOrigin, unanswered
from convergebench.network.sessions import provider_session, proxy_for
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
    import aiohttp

_OPENAI = "https://api.openai.com/v1"
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
_ACCOUNTS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}

POLICY = frozenset({"content_policy_violation", "content_filter", "data_inspection_failed"})
NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "Arrearage"})
"""The last one is DashScope's, with the status of a bad question."""
_ENDINGS: Mapping[str, Ending] = {"length": "truncated", "content_filter": "refused"}
_MARK = uuid4().hex
"""The placeholder for a picture in a request, which no text can contain."""
_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "structured", "guided")


class OpenAIChat:
    """One model on one server. The reply is constrained by the schema. If the server does not support that,
    later questions are sent without it, and only the contract checks the replies.

    Plain HTTP: the SDK takes longer to import than many judgements take, and nothing of it is needed here.
    """

    def __init__(self, facts: JudgeFacts, key: JudgeKey, base_url: str | None, *, needs_key: bool) -> None:
        self.facts = facts
        self._key = key
        self._base_url = base_url
        self._needs_key = needs_key
        self._session: aiohttp.ClientSession | None = None
        self._forces_schema = True

    async def start(self) -> None:
        if find_spec("aiohttp") is None:
            raise MissingExtra("aiohttp", "openai")
        api_key = self._key.required() if self._needs_key else self._key.value or "none"
        base = self._base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI
        self._url = f"{base.rstrip('/')}/chat/completions"
        self._proxy = proxy_for(self._url)
        accounts = {name: os.environ.get(variable) for name, variable in _ACCOUNTS.items()}
        own = {name: value for name, value in accounts.items() if value and self.facts.provider == "openai"}
        self._headers = {**_HEADERS, "Authorization": f"Bearer {api_key}", **own}
        self._session = provider_session(KeyOrigin(base))

    async def ask(self, question: Question) -> JudgeReply:
        if self._forces_schema and question.schema is not None:
            try:
                return await self._completed(question, _forced(question.schema))
            except _Rejected as error:
                if not error.rejects_schema:
                    raise self._explained(error) from error
                self._forces_schema = False
        try:
            return await self._completed(question, {})
        except _Rejected as error:
            raise self._explained(error) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _completed(self, question: Question, form: Mapping[str, Any]) -> JudgeReply:
        settings = sent_settings({"seed": question.seed, **self.facts.settings}, "base_url")
        body = _body(question, {"model": self.facts.model, **settings, **form})
        answer = await self._posted(body)
        try:
            return self._key.removed_from(self._reply(json.loads(answer)))
        except RecursionError as error:
            raise UnusableAnswer("the answer is nested too deeply") from error
        except ValueError as error:
            reason = self._key.hidden_in(error)
            raise NoReply(f"the answer was cut short or is not JSON: {reason}") from error

    async def _posted(self, body: Sequence[bytes]) -> bytes:
        import aiohttp

        from convergebench.network.request_body import PiecewiseBody

        assert self._session is not None, "start comes first"
        try:
            async with self._session.post(
                self._url, data=PiecewiseBody(body), headers=self._headers, proxy=self._proxy
            ) as response:
                answer = await response.read()
        except aiohttp.InvalidURL as error:
            raise Misconfigured(f"{self._url} is not an address; check base_url") from error
        except (aiohttp.ClientError, OSError) as error:
            reason = self._key.hidden_in(f"connection lost: {error!r}")
            raise unanswered(error, reason) from error
        if response.status >= 400:
            raise _Rejected(response.status, answer, seconds_in(response.headers.get("Retry-After")))
        return answer

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

    def _explained(self, error: _Rejected) -> EditError:
        reason = self._key.hidden_in(error.message)
        if error.code in POLICY:
            return Refused(reason)
        if error.code in NO_CREDIT:
            return Misconfigured(reason)
        if error.status == 400 and error.param in self.facts.settings:
            return Misconfigured(f"{reason}; to omit it, add ?{error.param}= to the judge's name")
        return error_for(error.status, reason, self._key, error.after_seconds)


class _Rejected(Exception):
    """An answer with an error status, in the form of OpenAI's errors or any other."""

    def __init__(self, status: int, body: bytes, after_seconds: float | None) -> None:
        self.status = status
        self.after_seconds = after_seconds
        self.text = body.decode(errors="replace")
        try:
            content = json.loads(self.text)
        except (ValueError, RecursionError):
            content = None
        error = content.get("error", content) if isinstance(content, dict) else content
        details = error if isinstance(error, dict) else {}
        self.code, self.param = details.get("code"), details.get("param")
        self.message = str(details.get("message") or "") or self.text
        super().__init__(status)

    @property
    def rejects_schema(self) -> bool:
        said = self.text.lower()
        return self.status in (400, 404, 422, 501) and any(word in said for word in _SCHEMA_WORDS)


def _body(question: Question, rest: Mapping[str, Any]) -> list[bytes]:
    """The request as JSON in pieces; pictures are inserted afterwards, because encoders scan every
    character."""
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
        pieces[-1] += f"data:{picture.facts.media_type};base64,".encode()
        pieces += [picture.base64, after]
    return pieces


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
