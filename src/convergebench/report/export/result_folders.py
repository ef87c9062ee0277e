"""Pictures of a workspace as folders that the programs of published sets read."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from convergebench.atomic_files import replacing
from convergebench.benchmarks.layouts import FolderLayout, ResultPlace
from convergebench.errors import LostPicture, WrongUse
from convergebench.picture import Picture
from convergebench.results import Records
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.store import Workspace
from convergebench.types import Digest, SuiteId

log = logging.getLogger("convergebench")

_METADATA = "metadata.jsonl"
_MEDIA_TYPES = {".png": "image/png", ".jpg": "image/jpeg"}


@dataclass(frozen=True)
class ExportedResults:
    folder: Path
    model: str
    pictures: int
    missing: int
    """Results that were asked for and have no picture, or lost it: they are left out."""


@dataclass(frozen=True)
class _Result:
    suite: SuiteId
    """Without the part of its protocol."""
    place: ResultPlace
    picture: Digest | None
    instruction: str


def export_results(
    workspace: Workspace, layout: FolderLayout, folder: Path, suite: SuiteId | None = None
) -> list[ExportedResults]:
    """Write the results of every model of the layout's suites into a folder of its own."""
    records = Records.of(workspace)
    by_model: dict[str, list[TrajectoryRecord]] = {}
    for one in {one.id: one for one in records.trajectories if _is_meant(one, layout, suite)}.values():
        by_model.setdefault(one.model, []).append(one)
    if not by_model:
        names = ", ".join(layout.suites)
        raise WrongUse(
            f"{workspace.folder} has no results for the layout {layout.name}, which is for the suites {names}"
        )
    return [
        _export_model(records, layout, folder / _file_name(model), model, own)
        for model, own in by_model.items()
    ]


def _is_meant(one: TrajectoryRecord, layout: FolderLayout, suite: SuiteId | None) -> bool:
    id = one.case.suite
    of_layout = any(id.name in (name, f"{name}-mini", f"{name}-uge") for name in layout.suites)
    is_chosen = id.is_named(suite) or id.base == suite
    return one.is_newest and of_layout and is_chosen


def _export_model(
    records: Records, layout: FolderLayout, folder: Path, model: str, own: list[TrajectoryRecord]
) -> ExportedResults:
    written = missing = 0
    lines = []
    suites: dict[str, SuiteId] = {}
    for result in _results(records, layout, own):
        path = layout.path(result.place)
        if path is None:
            continue
        if suites.setdefault(path, result.suite) != result.suite:
            raise WrongUse(
                f"{path} would be a result of {suites[path]} and of {result.suite}; choose one with --suite"
            )
        picture = _loaded(records, result.picture)
        if picture is None:
            missing += 1
            continue
        _write(picture, folder / path)
        written += bool(result.place.turn)
        lines.append({"key": result.place.case, "file_name": path, "instruction": result.instruction})
    if layout.name == "gedit2":
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        _save(folder / _METADATA, text.encode())
    return ExportedResults(folder, model, written, missing)


def _loaded(records: Records, digest: Digest | None) -> Picture | None:
    """None for a picture that there is none of, or that is lost, which is named."""
    if digest is None:
        return None
    try:
        return records.workspace.pictures.load(digest)
    except LostPicture as error:
        log.warning("left out: %s", error)
        return None


def _results(records: Records, layout: FolderLayout, own: list[TrajectoryRecord]) -> Iterator[_Result]:
    trajectories = {one.id: one for one in own}
    for step in records.steps:
        one = trajectories.get(step.trajectory)
        if one is None or step.role not in layout.roles:
            continue
        case = one.case
        if layout.with_sources and step.position == 0:
            source = ResultPlace(case.id, case.category, case.language, step.role, 0)
            yield _Result(case.suite.base, source, step.inputs[0], "")
        place = ResultPlace(case.id, case.category, case.language, step.role, step.round)
        yield _Result(case.suite.base, place, step.picture, step.instruction)


def _write(picture: Picture, place: Path) -> None:
    """In the format that the layout's suffix says; a picture that is in it already, byte for byte."""
    if picture.facts.media_type == _MEDIA_TYPES[place.suffix]:
        _save(place, picture.encoded)
        return
    if place.suffix == ".png":
        _save(place, Picture.from_pixels(picture.pixels).encoded)
        return
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(picture.pixels).save(out, "JPEG", quality=95, subsampling=0)
    _save(place, out.getvalue())


def _save(place: Path, data: bytes) -> None:
    with replacing(place) as part:
        part.write_bytes(data)


def _file_name(model: str) -> str:
    """A model's name as a folder's."""
    return "".join(letter if letter.isalnum() or letter in "-_.+@=" else "_" for letter in model)
