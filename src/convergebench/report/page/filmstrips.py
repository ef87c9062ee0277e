"""Trajectories as filmstrips: every step's picture in order, with its measurements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from convergebench.analysis import Results, Return
from convergebench.analysis.headline.headline import SCORE
from convergebench.analysis.round_trip.drift_kinds import leading_drift
from convergebench.analysis.round_trip.drift_profile import values_of
from convergebench.errors import ConvergeBenchError
from convergebench.metrics.flip import WorstBox
from convergebench.picture import SUFFIXES
from convergebench.protocols import RETURN_ROLES
from convergebench.report.page.breakage import ReturnedRound
from convergebench.report.page.crops import crop_name
from convergebench.report.page.exports import StripExport
from convergebench.report.page.overview import case_numbers, model_numbers
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.score import RoundScores
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.results.steps import StepRecord
from convergebench.results.worst_regions import WorstRegions
from convergebench.store import Workspace
from convergebench.suites.own_edits import OWN
from convergebench.types import Digest, Measurement, PictureFacts

_NO_PART = "not all that it consists of is there"
_NO_EDITOR = "probes and floors do not edit"
Breakages: TypeAlias = Mapping[tuple[int, int], ReturnedRound]
"""What can be drawn of returns, by trajectory and round."""


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


def strip_export(film: Filmstrip, source: Digest | None) -> StripExport | None:
    """The source and all returns; None if there is none of them."""
    if source is None or not film.returns or not all(item.digest for item in film.returns):
        return None
    ordered = sorted(film.returns, key=lambda item: item.round)
    return StripExport((("source", source), *((f"round {item.round}", item.digest) for item in ordered)))


def pictures_section(
    records: Records, results: Results, films: Mapping[str, Sequence[Filmstrip]], regions: WorstRegions
) -> dict[str, Any]:
    """Every case's source, and every trajectory's edits and returns, these with the strongest kind of drift
    and the place where they differ most."""
    model, case = model_numbers(results), case_numbers(results)
    edited = _last_edits(records, results.rounds)
    rows = []
    for film in (film for of_case in films.values() for film in of_case):
        digests: list[str | None] = [None] * results.rounds
        drifts: list[str | None] = [None] * results.rounds
        crops: list[str | None] = [None] * results.rounds
        for item in film.returns:
            digests[item.round - 1] = item.digest
            drifts[item.round - 1] = leading_drift(values_of(item))
            region = regions.get((item.case, item.digest))
            if region and region.source != item.digest:
                crops[item.round - 1] = crop_name(region.source, item.digest, region.box)
        if film.case in case:
            rows.append({"model": model[film.model], "case": case[film.case], "seed": film.seed,
                         "digests": digests, "drifts": drifts, "crops": crops,
                         "edits": edited.get(film.trajectory, [None] * results.rounds)})  # fmt: skip
    sources = sources_of(records, results)
    return {"films": rows, "sources": [sources.get(name) for name in case]}


def sources_of(records: Records, results: Results) -> dict[str, Digest]:
    """The source of every case that was started."""
    return {
        one.case.id: source
        for one, source in records.beginnings(results.suite)
        if one.protocol == results.protocol
    }


def _last_edits(records: Records, rounds: int) -> dict[int, list[Digest | None]]:
    """By trajectory: the picture before the return of each round."""
    found: dict[int, list[Digest | None]] = {}
    for step in records.steps:
        if step.role not in RETURN_ROLES and step.picture and 1 <= step.round <= rounds:
            found.setdefault(step.trajectory, [None] * rounds)[step.round - 1] = step.picture
    return found


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
    records: Records,
    results: Results,
    case: str,
    films: Sequence[Filmstrip],
    steps: Mapping[int, Sequence[StepRecord]],
    regions: WorstRegions,
    breakages: Breakages,
    exports: Mapping[int, StripExport],
    scores: RoundScores,
) -> dict[str, Any]:
    """One case: the instructions, the source, and every model's filmstrip with what broke in each return."""
    known = records.case(results.suite, case)
    asked = known and {"forward": known.forward, "backward": known.backward, "language": known.language}
    taken = {film.trajectory: steps.get(film.trajectory, ()) for film in films}
    models = model_numbers(results)
    return {
        "asked": asked,
        "hints": list(_shown_hints(known.hints)) if known else [],
        "source": _source(records.workspace, taken.values()),
        "films": [
            {
                **_film(
                    models[film.model], film, taken[film.trajectory], asked or {}, regions, breakages, scores
                ),
                "export": exports[film.trajectory].name if film.trajectory in exports else None,
            }
            for film in films
        ],
    }


