"""Waiting for another process is said, so that nobody takes it for a hang."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergebench.engine import session
from convergebench.engine.budget import Stopped
from convergebench.store import Workspace

LIMIT_SECONDS = 30.0


class KeptMessages(logging.Handler):
    """Of the package's logger alone: what other tests set up elsewhere does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture
def kept() -> Iterator[KeptMessages]:
    handler, logger = KeptMessages(), logging.getLogger("convergebench")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def wait_for(workspace: Workspace, claim: int, kept: KeptMessages) -> None:
    """Until something is said."""
    until = time.monotonic() + LIMIT_SECONDS

    async def wait() -> None:
        may_begin = lambda: not kept.messages and time.monotonic() < until  # noqa: E731
        async with session.claimed(workspace, claim, may_begin):
            pass

    asyncio.run(wait())


def test_waiting_for_a_claim_is_said_once_and_only_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: KeptMessages
) -> None:
    monkeypatch.setattr(session, "NOTICE_SECONDS", 0.2)
    with Workspace.create(tmp_path) as first, Workspace.create(tmp_path) as second:
        assert first.claim(7)
        with pytest.raises(Stopped):
            wait_for(second, 7, kept)
        (said,) = kept.messages
        assert said == f"waiting for another process that is working in {tmp_path}"
        first.release(7)
        wait_for(second, 7, kept)
        assert len(kept.messages) == 1
