"""One file or folder into the workspace, marked as imported, and only once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.errors import WrongUse
from convergebench.importing.chains import find_chains, import_chains
from convergebench.importing.tables import read_csv, read_json
from convergebench.metrics import MetricSet
from convergebench.results import Records
from convergebench.store import Workspace, record_imported
from convergebench.types import ImportedReturn

SUITE = "imported"


@dataclass(frozen=True)
class ImportSummary:
    """What came in: returns, doubles included, of these models."""

    suite: str
    models: tuple[str, ...]
    returns: int


def import_path(
    workspace: Workspace, path: Path, model: str | None, suite: str, ruler: MetricSet, package: str
) -> ImportSummary:
    """Import a detailed CSV, a results JSON, or a folder of chains, whose pictures the ruler measures."""
    if path.is_dir():
        return _bring_folder(workspace, path, model, suite, ruler, package)
    if not path.is_file():
        raise WrongUse(f"there is no file or folder {path}")
    if path.suffix.lower() == ".csv":
        rows = read_csv(path, model)
    elif path.suffix.lower() == ".json":
        rows = read_json(path, model)
    else:
        raise WrongUse(f"cannot import {path.name}; give a .csv, a .json or a folder of chains")
    return _bring_rows(workspace, path, suite, rows, package)


def _bring_rows(
    workspace: Workspace, path: Path, suite: str, rows: Sequence[ImportedReturn], package: str
) -> ImportSummary:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if any(run.imported(digest, suite) for run in Records.of(workspace).runs):
        raise WrongUse(f"{path.name} is in this workspace already; nothing was imported again")
    run = workspace.start_run({"imported": path.name, "digest": digest, "suite": suite}, package)
    record_imported(workspace, run, suite, rows)
    workspace.finish_run(run, "finished")
    return ImportSummary(suite, tuple(dict.fromkeys(row.model for row in rows)), len(rows))


def _bring_folder(
    workspace: Workspace, path: Path, model: str | None, suite: str, ruler: MetricSet, package: str
) -> ImportSummary:
    if model is None:
        raise WrongUse("say which model made these pictures with --model NAME")
    chains = find_chains(path)
    run = workspace.start_run({"imported": path.absolute().name, "suite": suite}, package)
    returns = import_chains(workspace, run, suite, model, chains, ruler)
    workspace.finish_run(run, "finished")
    return ImportSummary(suite, (model,), returns)