def _shown_hints(hints: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """
    >>> list(_shown_hints({"reversibility": "reversible", "own_edit": "written"}))
    [('reversibility', 'reversible')]
    >>> list(_shown_hints({"own_edit": "a template"}))
    [('undo filled in by', 'a template')]
    """
    for name, value in hints.items():
        if name != OWN:
            yield name, value
        elif value != "written":
            yield "undo filled in by", value


def pictures_of_case(case: Mapping[str, Any]) -> Iterator[PagePicture]:
    """The source and every step. Returns have maps, and so does the source, as a map of no change."""
    source = case["source"]
    compared = source["digest"] if source else None
    if source:
        yield PagePicture(source["digest"], source["file"], compared)
    boxes = {
        (one["digest"], one["round"]): WorstBox(**one["worst_region"])
        for film in case["films"]
        for one in film["measured"]
        if one["worst_region"]
    }
    for step in (step for film in case["films"] for step in film["steps"] if step["picture"]):
        made = step["picture"]
        yield PagePicture(
            made["digest"],
            made["file"],
            compared if step["is_return"] else None,
            boxes.get((made["digest"], step["round"])) if step["is_return"] and compared else None,
        )


def _source(workspace: Workspace, films: Any) -> dict[str, Any] | None:
    """The picture at the start of the filmstrips; None if it is not in the workspace."""
    for digest in (steps[0].inputs[0] for steps in films if steps):
        try:
            return picture_of(workspace.pictures.load(digest).facts)
        except ConvergeBenchError:
            return None
    return None


def _film(
    model: int,
    film: Filmstrip,
    steps: Sequence[StepRecord],
    asked: Mapping[str, Any],
    regions: WorstRegions,
    breakages: Breakages,
    scores: RoundScores,
) -> dict[str, Any]:
    return {
        "model": model,
        "seed": film.seed,
        "steps": [_step(step, asked) for step in steps],
        "measured": [
            _measured(item, scores, regions, breakages.get((film.trajectory, item.round)))
            for item in film.returns
        ],
    }


def _step(step: StepRecord, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Includes the instruction only if it differs from those of the case."""
    made = step.facts
    return {
        "role": step.role,
        "is_return": step.role in RETURN_ROLES,
        "round": step.round,
        "instruction": None if step.instruction in asked.values() else step.instruction,
        "picture": picture_of(made) if made else None,
        "failure": {"kind": step.failure, "reason": step.reason} if step.failure else None,
        "seconds": step.seconds,
        "cost_usd": step.cost_usd,
        "attempts": step.attempts,
    }


def _score(item: Return, scores: RoundScores) -> dict[str, Measurement]:
    """That of the round, if the page has scores."""
    if not scores:
        return {}
    of_rounds = scores.get((item.model, item.case, item.seed))
    value = of_rounds[item.round - 1] if of_rounds else None
    missing = _NO_PART if item.role == "model" else _NO_EDITOR
    return {SCORE.name: Measurement(SCORE.name, SCORE.version, value, missing if value is None else None)}


def _measured(
    item: Return, scores: RoundScores, regions: WorstRegions, broke: ReturnedRound | None
) -> dict[str, Any]:
    """Metric names are defined by this package, so they may be keys."""
    region = regions.get((item.case, item.digest))
    values = {**item.values, **_score(item, scores)}
    return {
        "round": item.round,
        "digest": item.digest,
        "breakage": broke.name if broke else None,
        "values": {name: m.value for name, m in values.items() if m.value is not None},
        "missing": {name: m.missing for name, m in values.items() if m.value is None},
        "worst_region": region.box._asdict() if region else None,
    }


def picture_of(facts: PictureFacts) -> dict[str, Any]:
    return {"digest": facts.digest, "file": picture_file(facts.digest, facts.media_type),
            "width": facts.width, "height": facts.height, "type": facts.media_type}  # fmt: skip


def picture_file(digest: Digest, media_type: str) -> str:
    """The path in a picture store, and in a report."""
    return f"{digest[:2]}/{digest}{SUFFIXES[media_type]}"
