"""Failures: why an edit has no picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FailureKind = Literal[
    "refused", "rate_limited", "unavailable", "misconfigured", "bad_output", "crashed", "absent"
]
"""`absent`: what was imported lacks the picture, and why is not known."""

FINAL_FAILURES: frozenset[FailureKind] = frozenset(("refused", "absent"))
"""No run tries them again: a refusal is a result, and what was imported is not edited here."""


@dataclass(frozen=True)
class Failure:
    kind: FailureKind
    reason: str


class EditError(Exception):
    """The reason why an edit has no picture. The class determines whether a retry can help."""

    kind: FailureKind = "unavailable"
    cost_usd: float | None = None
    """The cost that was charged nevertheless; None if no charge is known."""

    def __init__(self, reason: object = "", *, cost_usd: float | None = None) -> None:
        super().__init__(reason)
        self.cost_usd = cost_usd


class Refused(EditError):
    """The editor will not or cannot do this edit: a result, never retried."""

    kind = "refused"


class RateLimited(EditError):
    """Too many requests; retry after this number of seconds."""

    kind = "rate_limited"

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.after_seconds = after_seconds


class Unavailable(EditError):
    """Timeouts, lost connections, server errors: a retry may help."""

    kind = "unavailable"


class NoReply(Unavailable):
    """The request was sent and no complete answer came: it may have been charged."""


class Misconfigured(EditError):
    """No key, no credit, no such model: this editor cannot continue."""

    kind = "misconfigured"


class BadOutput(EditError):
    """The output is not a picture."""

    kind = "bad_output"


class UnusableAnswer(BadOutput):
    """What came back breaks a rule of ours, such as the largest size of an answer. It may have been paid for,
    and asking again would give the same: it is not tried again in the same run."""


class Crashed(EditError):
    """The editor failed with an unexpected error."""

    kind = "crashed"
