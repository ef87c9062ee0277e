"""Imports one file or folder into the workspace, marked as imported, and only once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from convergebench.errors import WrongUse
from convergebench.importing.chains import find_chains, import_chains, unreadable_sources
from convergebench.importing.tables import read_csv, read_json
from convergebench.metrics import MetricSet
from convergebench.results import Records
from convergebench.results.runs import LEFT_OUT
from convergebench.store import Workspace, record_imported
from convergebench.types import ImportedReturn, SuiteId

SUITE = "imported"


@dataclass(frozen=True)
class ImportSummary:
    """The imported data: the number of returns, including duplicates, and the models."""

    suite: SuiteId
    models: tuple[str, ...]
    returns: int
    incomplete: Mapping[str, str] = field(default_factory=dict)
    """Chains that lack pictures or were left out, with the reason."""


def import_path(
    workspace: Workspace, path: Path, model: str | None, suite: SuiteId, metric_set: MetricSet
) -> ImportSummary:
    """Import a detailed CSV, a results JSON, or a folder of chains, whose pictures are measured."""
    if path.is_dir():
        return _import_folder(workspace, path, model, suite, metric_set)
    if not path.is_file():
        raise WrongUse(f"there is no file or folder {path}")
    if path.suffix.lower() == ".csv":
        rows = read_csv(path, model)
    elif path.suffix.lower() == ".json":
        rows = read_json(path, model)
    else:
        raise WrongUse(f"cannot import {path.name}; give a .csv, a .json or a folder of chains")
    return _import_rows(workspace, path, suite, rows)


def _import_rows(
    workspace: Workspace, path: Path, suite: SuiteId, rows: Sequence[ImportedReturn]
) -> ImportSummary:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if any(run.imported(digest, suite) for run in Records.of(workspace).runs):
        raise WrongUse(f"{path.name} is in this workspace already; nothing was imported again")
    with workspace.run({"imported": path.name, "digest": digest, "suite": suite}) as run:
        record_imported(workspace, run.id, suite, rows)
    return ImportSummary(suite, tuple(dict.fromkeys(row.model for row in rows)), len(rows))


def _import_folder(
    workspace: Workspace, path: Path, model: str | None, suite: SuiteId, metric_set: MetricSet
) -> ImportSummary:
    if model is None:
        raise WrongUse("name the model that made these pictures with --model NAME")
    chains = find_chains(path)
    left_out = unreadable_sources(chains)
    readable = [chain for chain in chains if chain.case not in left_out]
    if not readable:
        raise WrongUse(
            f"no chain in {path} has a readable source; the first: {next(iter(left_out.values()))}"
        )
    settings = {"imported": path.absolute().name, "suite": suite, "models": [model], LEFT_OUT: left_out}
    with workspace.run(settings) as run:
        imported = import_chains(workspace, run.id, suite, model, readable, metric_set)
    named = {case: f"{reason}; the chain is left out" for case, reason in left_out.items()}
    return ImportSummary(suite, (model,), imported.returns, named | imported.incomplete)
