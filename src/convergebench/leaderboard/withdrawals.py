"""Submissions that were withdrawn: a file beside them names each by its digest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse
from convergebench.types import Digest

FILE = "withdrawn.toml"
_DIGEST = re.compile(r"[0-9a-f]{12,64}")


def withdrawals(folder: Path) -> Mapping[Digest, str]:
    """The reasons by digest, or by the beginning of one.

    A file that cannot be read is an error: a submission that was withdrawn must not appear again because of
    a comma.
    """
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return dict(map(_withdrawal, content["withdrawn"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WrongUse(
            f'{path} cannot be read ({error}); write [[withdrawn]], digest = "…" and reason = "…" for each'
        ) from error


def withdrawal_reason(digest: Digest, withdrawn: Mapping[Digest, str]) -> str | None:
    return next((reason for known, reason in withdrawn.items() if digest.startswith(known)), None)


def _withdrawal(one: Any) -> tuple[Digest, str]:
    digest, reason = str(one["digest"]), str(one.get("reason") or "no reason given")
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not the digest of a submission, or its first 12 digits")
    return digest, reason
