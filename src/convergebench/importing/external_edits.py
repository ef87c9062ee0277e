"""External single edits: read a list or a folder of them, and import them into a workspace."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from convergebench.benchmarks.layouts import ResultFinder
from convergebench.errors import BadPicture, WrongUse
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.store import Enrolment, Workspace
from convergebench.text_files import json_lines, read_text
from convergebench.types import EditorFacts, Failure, PictureFacts, Step, Suite

VERSION = "imported"
_TOGETHER = 8
"""Edits that are stored together: the disk completes what waits for it at the same time."""
_GROUPS = 2
"""Groups at once: while one waits for the disk, another is read."""

OnStored: TypeAlias = Callable[[int, Sequence[Picture]], None]
"""Called with each trajectory that is stored, and the pictures of it that were read."""


@dataclass(frozen=True)
class ExternalEdit:
    """A picture that is the edit of a case."""

    case: str
    file: Path


@dataclass(frozen=True)
class Coverage:
    """The cases with a usable picture, and every problem with the others and with extra pictures.

    Before they are read, all that are named count as usable: see `without_damaged` and `import_edits`.
    """

    usable: dict[str, Path]
    missing: tuple[str, ...]
    """Cases for which no picture was given."""
    unreadable: dict[str, str]
    """Cases whose picture does not exist or is damaged, with the reason."""
    duplicate: tuple[str, ...]
    """Cases with several pictures, of which none is used."""
    unknown: tuple[str, ...]
    """Ids that do not belong to a case of the suite."""
    not_chosen: int
    """Number of pictures for cases of the suite that were not chosen."""

    @property
    def cases(self) -> int:
        return len(self.usable) + len(self.missing) + len(self.unreadable) + len(self.duplicate)

    @property
    def is_complete(self) -> bool:
        return not (self.missing or self.unreadable or self.duplicate or self.unknown)


def read_edits(
    path: Path,
    model: str,
    finder: ResultFinder | None = None,
    language: str = "",
    known: Collection[str] = frozenset(),
) -> list[ExternalEdit]:
    """Read JSON lines with id and image_path, relative to the file, or a folder in the benchmark's layout:
    for one model, or for several models with a folder each. `known` are the ids of the suite in the chosen
    language."""
    if path.is_dir():
        if finder is None:
            raise WrongUse(f"this suite has no layout for result folders; give a .jsonl list, not {path}")
        folder = path / model if (path / model).is_dir() else path
        named = [(finder.case_of(name, language, known), file) for name, file in finder.pictures(folder)]
        found = [ExternalEdit(case, file) for case, file in named if case is not None]
        if not found:
            raise WrongUse(f"{folder} holds no results such as {finder.example}; check the name")
        return found
    if not path.is_file():
        raise WrongUse(f"there is no file or folder {path}; check the name")
    found = [_parsed_line(line, path, number) for number, line in json_lines(read_text(path))]
    if not found:
        raise WrongUse(f'{path} is empty; it must have lines such as {{"id": "…", "image_path": "…"}}')
    return found


def coverage(edits: Sequence[ExternalEdit], chosen: Iterable[str], known: Collection[str]) -> Coverage:
    """Compare the names of the pictures with the chosen cases. No picture is read."""
    files: dict[str, set[Path]] = {}
    for edit in edits:
        files.setdefault(edit.case, set()).add(edit.file)
    wanted = list(chosen)
    return Coverage(
        usable={case: next(iter(files[case])) for case in wanted if len(files.get(case, ())) == 1},
        missing=tuple(case for case in wanted if case not in files),
        unreadable={},
        duplicate=tuple(case for case in wanted if len(files.get(case, ())) > 1),
        unknown=tuple(case for case in files if case not in known),
        not_chosen=len((files.keys() & set(known)) - set(wanted)),
    )


def without_damaged(covered: Coverage) -> Coverage:
    """Every picture is read: those that do not exist or are damaged are unreadable."""
    with ThreadPoolExecutor() as threads:
        problems = zip(covered.usable, threads.map(_problem, covered.usable.values()), strict=True)
        return _with_unreadable(covered, {case: problem for case, problem in problems if problem})


def _with_unreadable(covered: Coverage, problems: Mapping[str, str]) -> Coverage:
    return replace(
        covered,
        usable={case: file for case, file in covered.usable.items() if case not in problems},
        unreadable={**covered.unreadable, **problems},
    )


def import_edits(
    workspace: Workspace,
    origin: Path,
    suite: Suite,
    model: str,
    covered: Coverage,
    on_stored: OnStored = lambda trajectory, pictures: None,
) -> Coverage:
    """Record each case's picture, or the reason why it is missing, as a trajectory of one edit.

    Existing edits are not added again; a case whose picture has changed restarts. Nothing more is started
    until `on_stored` returns. Returns what is covered by pictures that could be read.
    """
    name = suite.id
    settings = {"imported": origin.absolute().name, "suite": name, "models": [model]}
    enrolments = [
        Enrolment(one_shot().name, name, EditorFacts(model, VERSION), case, 0, 1) for case in suite.cases
    ]
    problems: dict[str, str] = {}
    with workspace.run(settings) as run, ThreadPoolExecutor(_GROUPS) as threads:
        todo = iter(list(zip(enrolments, workspace.enrol(enrolments, fresh=False), strict=True)))
        started: deque[Future[list[_Stored]]] = deque()

        def start() -> None:
            if group := list(itertools.islice(todo, _TOGETHER)):
                started.append(threads.submit(_import_group, workspace, run.id, group, covered))

        for _ in range(1 + _GROUPS):
            start()
        while started:
            for stored in started.popleft().result():
                problems |= stored.edit.problem
                if stored.write is not None:
                    stored.write.result()
                on_stored(stored.edit.trajectory, stored.edit.pictures)
            start()
    return _with_unreadable(covered, problems)


@dataclass(frozen=True)
class _ReadEdit:
    trajectory: int
    pictures: Sequence[Picture]
    problem: Mapping[str, str]
    """The case, if its picture cannot be used, with the reason."""
    step: Step | None
    """None if it is in the workspace already."""


@dataclass(frozen=True)
class _Stored:
    edit: _ReadEdit
    write: Future[None] | None
    """Of its step, after its pictures."""


def _import_group(
    workspace: Workspace, run: int, group: Sequence[tuple[Enrolment, int]], covered: Coverage
) -> list[_Stored]:
    read = [_read_edit(workspace, enrolment, trajectory, covered) for enrolment, trajectory in group]
    for error in workspace.pictures.put_all([new for one in read if one.step for new in one.pictures]):
        if error is not None:
            raise error
    return [
        _Stored(one, workspace.record_step(one.trajectory, run, one.step) if one.step else None)
        for one in read
    ]


def _read_edit(workspace: Workspace, enrolment: Enrolment, trajectory: int, covered: Coverage) -> _ReadEdit:
    case = enrolment.case
    file = covered.usable.get(case.id)
    found = None if file is None else _usable_picture(file)
    problem = {case.id: found} if isinstance(found, str) else {}
    made = [found] if isinstance(found, Picture) else []
    outcome = made[0].facts if made else _failure(case.id, covered, problem)
    before = next((one.outcome for one in workspace.steps(trajectory)), None)
    if before == outcome:
        return _ReadEdit(trajectory, made, problem, None)
    if isinstance(before, PictureFacts):
        (trajectory,) = workspace.enrol([enrolment], fresh=True)
    sources = [Picture.from_intact_file(source.path).normalised() for source in case.sources]
    inputs = tuple(source.digest for source in sources)
    step = Step(0, "edit", 1, case.forward, 0, inputs, outcome, 0.0, None, 1)
    return _ReadEdit(trajectory, [*sources, *made], problem, step)


def _failure(case: str, covered: Coverage, problem: Mapping[str, str]) -> Failure:
    unreadable = {**covered.unreadable, **problem}
    if case in unreadable:
        return Failure("bad_output", unreadable[case])
    if case in covered.duplicate:
        return Failure("bad_output", "several are named for this case")
    return Failure("absent", "none was given for this case")


def _problem(file: Path) -> str | None:
    found = _usable_picture(file)
    return found if isinstance(found, str) else None


def _usable_picture(file: Path) -> Picture | str:
    """The picture, or the reason why it cannot be used."""
    if not file.is_file():
        return "the named file is not there"
    try:
        return Picture.from_intact_bytes(file.read_bytes())
    except BadPicture as error:
        return str(error)


def _parsed_line(line: str, path: Path, number: int) -> ExternalEdit:
    try:
        fields = json.loads(line)
        return ExternalEdit(str(fields["id"]), path.parent / str(fields["image_path"]))
    except (ValueError, TypeError, KeyError) as error:
        raise WrongUse(
            f'{path}, line {number}: must be {{"id": "…", "image_path": "…"}}; correct it'
        ) from error
