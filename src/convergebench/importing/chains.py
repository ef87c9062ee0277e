"""Folders of chains: pictures made elsewhere, kept as steps and measured here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.errors import WrongUse
from convergebench.metrics import MetricSet
from convergebench.metrics.measured_pairs import MeasuredPairs, change_metrics
from convergebench.picture import SUFFIXES, Picture
from convergebench.protocols import RETURN_ROLES
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, PictureFacts, SourcePicture, Step

VERSION = "imported"
_SUFFIXES = {*SUFFIXES.values(), ".jpeg", ".tiff"}
_NAME = re.compile(r"I(?P<round>\d+)_(?P<role>source|forward|backward)", re.IGNORECASE)
_BATCH = 16

Pair = tuple[Picture, Picture]


@dataclass(frozen=True)
class ChainFolder:
    """One case's pictures: I0_source, then I{n}_forward and I{n}_backward, as far as they are there."""

    case: str
    source: Path
    forward: dict[int, Path]
    backward: dict[int, Path]

    @property
    def rounds(self) -> int:
        return max(self.backward)


def find_chains(folder: Path) -> list[ChainFolder]:
    """Every chain in the folder or below it; a chain is named by its folder's path."""
    found = []
    for source in sorted(folder.rglob("*")):
        match = _NAME.fullmatch(source.stem)
        if match is None or match["role"].lower() != "source" or source.suffix.lower() not in _SUFFIXES:
            continue
        inside = source.parent.relative_to(folder).as_posix()
        case = folder.absolute().name if inside == "." else inside
        forward, backward = (_pictures(source.parent, role) for role in ("forward", "backward"))
        chain = ChainFolder(case, source, forward, backward)
        if not chain.backward:
            raise WrongUse(f"{source.parent} holds a source and no I1_backward picture")
        found.append(chain)
    if not found:
        raise WrongUse(
            f"{folder} holds no chains; a chain is a folder with I0_source, I1_forward, I1_backward and so on"
        )
    return found


def import_chains(
    workspace: Workspace, run: int, suite: str, model: str, chains: Sequence[ChainFolder], ruler: MetricSet
) -> int:
    """Keep and measure the chains; gives the number of returns. What is there already is not added again."""
    editor = EditorFacts(model, VERSION)
    changes = change_metrics(ruler)
    for chain in chains:
        read = Picture.from_file(chain.source)
        source = read.normalised()
        workspace.pictures.put(source)
        case = _case(chain, read.digest)
        enrolment = Enrolment("round_trip", suite, editor, case, 0, chain.rounds)
        steps = list(_steps(chain, case, source))
        _record(workspace, run, enrolment, steps)
        _measure(workspace, ruler, [(source, made) for step, made in steps if step.role in RETURN_ROLES])
        succession = MeasuredPairs(source, RETURN_ROLES)
        pairs = [succession.pair_with(step.role, made) for step, made in steps]
        _measure(workspace, changes, [pair for pair in pairs if pair is not None])
    return sum(len(chain.backward) for chain in chains)


def _pictures(folder: Path, role: str) -> dict[int, Path]:
    found = {}
    for path in folder.iterdir():
        match = _NAME.fullmatch(path.stem)
        if match and match["role"].lower() == role and path.suffix.lower() in _SUFFIXES:
            found[int(match["round"])] = path
    return dict(sorted(found.items()))


def _case(chain: ChainFolder, digest: str) -> Case:
    """The folder above names the picture where there is one; else the picture's content does."""
    above, _, pair = chain.case.rpartition("/")
    source = SourcePicture(above or f"picture-{digest[:8]}", chain.source, digest)
    return Case(chain.case, (source,), f"(imported: {pair})", f"(imported: undo {pair})", pair)


def _steps(chain: ChainFolder, case: Case, source: Picture) -> Iterator[tuple[Step, Picture]]:
    given = source
    for number in sorted({*chain.forward, *chain.backward}):
        for place, (role, paths) in enumerate((("forward", chain.forward), ("backward", chain.backward))):
            if number not in paths:
                continue
            made = Picture.from_file(paths[number])
            asked = case.forward if role == "forward" else case.backward or ""
            position = 2 * (number - 1) + place
            step = Step(position, role, number, asked, 0, (given.digest,), made.facts, 0.0, None, 1)
            yield step, made
            given = made


def _record(
    workspace: Workspace, run: int, enrolment: Enrolment, steps: Sequence[tuple[Step, Picture]]
) -> None:
    """Chains that were imported before are gone on with; other pictures under the same name start anew."""
    (trajectory,) = workspace.enrol([enrolment], fresh=False)
    known = {step.position: step.outcome for step in workspace.steps(trajectory)}
    if any(step.position in known and known[step.position] != made.facts for step, made in steps):
        (trajectory,) = workspace.enrol([enrolment], fresh=True)
        known = {}
    for step, made in steps:
        workspace.pictures.put(made)
        if not isinstance(known.get(step.position), PictureFacts):
            workspace.record_step(trajectory, run, step).result()


def _measure(workspace: Workspace, ruler: MetricSet, pairs: Sequence[Pair]) -> None:
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        rows = [
            (reference.digest, picture.digest, measurement)
            for (reference, picture), values in zip(batch, ruler.measure(batch), strict=True)
            for measurement in values.values()
        ]
        workspace.record_measurements(rows).result()
