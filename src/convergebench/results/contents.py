"""What a workspace contains: every model and every run, with the hidden ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convergebench.results.records import Records
from convergebench.results.runs import read_runs
from convergebench.store import Workspace, hidden_models, hidden_runs
from convergebench.store.visibility import IMPORTED
from convergebench.types import Digest

_EDITS_OF_MODELS = """
    SELECT t.editor, count(s.picture), sum(s.cost_usd)
    FROM steps s JOIN trajectories t ON t.id = s.trajectory GROUP BY t.editor
"""
_SUITES_OF_MODELS = """
    SELECT DISTINCT t.editor, c.suite FROM trajectories t JOIN suite_cases c USING (case_fingerprint)
"""


@dataclass(frozen=True)
class ModelEntry:
    label: str
    editor: str
    """The editor's own name, with its parameters, or the name in an imported table."""
    fingerprint: Digest
    suites: tuple[str, ...]
    edits: int
    cost_usd: float | None
    is_hidden: bool


@dataclass(frozen=True)
class RunEntry:
    id: int
    started: str
    outcome: str
    summary: str
    edits: int
    is_hidden: bool


@dataclass(frozen=True)
class WorkspaceContents:
    models: tuple[ModelEntry, ...]
    runs: tuple[RunEntry, ...]


def read_contents(workspace: Workspace) -> WorkspaceContents:
    return WorkspaceContents(tuple(_models(workspace)), tuple(_runs(workspace)))


def model_labels(records: Records) -> dict[Digest, str]:
    """Every model's label, by fingerprint or imported:NAME."""
    imported = {f"{IMPORTED}{name}": label for name, label in records.imported_labels.items()}
    return {one.fingerprint: one.label for one in records.editors.values()} | imported


def _models(workspace: Workspace) -> list[ModelEntry]:
    records, hidden = Records.of(workspace), hidden_models(workspace)
    labels = model_labels(records)
    suites: dict[Digest, dict[str, None]] = {}
    for editor, suite in workspace.query(_SUITES_OF_MODELS):
        suites.setdefault(editor, {})[suite] = None
    uses = {editor: (edits, cost) for editor, edits, cost in workspace.query(_EDITS_OF_MODELS)}
    names = {one.fingerprint: one.name for one in records.editors.values()}
    return [
        ModelEntry(
            label, names.get(model, model.removeprefix(IMPORTED)), "" if model not in names else model,
            tuple(suites.get(model, {})), *uses.get(model, (0, None)), model in hidden,
        )
        for model, label in labels.items()
    ]  # fmt: skip


def _runs(workspace: Workspace) -> list[RunEntry]:
    hidden = hidden_runs(workspace)
    edits = Counter(dict(map(tuple, workspace.query("SELECT run, count(picture) FROM steps GROUP BY run"))))
    return [
        RunEntry(
            run.id, run.started, run.outcome or "unfinished", _run_summary(run.settings), edits[run.id],
            run.id in hidden,
        )
        for run in read_runs(workspace)
    ]  # fmt: skip


def _run_summary(settings: Mapping[str, Any]) -> str:
    """What it did, in a few words."""
    models, judge = settings.get("models"), settings.get("judge")
    what = settings.get("command") or ("import" if settings.get("imported") else "run")
    parts = [what, str(settings.get("suite") or ""), ", ".join(models or []), str(judge or "")]
    return " ".join(part for part in parts if part)
