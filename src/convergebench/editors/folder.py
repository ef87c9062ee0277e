"""Pictures made by other programs, benchmarked as if they were edited now.

`folder:/path/to/chains` holds a folder for each case, with `I{round}_{role}.png` in it: I1_forward.png,
I1_backward.png, I2_forward.png … and, if it is there, I0_source.png, which must be the suite's picture. A
slash in a case's id is a subfolder or two underscores. `folder:/path/to/edits.jsonl` holds lines of
{"id": case, "image_path": …}, relative to the file: each the first edit of its case. With
`folder:/path/to/pictures?suffix=_primary.png` that edit is CASE_primary.png, in subfolders as the id has it.

The pictures' content is part of the fingerprint, so pictures that are added or replaced count.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from convergebench.editors._exchange import take_back
from convergebench.editors.registry import provider
from convergebench.errors import WrongUse
from convergebench.text_files import json_lines
from convergebench.types import (
    Edited,
    EditorFacts,
    EditRequest,
    Refused,
    StepContext,
    fingerprint_of,
)

SUFFIXES = (".png", ".webp", ".jpg", ".jpeg")
SAME_PICTURE_LEVELS = 2.0
"""The maximum mean difference between two decoders of the same JPEG file."""


class Collection(Protocol):
    """Finds the picture for a step, and the source of its chain."""

    def picture_for(self, step: StepContext) -> Path | None: ...

    def source_of(self, case: str) -> Path | None: ...

    def named_files(self) -> Mapping[str, Path]:
        """All pictures, by names that do not depend on the location of the folder."""


@provider(
    "folder",
    summary="pictures made by other programs: chains in a folder, or a JSONL file",
    version="1",
    price_usd=0.0,
)
def folder(facts: EditorFacts) -> FolderEditor:
    path = Path(str(facts.parameters["model"])).expanduser().absolute()
    collection: Collection
    if path.is_dir() and "suffix" in facts.parameters:
        collection = Suffixed(path, str(facts.parameters["suffix"]))
    elif path.is_dir():
        collection = ChainFolders(path)
    elif path.suffix == ".jsonl" and path.is_file():
        collection = read_list(path)
    else:
        raise WrongUse(f"{path} is neither a folder nor a .jsonl file; check the name")
    files = collection.named_files()
    if not files:
        wanted = f"CASE{facts.parameters.get('suffix', '/I1_forward.png')}"
        raise WrongUse(f"{path} has no pictures like {wanted}; check the name")
    content = fingerprint_of({name: _digest(file) for name, file in files.items()})
    return FolderEditor(replace(facts, version=f"{facts.version}+{content[:12]}"), collection)


@dataclass(frozen=True)
class ChainFolders:
    """A folder for each case, a file for each step."""

    root: Path

    def picture_for(self, step: StepContext) -> Path | None:
        return self._found(step.case, f"I{step.round}_{step.role}")

    def source_of(self, case: str) -> Path | None:
        return self._found(case, "I0_source")

    def named_files(self) -> Mapping[str, Path]:
        files = sorted(file for file in self.root.rglob("I[0-9]*_*") if file.suffix in SUFFIXES)
        return {file.relative_to(self.root).as_posix(): file for file in files}

    def _found(self, case: str, stem: str) -> Path | None:
        places = (self.root / case, self.root / case.replace("/", "__"))
        candidates = (place / f"{stem}{suffix}" for place in places for suffix in SUFFIXES)
        return next((file for file in candidates if file.is_file()), None)


@dataclass(frozen=True)
class SingleEdits:
    """One picture for each case: its first edit."""

    pictures: Mapping[str, Path]

    def picture_for(self, step: StepContext) -> Path | None:
        return self.named_files().get(step.case) if step.position == 0 else None

    def source_of(self, case: str) -> Path | None:
        return None

    def named_files(self) -> Mapping[str, Path]:
        return {case: file for case, file in self.pictures.items() if file.is_file()}


@dataclass(frozen=True)
class Suffixed:
    """One picture for each case, in a file named by the case's id and this suffix: its first edit, or a
    refinement of it."""

    root: Path
    suffix: str

    def picture_for(self, step: StepContext) -> Path | None:
        if step.role not in ("edit", "refined") or step.round != 1:
            return None
        file = self.root / f"{step.case}{self.suffix}"
        return file if file.is_file() else None

    def source_of(self, case: str) -> Path | None:
        return None

    def named_files(self) -> Mapping[str, Path]:
        files = sorted(file for file in self.root.rglob(f"*{self.suffix}") if file.is_file())
        return {file.relative_to(self.root).as_posix(): file for file in files}


def read_list(path: Path) -> SingleEdits:
    pictures: dict[str, Path] = {}
    for number, line in json_lines(path.read_text(encoding="utf-8")):
        try:
            row = json.loads(line)
            case, image_path = row["id"], row["image_path"]
        except (ValueError, TypeError, KeyError) as error:
            raise WrongUse(
                f'{path}, line {number}: must be {{"id": "…", "image_path": "…"}}; correct it'
            ) from error
        if str(case) in pictures:
            raise WrongUse(f"{path}, line {number}: duplicate case {case}; remove one")
        pictures[str(case)] = path.parent / str(image_path)
    return SingleEdits(pictures)


class FolderEditor:
    def __init__(self, facts: EditorFacts, collection: Collection) -> None:
        self.facts = facts
        self._collection = collection

    async def edit(self, request: EditRequest) -> Edited:
        return await asyncio.to_thread(self._look_up, request)

    async def close(self) -> None:
        pass

    def _look_up(self, request: EditRequest) -> Edited:
        step = request.context
        if step is None:
            raise Refused("existing pictures can only be looked up for cases of a suite")
        if step.seed != 0:
            raise Refused(
                f"no picture for seed {step.seed}: each step has one picture, which stands for seed 0"
            )
        file = self._collection.picture_for(step)
        if file is None:
            raise Refused(f"no picture for {step.case}, {step.role} of round {step.round}")
        if step.position == 0:
            self._check_source(request, step.case)
        return Edited(take_back(file))

    def _check_source(self, request: EditRequest, case: str) -> None:
        """A chain from another source would be measured against the wrong picture."""
        import numpy as np

        file = self._collection.source_of(case)
        if file is None:
            return
        theirs, ours = take_back(file).pixels, request.image.pixels
        if theirs.shape != ours.shape or np.abs(theirs.astype(int) - ours).mean() > SAME_PICTURE_LEVELS:
            raise Refused(f"the chain of {case} began with another picture: {file.name} is not the suite's")


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
