"""Packs what a leaderboard needs of a workspace into one file, without keys, paths and addresses."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from convergebench._version import __version__
from convergebench.atomic_files import replacing
from convergebench.errors import LostPicture, WorkspaceError, WrongUse
from convergebench.leaderboard import submitted_rows
from convergebench.leaderboard.archive import MANIFEST, PICTURES, ROWS, THUMBNAILS, SubmissionWriter
from convergebench.leaderboard.known_suites import installed_suite
from convergebench.leaderboard.manifest import Manifest, Pictures, SubmittedModel, check_label
from convergebench.leaderboard.renamed_pictures import with_pictures
from convergebench.leaderboard.scrubbing import Scrubber
from convergebench.leaderboard.submitted_rows import TABLES, Row, Rows
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.picture import SUFFIXES, Picture
from convergebench.picture.metadata import without_metadata
from convergebench.report.page.thumbnails import thumbnail
from convergebench.results import Records, load_results
from convergebench.results.step_contexts import step_contexts
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.store import Workspace
from convergebench.store.table_rows import read_table
from convergebench.types import Digest, PictureFacts, SuiteId

_PACKAGES = ("numpy", "opencv-python-headless", "onnxruntime", "torch", "pillow")
"""Those that change what metrics measure."""


@dataclass(frozen=True)
class PackedSubmission:
    path: Path
    manifest: Manifest
    bytes: int
    digest: Digest
    hidden_names: tuple[str, ...]
    """Models whose name held a path or an address, which the submission does not show."""


def pack_submission(
    workspace: Workspace, path: Path, *, label: str, note: str = "", suite: SuiteId | None = None,
    pictures: Pictures = "full",
) -> PackedSubmission:  # fmt: skip
    """Write the submission of one suite: the workspace's selected models, their newest results.

    The same content gives the same bytes.
    """
    problem = check_label(label)
    if problem:
        raise WrongUse(f"{label!r} cannot be the submitter's name: {problem}")
    records = Records.of(workspace)
    results = load_results(records, suite)
    chosen = _trajectories(records, results.suite, results.protocol)
    if not chosen:
        raise WrongUse(f"{results.suite} has imported rows only; a submission needs the edits themselves")
    scrubber = Scrubber(workspace.folder)
    steps = [step for step in records.steps if step.trajectory in chosen]
    renamed = _without_metadata(workspace, steps, results.suite) if pictures == "full" else {}
    rows = with_pictures(_scrubbed(_rows(records, chosen, steps), scrubber), steps, chosen, renamed)
    manifest = Manifest(
        label=label.strip(), note=note.strip(), suite=SuiteId(scrubber.value(results.suite)),
        protocol=results.protocol, rounds=max(one.rounds for one in chosen.values()),
        cases=len({one.case.fingerprint for one in chosen.values()}),
        pictures=pictures, date=max(row["at"] for row in rows["steps"])[:10], package=__version__,
        models=_models(chosen, scrubber), metrics=_metric_versions(rows), environment=_environment(),
    )  # fmt: skip
    with replacing(path) as part:
        with SubmissionWriter(part) as file:
            files = dict(_row_members(file, rows, scrubber))
            files |= _picture_members(file, workspace, _needed_pictures(steps), pictures, renamed)
            file.add(MANIFEST, replace(manifest, files=files).written())
        digest, size = digest_of_file(part), part.stat().st_size
    names = {one.editor.label for one in chosen.values()}
    hidden = tuple(sorted(name for name in names if scrubber.value(name) != name))
    return PackedSubmission(path, replace(manifest, files=files), size, digest, hidden)


def digest_of_file(path: Path) -> Digest:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _trajectories(records: Records, suite: SuiteId, protocol: str) -> dict[int, TrajectoryRecord]:
    return {
        one.id: one
        for one in records.trajectories
        if one.is_newest and one.case.suite == suite and one.protocol == protocol
    }


def _rows(records: Records, chosen: Mapping[int, TrajectoryRecord], steps: Sequence[StepRecord]) -> Rows:
    """The rows of every table that belong to these trajectories."""
    if not any(step.picture for step in steps):
        raise WorkspaceError("there is no finished edit to submit; create some with convergebench run")
    made = {step.picture for step in steps if step.picture}
    references = {
        *made,
        *(one for step in steps for one in step.inputs),
        *step_contexts(steps, chosen).values(),
    }
    versions, runs = records.newest_versions, {step.run for step in steps}
    editors = {one.editor.fingerprint for one in chosen.values()}
    cases = {one.case.fingerprint for one in chosen.values()}
    suite = next(iter(chosen.values())).case.suite
    last_steps = {(step.trajectory, step.position) for step in steps}

    def is_measured(row: Row) -> bool:
        is_newest = row["metric"] == CLIP_DIRECTION or versions.get(row["metric"]) == row["version"]
        return is_newest and row["picture"] in made and row["reference"] in references

    keep: dict[str, Callable[[Row], bool]] = {
        "steps": lambda row: (row["trajectory"], row["position"]) in last_steps,
        "runs": lambda row: row["id"] in runs,
        "editors": lambda row: row["fingerprint"] in editors,
        "model_names": lambda row: row["model"] in editors,
        "case_facts": lambda row: row["fingerprint"] in cases,
        "suite_cases": lambda row: row["case_fingerprint"] in cases and row["suite"] == suite,
        "trajectories": lambda row: row["id"] in chosen,
        "measurements": is_measured,
        "measurement_details": is_measured,
    }
    found = {table: _table(records.workspace, table, keep[table]) for table in keep if table != "runs"}
    runs |= {row["run"] for row in found["steps"]}  # of earlier attempts too
    return {**found, "runs": _table(records.workspace, "runs", keep["runs"])}


def _table(workspace: Workspace, table: str, keep: Callable[[Row], bool]) -> list[Row]:
    return [row for row in read_table(workspace, table, tuple(TABLES[table])) if keep(row)]


def _scrubbed(rows: Rows, scrubber: Scrubber) -> Rows:
    """Without keys, paths and addresses in every text that the machine or a user wrote. Instructions and
    case ids stay, since they identify the case."""

    def structure(text: str) -> str:
        return json.dumps(scrubber.value(json.loads(text)), ensure_ascii=False, sort_keys=True)

    def reason(text: str | None) -> str | None:
        return None if text is None else scrubber.text(text)

    changes: dict[str, dict[str, Callable[[Any], Any]]] = {
        "runs": {"settings": structure, "outcome": reason},
        "editors": {"name": scrubber.value, "version": scrubber.value, "parameters": structure},
        "model_names": {"name": scrubber.value},
        "case_facts": {"hints": structure},
        "suite_cases": {"suite": scrubber.value},
        "steps": {"reason": reason},
        "measurements": {"missing": reason},
        "measurement_details": {"detail": structure},
    }
    return {
        table: [{**row, **{name: change(row[name]) for name, change in changes.get(table, {}).items()}}
                for row in found]
        for table, found in rows.items()
    }  # fmt: skip


def _models(chosen: Mapping[int, TrajectoryRecord], scrubber: Scrubber) -> tuple[SubmittedModel, ...]:
    editors = {one.editor.fingerprint: one.editor for one in chosen.values()}
    return tuple(
        SubmittedModel(scrubber.value(one.label), fingerprint, scrubber.value(one.version), one.role)
        for fingerprint, one in sorted(
            editors.items(), key=lambda item: (item[1].role != "model", item[1].label)
        )
    )


def _metric_versions(rows: Rows) -> dict[str, str]:
    """Without CLIP's direction, whose version holds its texts."""
    found = {row["metric"]: row["version"] for row in rows["measurements"] if row["metric"] != CLIP_DIRECTION}
    return dict(sorted(found.items()))


