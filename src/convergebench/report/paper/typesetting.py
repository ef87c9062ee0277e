"""A folder with the paper: an editable template, its data and figures, and the PDF."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.analysis import Results
from convergebench.atomic_files import replacing
from convergebench.errors import ConvergeBenchError, MissingExtra, WrongUse
from convergebench.report.paper.content import Heading, content_of
from convergebench.report.paper.pictures import FOLDER as PICTURES
from convergebench.store import Workspace

TEMPLATE = Path(__file__).parent / "template"
MAIN, DATA, PDF = "paper.typ", "data.json", "paper.pdf"


class CannotTypeset(ConvergeBenchError):
    """Typst cannot compile the source, for example because the author's changes contain an error."""


@dataclass(frozen=True)
class Paper:
    pdf: Path
    kept: tuple[Path, ...]
    """Template files with changes by the user; they are not overwritten."""


def write_paper(workspace: Workspace, results: Results, folder: Path, heading: Heading) -> Paper:
    """Write the paper's folder and compile it.

    Data and figures are renewed each time. Text is written once: an author's changes stay.
    """
    compiler = _compiler()
    _refuse_other_folder(folder)
    shutil.rmtree(folder / PICTURES, ignore_errors=True)
    content = content_of(workspace, results, heading, folder)
    _write(folder / DATA, json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1))
    kept = tuple(place for file in sorted(TEMPLATE.iterdir()) if (place := _put(file, folder)) is not None)
    with replacing(folder / PDF) as part:
        try:
            compiler.compile(str(folder / MAIN), output=str(part), root=str(folder))
        except RuntimeError as error:
            what = " ".join(str(error).split())
            raise CannotTypeset(f"{folder / MAIN} cannot be typeset: {what}; {_advice(kept)}") from error
    return Paper(folder / PDF, kept)


def _refuse_other_folder(folder: Path) -> None:
    """Refuse other folders, because something of value could be overwritten.

    A finished paper's folder contains its data, an interrupted one what is written before the data.
    """
    if not folder.exists() or (folder / DATA).exists():
        return
    begun = {PICTURES.parts[0], *(file.name for file in TEMPLATE.iterdir())}
    if any(path.name not in begun and not path.name.startswith(".") for path in folder.iterdir()):
        raise WrongUse(f"{folder} contains something other than a paper; choose another folder with --output")


def _compiler() -> Any:
    try:
        import typst
    except ImportError as error:
        raise MissingExtra("typst, which sets the paper,", "paper") from error
    return typst


def _put(file: Path, folder: Path) -> Path | None:
    """The path of a file with the author's changes; None if it equals the template."""
    place, text = folder / file.name, file.read_text(encoding="utf-8")
    if place.exists():
        return place if place.read_text(encoding="utf-8") != text else None
    _write(place, text)
    return None


def _advice(kept: tuple[Path, ...]) -> str:
    if not kept:
        return "report it with the file data.json"
    names = ", ".join(path.name for path in kept)
    return f"fix what was changed in {names}, or delete it to get a fresh file"


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
