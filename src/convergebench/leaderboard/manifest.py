"""The manifest of a submission: who, what, when, with which versions, and the digest of every member."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from convergebench.leaderboard.submitted_rows import BadSubmission
from convergebench.types import Digest, SuiteId

FORMAT = "convergebench-submission"
FORMAT_VERSION = 1
Pictures: TypeAlias = Literal["full", "thumbnails", "none"]
_LONGEST_LABEL, _LONGEST_NOTE = 80, 2000
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class SubmittedModel:
    """A model in a submission."""

    name: str
    """Its label in the workspace."""
    fingerprint: str
    version: str
    role: str


@dataclass(frozen=True)
class Manifest:
    label: str
    """Who submits, in words of their choice."""
    note: str
    suite: SuiteId
    protocol: str
    rounds: int
    cases: int
    pictures: Pictures
    date: str
    """The day (UTC) of the last edit."""
    package: str
    """The version of ConvergeBench that packed it."""
    models: tuple[SubmittedModel, ...]
    metrics: Mapping[str, str]
    """The version of each metric."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of the machine that packed it."""
    files: Mapping[str, Digest] = field(default_factory=dict)

    def written(self) -> bytes:
        content = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return f"{json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)}\n".encode()

    @classmethod
    def read(cls, data: bytes) -> Manifest:
        """BadSubmission if it is not a manifest of this version."""
        try:
            content = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BadSubmission("its manifest is not JSON") from error
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise BadSubmission("its manifest is not that of a submission")
        version = content.pop("format_version", None)
        if version != FORMAT_VERSION:
            raise BadSubmission(f"its format has version {version!r}; this one reads {FORMAT_VERSION}")
        try:
            models = tuple(SubmittedModel(**one) for one in content.pop("models"))
            manifest = cls(models=models, **content)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise BadSubmission("its manifest lacks a field, or has one too many") from error
        problem = _problem(manifest)
        if problem:
            raise BadSubmission(f"its manifest has an impossible {problem}")
        return replace(manifest, suite=SuiteId(manifest.suite))


def check_label(label: str) -> str | None:
    """What is wrong with the name of a submitter."""
    if not label.strip() or len(label) > _LONGEST_LABEL:
        return f"a name of 1 to {_LONGEST_LABEL} characters is needed"
    return None if label.isprintable() else "it contains characters that cannot be printed"


def _problem(manifest: Manifest) -> str:
    """The first field that cannot be; empty if all can."""
    texts = ("suite", "protocol", "package")
    for name in (*texts, "label", "note", "date"):
        if not isinstance(getattr(manifest, name), str):
            return name
    checks: dict[str, bool] = {
        "label": check_label(manifest.label) is None,
        "note": len(manifest.note) <= _LONGEST_NOTE,
        "rounds": _is_count(manifest.rounds),
        "cases": _is_count(manifest.cases),
        "pictures": manifest.pictures in get_args(Pictures),
        "date": bool(_DATE.fullmatch(manifest.date)),
        "models": bool(manifest.models)
        and all(isinstance(text, str) for one in manifest.models for text in asdict(one).values()),
        "metrics": _is_text_map(manifest.metrics),
        "environment": _is_text_map(manifest.environment),
        "files": _is_text_map(manifest.files) and all(map(_DIGEST.fullmatch, manifest.files.values())),
    }
    return next((name for name, is_sound in checks.items() if not is_sound), "")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text_map(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
