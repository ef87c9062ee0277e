"""Judge labels: one for each judge, without addresses, in every table, file, page and paper."""

from __future__ import annotations

from collections.abc import Iterable

from convergebench.results.judgements import JudgeRecord
from convergebench.results.model_labels import unique_labels
from convergebench.types import Digest


def judge_labels(judges: Iterable[JudgeRecord]) -> dict[Digest, str]:
    """A label for each fingerprint. Two servers of one model are told apart by their fingerprints; the page
    and the database have the settings of each."""
    return unique_labels({one.fingerprint: without_address(one.name) for one in judges})


def without_address(name: str) -> str:
    """The name of a judge without the settings that say where its server is.

    >>> without_address("server:looker?base_url=http://127.0.0.1:8000/v1&top_p=0.5")
    'server:looker?top_p=0.5'
    """
    base, _, query = name.partition("?")
    kept = [part for part in query.split("&") if part and not _is_address(part)]
    return f"{base}?{'&'.join(kept)}" if kept else base


def _is_address(setting: str) -> bool:
    key, _, value = setting.partition("=")
    return key == "base_url" or "://" in value