def _environment() -> dict[str, str]:
    """Versions only: nothing that names the machine."""
    found = {
        "python": platform.python_version(), "system": platform.system(), "machine": platform.machine(),
    }  # fmt: skip
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _row_members(file: SubmissionWriter, rows: Rows, scrubber: Scrubber) -> Iterator[tuple[str, Digest]]:
    """Writes the rows; the names and digests of their members."""
    for table in TABLES:
        name, data = f"{ROWS}/{table}.jsonl", submitted_rows.written(table, rows[table])
        held = scrubber.found_in(data)
        if held:
            raise WorkspaceError(
                f"the rows of {table} hold {held} where it cannot be removed, such as in an instruction or a "
                "case's id; change it there, and submit the new results"
            )
        yield name, file.add(name, data)


def _needed_pictures(steps: Sequence[StepRecord]) -> list[Digest]:
    made = {step.picture for step in steps if step.picture}
    return sorted(made.union(*(step.inputs for step in steps)))


def _without_metadata(
    workspace: Workspace, steps: Sequence[StepRecord], suite: SuiteId
) -> dict[Digest, PictureFacts]:
    """Which pictures become another file, since theirs says more than its pixels. The sources of an installed
    suite are public and stay as they are."""
    public = {one for step in steps if step.position == 0 for one in step.inputs}
    renamed: dict[Digest, PictureFacts] = {}
    for digest in _needed_pictures(steps):
        if digest in public and installed_suite(suite):
            continue
        picture = _load(workspace, digest)
        plain = without_metadata(picture.encoded)
        if plain != picture.encoded:
            renamed[digest] = Picture.from_bytes(plain).facts
    return renamed


def _picture_members(
    file: SubmissionWriter,
    workspace: Workspace,
    digests: Sequence[Digest],
    pictures: Pictures,
    renamed: Mapping[Digest, PictureFacts],
) -> dict[str, Digest]:
    """Writes the pictures; the names and digests of their members."""
    written: dict[str, Digest] = {}
    for digest in digests if pictures != "none" else ():
        picture = _load(workspace, digest)
        if pictures == "thumbnails":
            name, data = f"{THUMBNAILS}/{digest}.jpg", thumbnail(picture.pixels)
        else:
            facts = renamed.get(digest, picture.facts)
            data = without_metadata(picture.encoded) if digest in renamed else picture.encoded
            name = f"{PICTURES}/{facts.digest}{SUFFIXES[facts.media_type]}"
        if name not in written:  # two files can have the same pixels
            written[name] = file.add(name, data)
    return written


def _load(workspace: Workspace, digest: Digest) -> Picture:
    try:
        return workspace.pictures.load(digest)
    except LostPicture as error:
        raise LostPicture(
            f"{error}; or submit with --pictures none, which is marked as unverified"
        ) from error
