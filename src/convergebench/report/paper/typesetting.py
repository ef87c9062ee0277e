"""A folder with the paper: editable text, its data and figures, and the PDF, in Typst and in LaTeX."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

from convergebench.analysis import Results
from convergebench.atomic_files import replacing
from convergebench.errors import ConvergeBenchError, MissingExtra, WrongUse
from convergebench.report.paper.content import Heading, PaperTemplate, content_of, document_of
from convergebench.report.paper.latex_data import sources_of
from convergebench.report.paper.latex_writer import latex_source
from convergebench.report.paper.markup import SECTIONS, section
from convergebench.report.paper.typst_writer import typst_source
from convergebench.store import Workspace

PaperFormat: TypeAlias = Literal["pdf", "latex"]
TEMPLATE = Path(__file__).parent / "template"
MAIN, DATA, PDF, REFERENCES = "paper.typ", "data.json", "paper.pdf", "references.bib"
LATEX = "latex"
_WRITTEN = ".written.json"
"""Digests of the texts as they were written, by which an author's changes are recognised."""
FORMER = "former"
"""The folder for texts of a version that left no digests: whether an author changed them is not known."""
_FIGURES = "figures"
_COMPILE_SECONDS = 300


class CannotTypeset(ConvergeBenchError):
    """The source cannot be compiled, for example because the author's changes contain an error."""


@dataclass(frozen=True)
class Paper:
    pdf: Path | None
    """None if only LaTeX was requested and there is no program to compile it."""
    kept: tuple[Path, ...]
    """Texts with changes by the user; they are not overwritten."""
    sources: tuple[Path, ...] = ()
    """The main source files, one for each format."""
    latex_pdf: Path | None = None
    former: tuple[Path, ...] = ()
    """Folders to which texts of an earlier version were moved."""


def write_paper(
    workspace: Workspace,
    results: Results | None,
    folder: Path,
    heading: Heading,
    template: PaperTemplate = "article",
    formats: Sequence[PaperFormat] = ("pdf",),
) -> Paper:
    """Write the paper's folder and compile it; without results, about what judges said.

    Data and figures are renewed each time. Text is written once: an author's changes stay. `latex` writes a
    folder that is complete in itself, and compiles it if there is a LaTeX on this machine. A format that the
    folder has is renewed too, so that all of it shows the same results.
    """
    _refuse_other_folder(folder)
    formats = [*formats, *_formats_there(folder)]
    compiler = _typst() if "pdf" in formats else None
    shutil.rmtree(folder / _FIGURES, ignore_errors=True)
    content = content_of(workspace, results, heading, folder, template)
    document = json.dumps(document_of(content), ensure_ascii=False, allow_nan=False, indent=1)
    _write(folder / DATA, document)
    kept: list[Path] = []
    sources: list[Path] = []
    pdf = latex_pdf = None
    if compiler is not None:
        own = _put_texts(folder, typst_texts())
        kept += own
        sources.append(folder / MAIN)
        pdf = _set_with_typst(compiler, folder, own)
    if "latex" in formats:
        place = folder / LATEX
        for name in ("tables", "strips", _FIGURES):
            shutil.rmtree(place / name, ignore_errors=True)
        for name, text in sources_of(content):
            _write(place / name, text)
        if (folder / _FIGURES).exists():
            shutil.copytree(folder / _FIGURES, place / _FIGURES)
        own = _put_texts(place, latex_texts())
        kept += own
        sources.append(place / "paper.tex")
        latex_pdf = _set_with_latex(place, own)
        if latex_pdf is None:
            (place / PDF).unlink(missing_ok=True)  # of other sources than those beside it
    former = tuple(path for path in (folder / FORMER, folder / LATEX / FORMER) if path.exists())
    return Paper(pdf or latex_pdf, tuple(kept), tuple(sources), latex_pdf, former)


def _formats_there(folder: Path) -> list[PaperFormat]:
    places: dict[PaperFormat, Path] = {"pdf": folder / MAIN, "latex": folder / LATEX / "paper.tex"}
    return [name for name, place in places.items() if place.exists()]


def typst_texts() -> dict[str, str]:
    """The files with text, by name; nothing in them depends on the results."""
    files = {f"{name}.typ": typst_source(section(name)) for name in SECTIONS}
    return files | _templates("typst")


def latex_texts() -> dict[str, str]:
    files = {f"{name}.tex": latex_source(section(name)) for name in SECTIONS}
    return files | _templates("latex")


