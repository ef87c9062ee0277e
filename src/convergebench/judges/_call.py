"""The common part of judges behind an API: keys, and the meaning of an HTTP status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from convergebench import providers
from convergebench.judges.base import JudgeReply
from convergebench.providers import key_in, one_line, without_key
from convergebench.types import EditError, Misconfigured, Parameter

_BAD_QUESTION = (400, 413, 422)


@dataclass(frozen=True)
class JudgeKey:
    """An API key in the environment, under the first of these names that is set."""

    names: tuple[str, ...]

    @property
    def value(self) -> str | None:
        return key_in(self.names)

    def required(self) -> str:
        if self.value is None:
            raise Misconfigured(f"no API key: set {' or '.join(self.names)}")
        return self.value

    def hidden_in(self, text: object) -> str:
        """A provider's message in one short line, without the key."""
        return one_line(text, self.value)

    def removed_from(self, reply: JudgeReply) -> JudgeReply:
        """The reply as it is stored: a server that says the key back would have it kept and shared."""
        words = (reply.text, reply.finish_reason, reply.served_model)
        text, finish, served = (without_key(word, self.value) for word in words)
        return replace(reply, text=text, finish_reason=finish, served_model=served)


def sent_settings(settings: Mapping[str, Parameter], *ours: str) -> dict[str, Parameter]:
    """The settings that are passed on unchanged; an empty setting, as in ?temperature=, is omitted."""
    return {key: value for key, value in settings.items() if key not in ours and value != ""}


def error_for(status: int, reason: str, key: JudgeKey, after_seconds: float | None = None) -> EditError:
    """A question that a server rejects counts as refused, and the others continue: the cause may be this
    picture or text alone."""
    named = " or ".join(key.names)
    return providers.error_for(
        status, reason, key_name=named, after_seconds=after_seconds, refused=_BAD_QUESTION
    )
