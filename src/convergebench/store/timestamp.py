"""The time as the database stores it."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp() -> str:
    """Now, in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
