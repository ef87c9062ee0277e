"""Trajectories as filmstrips: every step's picture in order, with its measurements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from convergebench.analysis import Results, Return
from convergebench.analysis.round_trip.drift_kinds import leading_drift
from convergebench.analysis.round_trip.drift_profile import values_of
from convergebench.errors import ConvergeBenchError
from convergebench.picture import SUFFIXES
from convergebench.protocols import RETURN_ROLES
from convergebench.report.page.overview import case_numbers, model_numbers
from convergebench.report.page.page_picture import PagePicture
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.results.worst_regions import WorstRegions
from convergebench.store import Workspace
from convergebench.types import Digest, Failure, PictureFacts, Step


@dataclass(frozen=True)
class Filmstrip:
    """One trajectory, by its id in the workspace."""

    trajectory: int
    model: str
    case: str
    seed: int
    returns: tuple[Return, ...]


def filmstrips_of(workspace: WorkspaceOrRecords, results: Results) -> dict[str, tuple[Filmstrip, ...]]:
    """The newest generation of every trajectory of the results' models, by case."""
    returned: dict[tuple[str, str, int], list[Return]] = {}
    for item in results.returns:
        returned.setdefault((item.model, item.case, item.seed), []).append(item)
    models, wanted = results.roles(), (results.protocol, results.suite)
    films: dict[str, list[Filmstrip]] = {}
    for one in Records.of(workspace).trajectories:
        if one.is_newest and (one.protocol, one.case.suite) == wanted and one.model in models:
            key = (one.model, one.case.id, one.seed)
            films.setdefault(one.case.id, []).append(Filmstrip(one.id, *key, tuple(returned.get(key, ()))))
    return {case: tuple(of_case) for case, of_case in films.items()}


def pictures_section(
    records: Records, results: Results, films: Mapping[str, Sequence[Filmstrip]]
) -> dict[str, Any]:
    """Every case's source, and every trajectory's returns with the strongest kind of drift of each."""
    model, case = model_numbers(results), case_numbers(results)
    rows = []
    for film in (film for of_case in films.values() for film in of_case):
        digests: list[str | None] = [None] * results.rounds
        drifts: list[str | None] = [None] * results.rounds
        for item in film.returns:
            digests[item.round - 1] = item.digest
            drifts[item.round - 1] = leading_drift(values_of(item))
        if film.case in case:
            rows.append({"model": model[film.model], "case": case[film.case], "seed": film.seed,
                         "digests": digests, "drifts": drifts})  # fmt: skip
    sources = {
        one.case.id: source
        for one, source in records.beginnings(results.suite)
        if one.protocol == results.protocol
    }
    return {"films": rows, "sources": [sources.get(name) for name in case]}


def last_returns(
    pictures: Mapping[str, Any], model: int, cases: Collection[int]
) -> list[tuple[Digest, Digest]]:
    """Source and return of each trajectory of a model on these cases that has reached the last round."""
    return [
        (pictures["sources"][film["case"]], film["digests"][-1])
        for film in pictures["films"]
        if film["model"] == model
        and film["case"] in cases
        and film["digests"][-1]
        and pictures["sources"][film["case"]]
    ]


def case_section(
    records: Records, results: Results, case: str, films: Sequence[Filmstrip], regions: WorstRegions
) -> dict[str, Any]:
    """One case: the instructions, the source, and every model's filmstrip with the worst region of each
    return."""
    known = records.case(results.suite, case)
    asked = known and {"forward": known.forward, "backward": known.backward, "language": known.language}
    steps = {film.trajectory: records.workspace.steps(film.trajectory) for film in films}
    return {
        "asked": asked,
        "hints": list(known.hints.items()) if known else [],
        "source": _source(records.workspace, steps.values()),
        "films": [_film(results, film, steps[film.trajectory], asked or {}, regions) for film in films],
    }


def pictures_of_case(case: Mapping[str, Any]) -> Iterator[PagePicture]:
    """The source and every step. Returns have maps, and so does the source, as a map of no change."""
    source = case["source"]
    compared = source["digest"] if source else None
    if source:
        yield PagePicture(source["digest"], source["file"], compared)
    for step in (step for film in case["films"] for step in film["steps"] if step["picture"]):
        made = step["picture"]
        yield PagePicture(made["digest"], made["file"], compared if step["is_return"] else None)


def _source(workspace: Workspace, films: Any) -> dict[str, Any] | None:
    """The picture at the start of the filmstrips; None if it is not in the workspace."""
    for digest in (steps[0].inputs[0] for steps in films if steps):
        try:
            return picture_of(workspace.pictures.load(digest).facts)
        except ConvergeBenchError:
            return None
    return None


def _film(
    results: Results,
    film: Filmstrip,
    steps: Sequence[Step],
    asked: Mapping[str, Any],
    regions: WorstRegions,
) -> dict[str, Any]:
    return {
        "model": model_numbers(results)[film.model],
        "seed": film.seed,
        "steps": [_step(step, asked) for step in steps],
        "measured": [_measured(item, regions) for item in film.returns],
    }


def _step(step: Step, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Includes the instruction only if it differs from those of the case."""
    made, failed = (None, step.outcome) if isinstance(step.outcome, Failure) else (step.outcome, None)
    return {
        "role": step.role,
        "is_return": step.role in RETURN_ROLES,
        "round": step.round,
        "instruction": None if step.instruction in asked.values() else step.instruction,
        "picture": picture_of(made) if made else None,
        "failure": asdict(failed) if failed else None,
        "seconds": step.seconds,
        "cost_usd": step.cost_usd,
        "attempts": step.attempts,
    }


def _measured(item: Return, regions: WorstRegions) -> dict[str, Any]:
    """Metric names are defined by this package, so they may be keys."""
    region = regions.get((item.case, item.digest))
    return {
        "round": item.round,
        "values": {name: m.value for name, m in item.values.items() if m.value is not None},
        "missing": {name: m.missing for name, m in item.values.items() if m.value is None},
        "worst_region": region.box._asdict() if region else None,
    }


def picture_of(facts: PictureFacts) -> dict[str, Any]:
    return {"digest": facts.digest, "file": picture_file(facts.digest, facts.media_type),
            "width": facts.width, "height": facts.height, "type": facts.media_type}  # fmt: skip


def picture_file(digest: Digest, media_type: str) -> str:
    """The path in a picture store, and in a report."""
    return f"{digest[:2]}/{digest}{SUFFIXES[media_type]}"
