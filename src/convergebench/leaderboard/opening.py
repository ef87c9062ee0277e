"""Turns the file of a submission into a workspace, after checking that it is whole and consistent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from convergebench.errors import BadPicture, WorkspaceError
from convergebench.leaderboard import submitted_rows
from convergebench.leaderboard.archive import MANIFEST, PICTURES, ROWS, THUMBNAILS, SubmissionFile
from convergebench.leaderboard.manifest import Manifest
from convergebench.leaderboard.renamed_pictures import ROUND_TRIP, case_fingerprint
from convergebench.leaderboard.submitted_rows import TABLES, BadSubmission, Row, Rows
from convergebench.picture import SUFFIXES, Picture
from convergebench.store import Workspace
from convergebench.store.table_rows import insert_tables
from convergebench.types import Digest

_MEASURED = ("measurements", "measurement_details")


@dataclass(frozen=True)
class OpenedSubmission:
    """A submission whose rows and pictures are those of its manifest, and fit together."""

    manifest: Manifest
    rows: Rows
    folder: Path
    """Its workspace. With full pictures it has no measurements yet, since these are made again."""


def open_submission(path: Path, folder: Path, pictures: Path) -> OpenedSubmission:
    """Fill a new workspace in `folder` that keeps its pictures in `pictures`. BadSubmission if something is
    wrong."""
    with SubmissionFile(path) as file:
        manifest = Manifest.read(file.read(MANIFEST))
        if file.names != {MANIFEST, *manifest.files}:
            raise BadSubmission("its members are not those that its manifest lists")
        rows = {table: _checked_table(file, table, manifest) for table in TABLES}
        _check_manifest(manifest, rows)
        _check_steps(rows)
        _check_cases(rows)
        with Workspace.create(folder, str(pictures)) as workspace:
            _fill(workspace, rows, with_measurements=manifest.pictures != "full")
            _check_pictures(file, manifest, rows, workspace)
    return OpenedSubmission(manifest, rows, folder)


def thumbnails_of(path: Path) -> Mapping[Digest, bytes]:
    """The thumbnails in a submission that was opened before, by the digest of the picture they show."""
    with SubmissionFile(path) as file:
        names = sorted(name for name in file.names if name.startswith(THUMBNAILS))
        return {Path(name).stem: file.read(name) for name in names}


def _checked_table(file: SubmissionFile, table: str, manifest: Manifest) -> list[Row]:
    return submitted_rows.read(table, _checked(file, f"{ROWS}/{table}.jsonl", manifest))


def _checked(file: SubmissionFile, name: str, manifest: Manifest) -> bytes:
    data = file.read(name)
    if hashlib.sha256(data).hexdigest() != manifest.files.get(name):
        raise BadSubmission(f"{name} was changed: its digest is not that of the manifest")
    return data


def _check_manifest(manifest: Manifest, rows: Rows) -> None:
    """What the manifest says must be what the rows hold."""
    found = {
        "suite": {row["suite"] for row in rows["suite_cases"]},
        "protocol": {row["protocol"] for row in rows["trajectories"]},
        "rounds": {max((row["rounds"] for row in rows["trajectories"]), default=0)},
        "cases": {len(rows["case_facts"])},
        "date": {max((row["at"] for row in rows["steps"]), default="")[:10]},
    }
    stated = {one.fingerprint: one.role for one in manifest.models}
    if stated != {row["fingerprint"]: row["role"] for row in rows["editors"]}:
        raise BadSubmission("its rows have other models than its manifest says")
    if "model" not in stated.values():
        raise BadSubmission("it has no model, only floors and probes")
    for name, values in found.items():
        if values != {getattr(manifest, name)}:
            raise BadSubmission(f"its rows have another {name} than its manifest says")


def _check_steps(rows: Rows) -> None:
    """Pictures follow each other, and the instructions are those of the case."""
    cases = {row["fingerprint"]: row for row in rows["case_facts"]}
    trajectories = {row["id"]: row for row in rows["trajectories"]}
    for step in rows["steps"]:
        trajectory = trajectories.get(step["trajectory"])
        case = cases.get(trajectory["case_fingerprint"]) if trajectory else None
        if trajectory is None or case is None:
            raise BadSubmission(f"step {step['id']} belongs to no trajectory or case")
        if step["round"] > trajectory["rounds"]:
            raise BadSubmission(f"step {step['id']} is of round {step['round']}, which was not planned")
        if step["picture"] and None in (step["width"], step["height"], step["media_type"]):
            raise BadSubmission(f"step {step['id']} does not say what its picture is")
        if trajectory["protocol"] == ROUND_TRIP:
            wanted = {"forward": case["forward"], "backward": case["backward"]}.get(step["role"])
            if step["instruction"] != wanted:
                raise BadSubmission(f"step {step['id']} has another instruction than its case {case['id']!r}")


def _check_cases(rows: Rows) -> None:
    """A case of a round trip is identified by its source, its instructions and its id."""
    cases = {row["fingerprint"]: row for row in rows["case_facts"]}
    trajectories = {row["id"]: row for row in rows["trajectories"] if row["protocol"] == ROUND_TRIP}
    for step in rows["steps"]:
        trajectory = trajectories.get(step["trajectory"])
        if trajectory is None or step["position"] != 0:
            continue
        case = cases[trajectory["case_fingerprint"]]
        if case_fingerprint(case, json.loads(step["inputs"])) != case["fingerprint"]:
            raise BadSubmission(f"case {case['id']!r} is not the one that its fingerprint says")


def _fill(workspace: Workspace, rows: Rows, *, with_measurements: bool) -> None:
    chosen = [table for table in TABLES if with_measurements or table not in _MEASURED]
    try:
        insert_tables(workspace, {table: rows[table] for table in chosen})
    except WorkspaceError as error:
        raise BadSubmission(str(error)) from error


def _check_pictures(file: SubmissionFile, manifest: Manifest, rows: Rows, workspace: Workspace) -> None:
    """Every picture of a full submission is there, is what its name says, and is as large as its step
    says."""
    facts = {
        row["picture"]: (row["width"], row["height"], row["media_type"])
        for row in rows["steps"]
        if row["picture"]
    }
    inputs = {digest for row in rows["steps"] for digest in json.loads(row["inputs"])}
    held = sorted(name for name in file.names if name.startswith(PICTURES))
    small = sorted(name for name in file.names if name.startswith(THUMBNAILS))
    if (held and manifest.pictures != "full") or (small and manifest.pictures != "thumbnails"):
        raise BadSubmission(f"it holds other pictures than its manifest says ({manifest.pictures})")
    for name in small:
        _thumbnail(_checked(file, name, manifest), name)
    if manifest.pictures != "full":
        return
    missing = {*facts, *inputs} - {Path(name).stem for name in held}
    if missing:
        raise BadSubmission(f"{len(missing)} of its pictures are missing, such as {min(missing)}")
    for name in held:
        picture = _picture(_checked(file, name, manifest), name)
        stated = facts.get(picture.digest)
        if stated not in (None, (*picture.size, picture.facts.media_type)):
            raise BadSubmission(f"{name} has another size or kind than its step says")
        workspace.pictures.put(picture)


def _thumbnail(data: bytes, name: str) -> None:
    if _decoded(data, name).facts.media_type != "image/jpeg":
        raise BadSubmission(f"{name} is not a JPEG file")


def _decoded(data: bytes, name: str) -> Picture:
    try:
        return Picture.from_bytes(data)
    except BadPicture as error:
        raise BadSubmission(f"{name} is not a picture ({error})") from error


def _picture(data: bytes, name: str) -> Picture:
    picture = _decoded(data, name)
    if f"{PICTURES}/{picture.digest}{SUFFIXES[picture.facts.media_type]}" != name:
        raise BadSubmission(f"{name} is another picture than its name says")
    return picture