def _templates(kind: str) -> dict[str, str]:
    found = [*(TEMPLATE / kind).iterdir(), TEMPLATE / REFERENCES]
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(found)}


def _put_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write the texts; those that the author changed stay, and are returned."""
    written = _digests(folder)
    has_digests = (folder / _WRITTEN).exists()
    kept = []
    for name, text in texts.items():
        place = folder / name
        if place.exists():
            there = place.read_text(encoding="utf-8")
            if there != text and not has_digests:
                (folder / FORMER).mkdir(exist_ok=True)
                place.replace(folder / FORMER / name)
            elif there != text and written.get(name) != _digest(there):
                kept.append(place)
                continue
        _write(place, text)
        written[name] = _digest(text)
    _write(folder / _WRITTEN, json.dumps(written, indent=1))
    return kept


def _digests(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / _WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _refuse_other_folder(folder: Path) -> None:
    """Refuse other folders, because something of value could be overwritten.

    A finished paper's folder contains its data, an interrupted one what is written before the data.
    """
    if not folder.exists() or (folder / DATA).exists():
        return
    begun = {_FIGURES, LATEX, FORMER, *typst_texts()}
    if any(path.name not in begun and not path.name.startswith(".") for path in folder.iterdir()):
        raise WrongUse(f"{folder} contains something other than a paper; choose another folder with --output")


def _typst() -> Any:
    try:
        import typst
    except ImportError as error:
        raise MissingExtra("typst, which sets the paper,", "paper") from error
    return typst


def _set_with_typst(compiler: Any, folder: Path, kept: Sequence[Path]) -> Path:
    with replacing(folder / PDF) as part:
        try:
            compiler.compile(str(folder / MAIN), output=str(part), root=str(folder))
        except RuntimeError as error:
            what = " ".join(str(error).split())
            raise CannotTypeset(
                f"{folder / MAIN} cannot be typeset: {what}; {_advice(kept, DATA)}"
            ) from error
    return folder / PDF


def latex_engines(*, other_scripts: bool = False) -> list[list[list[str]]]:
    """What compiles paper.tex: a list of commands for each engine on this machine, the best first.

    Text in other scripts than Latin needs one that reads the fonts of the system; pdflatex prints codes.
    """
    found = [[["tectonic", "--only-cached", "paper.tex"]]] if shutil.which("tectonic") else []
    if not shutil.which("bibtex"):
        return found
    names = ["lualatex", "xelatex", "pdflatex"] if other_scripts else ["pdflatex", "lualatex", "xelatex"]
    for name in filter(shutil.which, names):
        latex = [name, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
        found.append([latex, ["bibtex", "paper"], latex, latex])
    return found


def _set_with_latex(folder: Path, kept: Sequence[Path]) -> Path | None:
    """By the first engine that can: one may be installed without the fonts that it needs."""
    failed = ""
    for commands in latex_engines(other_scripts=_has_other_scripts(folder)):
        reason = _failure(commands, folder)
        if reason is None:
            return folder / PDF
        failed = reason
    if failed:
        raise CannotTypeset(
            f"{folder / 'paper.tex'} cannot be typeset by {failed}; {_advice(kept, 'data.tex')}"
        )
    return None


def _failure(commands: Sequence[Sequence[str]], folder: Path) -> str | None:
    """Why one of the commands failed; None if all ended well."""
    for command in commands:
        try:
            ended = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=_COMPILE_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"{command[0]}, which did not end within {_COMPILE_SECONDS} s"
        if ended.returncode:
            what = " ".join(_errors(ended.stdout.decode("utf-8", "replace"))) or f"see {folder / 'paper.log'}"
            return f"{command[0]}: {what}"
    return None


def _has_other_scripts(folder: Path) -> bool:
    data = (*folder.glob("data.tex"), *folder.glob("tables/*.tex"), *folder.glob("strips/*.tex"))
    return any("\\otherscript{" in path.read_text(encoding="utf-8") for path in data)


def _errors(log: str) -> Iterator[str]:
    """The first error of LaTeX's log, with where it is."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("!"):
            yield line.removeprefix("! ")
            yield from (one for one in lines[number + 1 : number + 6] if one.startswith("l."))
            return


def _advice(kept: Sequence[Path], data: str) -> str:
    if not kept:
        return f"report it with the file {data}"
    names = ", ".join(path.name for path in kept)
    return f"fix what was changed in {names}, or delete it to get a fresh file"


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
