"""Waiting for another process is said, so that nobody takes it for a hang."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path

import pytest

from convergebench.engine import session
from convergebench.engine.budget import Stopped
from convergebench.store import Workspace

LIMIT_SECONDS = 30.0


def wait_for(workspace: Workspace, claim: int, caplog: pytest.LogCaptureFixture) -> None:
    """Until something is said."""
    until = time.monotonic() + LIMIT_SECONDS

    async def wait() -> None:
        may_begin = lambda: not caplog.records and time.monotonic() < until  # noqa: E731
        async with session.claimed(workspace, claim, may_begin):
            pass

    asyncio.run(wait())


def test_waiting_for_a_claim_is_said_once_and_only_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(session, "NOTICE_SECONDS", 0.2)
    monkeypatch.setattr(logging.getLogger("convergebench"), "propagate", True)
    with Workspace.create(tmp_path) as first, Workspace.create(tmp_path) as second:
        assert first.claim(7)
        with pytest.raises(Stopped):
            wait_for(second, 7, caplog)
        (said,) = caplog.messages
        assert said == f"waiting for another process that is working in {tmp_path}"
        first.release(7)
        wait_for(second, 7, caplog)
        assert len(caplog.messages) == 1
