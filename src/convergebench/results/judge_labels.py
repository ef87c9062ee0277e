"""Judge labels: one for each judge, without addresses, in every table, file, page and paper."""

from __future__ import annotations

from collections.abc import Iterable

from convergebench.results.judgements import JudgeRecord
from convergebench.results.model_labels import unique_labels, without_address
from convergebench.types import Digest


def judge_labels(judges: Iterable[JudgeRecord]) -> dict[Digest, str]:
    """A label for each fingerprint. Two servers of one model are told apart by their fingerprints; the page
    and the database have the settings of each."""
    return unique_labels({one.fingerprint: without_address(one.name) for one in judges})
