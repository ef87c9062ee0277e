"""Judgements: the judge, the question and rubric, every call, and the verdict."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convergebench.judges import Verdict
from convergebench.store import Workspace
from convergebench.types import Digest

_CALLS = """
    SELECT j.judge, a.outcome, count(*) AS calls, avg(a.seconds) AS seconds,
           CASE WHEN count(a.cost_usd) = count(*) THEN sum(a.cost_usd) END AS cost_usd,
           max(a.detail) AS example
    FROM judge_attempts a JOIN judgements j ON j.key = a.judgement GROUP BY j.judge, a.outcome
    ORDER BY j.judge, calls DESC
"""
_ATTEMPTS = """
    SELECT judgement, outcome, detail, reply, finish_reason, served_model, seconds, tokens_read,
           tokens_written, cost_usd, run, at, sent_sizes
    FROM judge_attempts WHERE judgement IN ({keys}) ORDER BY id
"""
_VALUES = """
    SELECT j.judge, j.rubric, j.pictures || j.texts, j.value FROM judgements j
    WHERE j.outcome = 'ok' AND j.value IS NOT NULL AND j.rubric IN ({rubrics})
"""


@dataclass(frozen=True)
class JudgeRecord:
    fingerprint: Digest
    name: str
    version: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class RubricRecord:
    """A rubric, or a reasoner's prompt, as it was used."""

    fingerprint: Digest
    id: str
    version: int
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.id}@{self.wording if self.content.get('message') else self.version}"

    @property
    def wording(self) -> str:
        """Whose words it is in: this package's own if empty, otherwise published-DIGEST or custom-DIGEST."""
        return str(self.content.get("wording") or "")

    @property
    def of(self) -> str:
        """Its subject; a prompt requests advice from a reasoner."""
        return str(self.content.get("of", "advice"))

    @property
    def grades(self) -> bool:
        """Whether it gives one picture a value; other rubrics compare two pictures, or request advice."""
        return self.of in ("edit", "return")

    @property
    def compares(self) -> bool:
        return self.of.endswith("_pair")

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        ends = [(ask.get("low"), ask.get("high")) for ask in self.content.get("ask", ())]
        scales = [(low, high) for low, high in ends if low is not None and high is not None]
        return (min(low for low, _ in scales), max(high for _, high in scales)) if scales else (0.0, 1.0)


@dataclass(frozen=True)
class JudgementRecord:
    key: str
    judge: Digest
    rubric: Digest
    repeat: int
    outcome: str | None
    """None if it was started and never answered."""
    value: float | None
    reason: str | None
    missing: str | None
    run: int
    at: str
    pictures: tuple[tuple[str, Digest], ...]
    """With the role of each, such as source and result."""
    texts: Mapping[str, Any]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class AttemptRecord:
    """One call."""

    outcome: str
    detail: str
    reply: str | None
    finish_reason: str | None
    served_model: str | None
    seconds: float
    tokens_read: int | None
    tokens_written: int | None
    cost_usd: float | None
    run: int
    at: str
    sent_sizes: Sequence[Any]


@dataclass(frozen=True)
class CallCount:
    """A judge's calls with one outcome, and their time and cost."""

    judge: Digest
    outcome: str
    calls: int
    seconds: float
    """On average."""
    cost_usd: float | None
    """The total; None if one of them is unknown."""
    example: str


@dataclass(frozen=True)
class JudgeValue:
    """A judge's value and its subject: the pictures and texts that it saw, as one string."""

    judge: Digest
    rubric: str
    subject: str
    value: float


def read_judges(workspace: Workspace) -> list[JudgeRecord]:
    """By name."""
    sql = "SELECT fingerprint, name, version, settings FROM judges ORDER BY name, fingerprint"
    return [JudgeRecord(*(*facts, json.loads(settings))) for *facts, settings in workspace.query(sql)]


def read_rubrics(workspace: Workspace) -> dict[Digest, RubricRecord]:
    sql = "SELECT fingerprint, id, version, content FROM rubrics ORDER BY id, version"
    return {
        facts[0]: RubricRecord(*(*facts, json.loads(content))) for *facts, content in workspace.query(sql)
    }


def read_judgements(workspace: Workspace) -> list[JudgementRecord]:
    """Every judgement that was started."""
    sql = """
        SELECT key, judge, rubric, repeat, outcome, value, reason, missing, run, at, pictures, texts, scores
        FROM judgements
    """
    return [
        JudgementRecord(
            *(*facts, _pairs(json.loads(pictures)), json.loads(texts), json.loads(scores or "{}"))
        )
        for *facts, pictures, texts, scores in workspace.query(sql)
    ]


def read_attempts(workspace: Workspace, keys: Sequence[str]) -> dict[str, list[AttemptRecord]]:
    """Every call for these judgements, in order."""
    found: defaultdict[str, list[AttemptRecord]] = defaultdict(list)
    for key, *facts, sizes in workspace.query(_ATTEMPTS.format(keys=_places(keys)), *keys):
        found[key].append(AttemptRecord(*(*facts, json.loads(sizes))))
    return found


def read_call_counts(workspace: Workspace) -> list[CallCount]:
    """By judge, the most frequent outcome first."""
    return [CallCount(*row) for row in workspace.query(_CALLS)]


def read_judge_values(workspace: Workspace, rubrics: Sequence[Digest]) -> list[JudgeValue]:
    """Every judge's values by these rubrics."""
    names = {fingerprint: one.name for fingerprint, one in read_rubrics(workspace).items()}
    rows = workspace.query(_VALUES.format(rubrics=_places(rubrics)), *rubrics)
    return [JudgeValue(judge, names[rubric], subject, value) for judge, rubric, subject, value in rows]


def stored_verdicts(workspace: Workspace, keys: Sequence[str]) -> dict[str, Verdict]:
    """Verdicts by key, including missing ones and those of other processes."""
    sql = f"""
        SELECT key, outcome, value, scores, reason, missing FROM judgements
        WHERE key IN ({_places(keys)}) AND outcome IS NOT NULL
    """
    return {
        key: Verdict(outcome, value, json.loads(scores), reason, missing)
        for key, outcome, value, scores, reason, missing in workspace.query(sql, *keys)
    }


def _pairs(pictures: Sequence[Sequence[str]]) -> tuple[tuple[str, Digest], ...]:
    return tuple((name, digest) for name, digest in pictures)


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
