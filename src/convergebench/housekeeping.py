"""What is in a workspace, and tidying it: rename, hide, remove, merge, and free disk space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.errors import WrongUse, unknown_name
from convergebench.results import Records
from convergebench.results.contents import WorkspaceContents, model_labels, read_contents
from convergebench.results.runs import read_runs
from convergebench.store import (
    DATABASE,
    Workspace,
    imported_models,
    lost_pictures,
    merging,
    removal,
    visibility,
)
from convergebench.types import Digest


@dataclass(frozen=True)
class WorkspaceSize:
    database_bytes: int
    pictures: int
    picture_bytes: int
    unneeded_pictures: int
    unneeded_bytes: int


@dataclass(frozen=True)
class LostPictures:
    lost: tuple[lost_pictures.LostPictureUse, ...]
    again: lost_pictures.RepairCost
    place: str
    """Where the pictures are stored."""


def contents(folder: str | Path) -> WorkspaceContents:
    """Every model and run, the hidden ones too."""
    with Workspace.existing(Path(folder)) as workspace:
        return read_contents(workspace)


def rename_model(folder: str | Path, model: str, name: str) -> str:
    """Give a model another name in every table, page and paper; an empty one restores the original name.

    No result changes: a name is not part of a model's fingerprint. Returns the new label, which ends with the
    fingerprint if another model has the same name, or with (imported) for a model of an imported table.
    """
    if "," in name:
        raise WrongUse("a model's name must not contain a comma; choose another name")
    with _opened(folder) as workspace:
        identity = _identity(workspace, model)
        visibility.set_model_name(workspace, identity, name.strip())
        return model_labels(Records(workspace))[identity]


def hide(folder: str | Path, models: Sequence[str] = (), runs: Sequence[int] = ()) -> None:
    """Leave models and runs out of everything that is read. Later runs still reuse their edits."""
    with _opened(folder) as workspace:
        visibility.hide(workspace, _identities(workspace, models), _known_runs(workspace, runs))


def unhide(folder: str | Path, models: Sequence[str] = (), runs: Sequence[int] = ()) -> None:
    with _opened(folder) as workspace:
        visibility.unhide(workspace, _identities(workspace, models), _known_runs(workspace, runs))


def remove(folder: str | Path, models: Sequence[str] = (), runs: Sequence[int] = ()) -> removal.RemovedRows:
    """Delete all edits of these models, and everything that these runs made. This cannot be undone."""
    with _opened(folder) as workspace, workspace.alone():
        identities, numbers = _identities(workspace, models), _known_runs(workspace, runs)
        found = [removal.remove_models(workspace, identities)] if identities else []
        found += [removal.remove_runs(workspace, numbers)] if numbers else []
    return removal.RemovedRows(
        *(sum(getattr(one, name) for one in found) for name in ("trajectories", "steps", "judgements"))
    )


def merge(folder: str | Path, other: str | Path) -> merging.Merged:
    """Copy everything of another workspace into this one, which is created if it does not exist."""
    if Path(folder).resolve() == Path(other).resolve():
        raise WrongUse("a workspace cannot be merged into itself; name another one")
    with Workspace.existing(Path(other)) as source, Workspace.create(Path(folder)) as workspace:
        return merging.merge(workspace, source)


def collect_garbage(folder: str | Path) -> removal.Garbage:
    """Delete the pictures that nothing refers to."""
    with _opened(folder) as workspace:
        return removal.collect_garbage(workspace)


def find_lost(folder: str | Path) -> LostPictures:
    """Every picture that is missing or damaged, where it is used, and what has to be edited again."""
    with Workspace.existing(Path(folder)) as workspace:
        lost = lost_pictures.lost_pictures(workspace)
        return LostPictures(tuple(lost), lost_pictures.repair_cost(workspace, lost), workspace.pictures.place)


def drop_lost(folder: str | Path, found: LostPictures) -> int:
    """Forget lost edits and those made from them, so that the next run makes them again; set damaged files
    aside. Returns the number of edits."""
    with _opened(folder) as workspace:
        return lost_pictures.drop_lost(workspace, found.lost)


def size(folder: str | Path) -> WorkspaceSize:
    with Workspace.existing(Path(folder)) as workspace:
        sizes, garbage = workspace.pictures.sizes(), removal.find_garbage(workspace)
        files = Path(folder).glob(f"{DATABASE}*")
        return WorkspaceSize(
            sum(file.stat().st_size for file in files), len(sizes), sum(sizes.values()),
            len(garbage.pictures), garbage.bytes,
        )  # fmt: skip


def _opened(folder: str | Path) -> Workspace:
    """For changes; it must exist."""
    with Workspace.existing(Path(folder)):
        return Workspace.create(Path(folder))


def _identities(workspace: Workspace, models: Sequence[str]) -> list[Digest]:
    return [_identity(workspace, model) for model in models]


def _identity(workspace: Workspace, model: str) -> Digest:
    """The one model with this label, name or fingerprint."""
    records = Records.of(workspace)
    editors = records.editors.values()
    found = [one.fingerprint for one in editors if one.label == model or one.fingerprint == model]
    found = found or [one.fingerprint for one in editors if model in one.names]
    if not found and model in {*imported_models(workspace), *records.imported_labels.values()}:
        names = {label: name for name, label in records.imported_labels.items()}
        found = [f"{visibility.IMPORTED}{names.get(model, model)}"]
    labels = model_labels(records)
    if not found:
        raise unknown_name("model", model, labels.values(), otherwise="see: convergebench workspace list")
    if len(found) > 1:
        several = ", ".join(labels[one] for one in found)
        raise WrongUse(f"{len(found)} models are called {model}; name one of {several}")
    return found[0]


def _known_runs(workspace: Workspace, runs: Sequence[int]) -> list[int]:
    known = {run.id for run in read_runs(workspace)}
    for run in runs:
        if run not in known:
            raise WrongUse(f"there is no run {run}; see: convergebench workspace list")
    return list(runs)
