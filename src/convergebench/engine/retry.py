"""Asking again: in one place, and only when it can help."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from dataclasses import dataclass

from convergebench.types import (
    BadOutput,
    Crashed,
    Edited,
    EditError,
    Editor,
    EditRequest,
    RateLimited,
    Unavailable,
)

log = logging.getLogger("convergebench")

WORTH_RETRYING = (RateLimited, Unavailable, BadOutput)


@dataclass(frozen=True)
class Patience:
    """How often and how long to wait: exponential with full jitter, or as long as the server says."""

    attempts: int = 5
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0

    def wait_seconds(self, attempt: int, error: EditError) -> float:
        if isinstance(error, RateLimited) and error.after_seconds is not None:
            return error.after_seconds
        return random.uniform(0, min(self.longest_wait_seconds, self.first_wait_seconds * 2**attempt))


@dataclass(frozen=True)
class Attempted:
    outcome: Edited | EditError
    attempts: int
    seconds: float
    """Of the last attempt alone: how long the editor takes, not how long we waited to ask."""

    @property
    def cost_usd(self) -> float | None:
        return self.outcome.cost_usd if isinstance(self.outcome, Edited) else None


async def attempt_edit(editor: Editor, request: EditRequest, patience: Patience) -> Attempted:
    """The edit, or the error that remained after all attempts worth making."""
    for attempt in range(1, patience.attempts + 1):
        started = time.perf_counter()
        outcome: Edited | EditError
        try:
            outcome = await editor.edit(request)
        except EditError as error:
            outcome = error
        except Exception as error:  # an editor's own mistake must not end the others' work
            log.debug("%s crashed", editor.facts.name, exc_info=True)
            outcome = Crashed(f"{type(error).__name__}: {error}")
        done = Attempted(outcome, attempt, time.perf_counter() - started)
        if not isinstance(outcome, WORTH_RETRYING) or attempt == patience.attempts:
            return done
        await asyncio.sleep(patience.wait_seconds(attempt, outcome))
    raise AssertionError("patience allows no attempt")
