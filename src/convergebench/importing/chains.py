"""Folders of chains: external pictures, stored as steps and measured here."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.engine.measuring.remeasure import EVERY_KIND, measure_workspace
from convergebench.engine.progress import NoProgress
from convergebench.errors import BadPicture, WrongUse
from convergebench.metrics import MetricSet
from convergebench.picture import SUFFIXES, Picture
from convergebench.store import Enrolment, Workspace
from convergebench.suites import PAIRS
from convergebench.types import Case, EditorFacts, Failure, PictureFacts, SourcePicture, Step, SuiteId

VERSION = "imported"
_SUFFIXES = {*SUFFIXES.values(), ".jpeg", ".tiff"}
_NAME = re.compile(r"I(?P<round>\d+)_(?P<role>source|forward|backward)", re.IGNORECASE)


@dataclass(frozen=True)
class ChainFolder:
    """One case's pictures: I0_source, then I{n}_forward and I{n}_backward, as far as they exist."""

    case: str
    source: Path | None
    forward: dict[int, Path]
    backward: dict[int, Path]

    @property
    def rounds(self) -> int:
        return max((*self.forward, *self.backward), default=1)


@dataclass(frozen=True)
class ImportedChains:
    returns: int
    incomplete: dict[str, str]
    """Chains that lack pictures, with the reason."""


def find_chains(folder: Path) -> list[ChainFolder]:
    """Every chain in the folder and its subfolders, also without its source; a chain is named by its folder's
    path."""
    found: dict[Path, dict[str, dict[int, Path]]] = {}
    for path in sorted(folder.rglob("*")):
        match = _NAME.fullmatch(path.stem)
        if match and path.suffix.lower() in _SUFFIXES:
            roles = found.setdefault(path.parent, {"source": {}, "forward": {}, "backward": {}})
            roles[match["role"].lower()][int(match["round"])] = path
    chains = [
        ChainFolder(_case_id(folder, inside), roles["source"].get(0), roles["forward"], roles["backward"])
        for inside, roles in found.items()
    ]
    if not any(chain.source and chain.backward for chain in chains):
        raise WrongUse(
            f"{folder} holds no chains; a chain is a folder with I0_source, I1_forward, I1_backward and so on"
        )
    return chains


def unreadable_sources(chains: Sequence[ChainFolder]) -> dict[str, str]:
    """The chains without a readable source, which identifies the case, with the reason."""
    found = {}
    for chain in chains:
        read = _read(chain.source, "I0_source")
        if not isinstance(read, Picture):
            found[chain.case] = read.reason if read else "the folder holds no I0_source picture"
    return found


def import_chains(
    workspace: Workspace,
    run: int,
    suite: SuiteId,
    model: str,
    chains: Sequence[ChainFolder],
    metric_set: MetricSet,
) -> ImportedChains:
    """Store and measure the chains, which have a readable source. Existing chains are not added again.

    An incomplete or damaged chain is stored as far as it goes; the missing step is recorded as a failure with
    its reason. Whether the model refused is not known: the rest of the chain is missing, and not zero.
    """
    editor = EditorFacts(model, VERSION)
    returns, incomplete, trajectories = 0, {}, []
    for chain in chains:
        assert chain.source is not None
        read = Picture.from_file(chain.source)
        source = read.normalised()
        workspace.pictures.put(source)
        case = _case(chain.case, chain.source, read.digest)
        steps = list(_steps(chain, case, source))
        enrolment = Enrolment("round_trip", suite, editor, case, 0, chain.rounds)
        trajectories.append(_record(workspace, run, enrolment, steps))
        returns += sum(step.role == "backward" and made is not None for step, made in steps)
        if lacking := _lacking(chain, steps):
            incomplete[chain.case] = lacking
    asyncio.run(measure_workspace(workspace, metric_set, NoProgress(), trajectories, EVERY_KIND))
    return ImportedChains(returns, incomplete)


def _case_id(folder: Path, inside: Path) -> str:
    return folder.absolute().name if inside == folder else inside.relative_to(folder).as_posix()


def _lacking(chain: ChainFolder, steps: Sequence[tuple[Step, Picture | None]]) -> str:
    """The returns that are missing before its end, and why it ended early; empty if it is complete."""
    holes = [number for number in range(1, chain.rounds) if number not in chain.backward]
    others = f" and {len(holes) - 1} more before its end" if len(holes) > 1 else ""
    reasons = [f"the folder holds no I{holes[0]}_backward picture{others}"] if holes else []
    reasons += [step.outcome.reason for step, _ in steps if isinstance(step.outcome, Failure)]
    return "; ".join(reasons)


def _case(id: str, file: Path, digest: str) -> Case:
    """The picture's name: that of the folder above if there is one; otherwise the part before the name of a
    built-in edit, as in portrait_01_hat_add_remove; otherwise its content."""
    above, _, name = id.rpartition("/")
    known = next((pair for pair in PAIRS if name == pair.id or name.endswith(f"_{pair.id}")), None)
    before = name.removesuffix(known.id).rstrip("_") if known else ""
    source = SourcePicture(above or before or f"picture-{digest[:8]}", file, digest)
    pair, category = (known.id, known.category) if known else (name, "")
    return Case(id, (source,), f"(imported: {name})", f"(imported: undo {name})", pair, category)


def _steps(chain: ChainFolder, case: Case, source: Picture) -> Iterator[tuple[Step, Picture | None]]:
    """Each step with its picture; the first step without one is a failure, and the last."""
    given = source
    for number in range(1, chain.rounds + 1):
        for place, (role, paths) in enumerate((("forward", chain.forward), ("backward", chain.backward))):
            made = _read(paths.get(number), f"I{number}_{role}")
            if made is None and number < chain.rounds:
                continue  # tables of earlier programs omit single pictures
            outcome = made.facts if isinstance(made, Picture) else made
            if outcome is None:
                if role == "forward" and number in chain.backward:
                    continue
                outcome = Failure("absent", f"the folder holds no I{number}_{role} picture")
            instruction = case.forward if role == "forward" else case.backward or ""
            position = 2 * (number - 1) + place
            step = Step(position, role, number, instruction, 0, (given.digest,), outcome, 0.0, None, 1)
            picture = made if isinstance(made, Picture) else None
            yield step, picture
            if picture is None:
                return
            given = picture


def _read(path: Path | None, name: str) -> Picture | Failure | None:
    if path is None:
        return None
    try:
        return Picture.from_file(path)
    except BadPicture as error:
        return Failure("absent", f"{name}: {error}")


def _record(
    workspace: Workspace, run: int, enrolment: Enrolment, steps: Sequence[tuple[Step, Picture | None]]
) -> int:
    """Chains that were imported before are continued; different pictures under the same name start a new
    chain."""
    (trajectory,) = workspace.enrol([enrolment], fresh=False)
    known = {step.position: step.outcome for step in workspace.steps(trajectory)}
    if any(
        made is not None
        and isinstance(before := known.get(step.position), PictureFacts)
        and before != made.facts
        for step, made in steps
    ):
        (trajectory,) = workspace.enrol([enrolment], fresh=True)
        known = {}
    for step, made in steps:
        if made is not None:
            workspace.pictures.put(made)
        if (
            not isinstance(known.get(step.position), PictureFacts)
            and known.get(step.position) != step.outcome
        ):
            workspace.record_step(trajectory, run, step).result()
    return trajectory
