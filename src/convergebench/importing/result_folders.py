"""Reads a folder of results in the layout of a published set: sessions and single edits made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from convergebench.benchmarks.layouts import EDIT, FolderLayout, ResultPlace
from convergebench.engine.editing.source_cache import normalised_source
from convergebench.engine.target_pictures import store_targets
from convergebench.errors import BadPicture, WrongUse
from convergebench.picture import Picture
from convergebench.protocols import protocol_cases
from convergebench.protocols.base import INDEPENDENT, PASS, TURN
from convergebench.results.runs import UNUSABLE
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, Failure, PictureFacts, SessionTurn, Step, Suite, SuiteId

VERSION = "imported"
PROTOCOLS = {TURN: "session", PASS: "singlepass", INDEPENDENT: "independent", EDIT: "one_shot"}
_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass
class ImportedResults:
    suites: list[str] = field(default_factory=list)
    trajectories: list[int] = field(default_factory=list)
    pictures: int = 0
    missing: dict[str, str] = field(default_factory=dict)
    """Cases that are not complete, with the reason."""


def import_results(
    workspace: Workspace, folder: Path, model: str, suite: Suite, layout: FolderLayout
) -> ImportedResults:
    """Record the folder's pictures as trajectories of this model, for every protocol that it has some of."""
    root = folder / model if (folder / model).is_dir() else folder
    done = ImportedResults()
    settings: dict[str, object] = {"imported": folder.absolute().name, "suite": suite.id, "models": [model]}
    if suite.unusable:
        settings[UNUSABLE] = {entry.name: entry.reason for entry in suite.unusable}
    with workspace.run(settings) as run:
        for role in layout.roles:
            _import_role(workspace, run.id, root, model, suite, layout, role, done)
    if not done.pictures:
        raise WrongUse(f"{root} holds no results such as {layout.example}; check the folder and the suite")
    return done


def _import_role(
    workspace: Workspace,
    run: int,
    root: Path,
    model: str,
    suite: Suite,
    layout: FolderLayout,
    role: str,
    done: ImportedResults,
) -> None:
    chosen = _cases(suite, role)
    found = {case.id: _files(root, layout, case, role) for case in chosen}
    if not any(any(files) for files in found.values()) or (role == INDEPENDENT and _only_first(found)):
        return
    name = SuiteId.of(suite.name, suite.version, "" if role == EDIT else PROTOCOLS[role])
    done.suites.append(name)
    for case in store_targets(workspace.pictures, chosen):
        files = found[case.id]
        enrolment = Enrolment(PROTOCOLS[role], name, EditorFacts(model, VERSION), case, 0, len(files))
        steps = _steps(workspace, case, role, files)
        done.trajectories.append(_record(workspace, run, enrolment, steps))
        done.pictures += sum(isinstance(step.outcome, PictureFacts) for step in steps)
        lacking = [step for step in steps if isinstance(step.outcome, Failure)]
        if lacking:
            done.missing[f"{case.id} ({PROTOCOLS[role]})"] = _lacking(lacking, role, len(files))


def _cases(suite: Suite, role: str) -> tuple[Case, ...]:
    """The suite's cases as the role's protocol has them; none if it cannot be run on them."""
    if role == EDIT:
        return () if any(len(case.turns) > 1 for case in suite.cases) else suite.cases
    if not any(case.turns for case in suite.cases):
        return ()
    try:
        return protocol_cases(PROTOCOLS[role], 1, suite.cases, suite.cases).cases
    except WrongUse:
        return ()


def _lacking(steps: Sequence[Step], role: str, turns: int) -> str:
    """Why the first of these steps has no picture, and of several turns which ones have none."""
    reason = str(steps[0].outcome.reason)  # type: ignore[union-attr]
    if turns == 1:
        return reason
    which = ", ".join(str(step.round) for step in steps)
    ends = "; the session ends there" if role == TURN and steps[0].round < turns else ""
    return f"turn{'s' * (len(steps) > 1)} {which}: {reason}{ends}"


def _turns(case: Case, role: str) -> Sequence[SessionTurn]:
    return case.turns if role != EDIT else (SessionTurn(case.forward),)


def _files(root: Path, layout: FolderLayout, case: Case, role: str) -> list[Path | None]:
    """The file of each turn, with any suffix of a picture."""
    found: list[Path | None] = []
    for turn in range(1, len(_turns(case, role)) + 1):
        path = layout.path(ResultPlace(case.id, case.category, case.language, role, turn))
        places = [(root / path).with_suffix(suffix) for suffix in _SUFFIXES] if path else []
        found.append(next((place for place in places if place.is_file()), None))
    return found


def _only_first(found: dict[str, list[Path | None]]) -> bool:
    """The first turn of a chained session stands for that of an independent one, too."""
    return not any(any(files[1:]) for files in found.values())


def _steps(workspace: Workspace, case: Case, role: str, files: Sequence[Path | None]) -> list[Step]:
    """Each turn with its picture; a chained session ends where one is missing."""
    given = [_stored(workspace, normalised_source(source)) for source in case.sources]
    steps: list[Step] = []
    latest = given[0]
    for turn, (asked, file) in enumerate(zip(_turns(case, role), files, strict=True), start=1):
        outcome = _outcome(workspace, file)
        inputs = tuple(given) if role == EDIT else (given[turn - 1],) if role == INDEPENDENT else (latest,)
        step_role = EDIT if role == EDIT else role
        steps.append(Step(turn - 1, step_role, turn, asked.instruction, 0, inputs, outcome, 0.0, None, 1))
        if role == TURN:
            if isinstance(outcome, Failure):
                break
            latest = outcome.digest
    return steps


def _stored(workspace: Workspace, picture: Picture) -> str:
    workspace.pictures.put(picture)
    return picture.digest


def _outcome(workspace: Workspace, file: Path | None) -> PictureFacts | Failure:
    if file is None:
        return Failure("absent", "the folder holds no picture for it")
    try:
        picture = Picture.from_file(file)
    except BadPicture as error:
        return Failure("bad_output", str(error))
    workspace.pictures.put(picture)
    return picture.facts


def _record(workspace: Workspace, run: int, enrolment: Enrolment, steps: Sequence[Step]) -> int:
    """The same pictures are not recorded again; other pictures under the same name start anew."""
    (trajectory,) = workspace.enrol([enrolment], fresh=False)
    known = {step.position: step.outcome for step in workspace.steps(trajectory)}
    if any(known.get(step.position, step.outcome) != step.outcome for step in steps):
        (trajectory,) = workspace.enrol([enrolment], fresh=True)
        known = {}
    for step in steps:
        if step.position not in known:
            workspace.record_step(trajectory, run, step).result()
    return trajectory
