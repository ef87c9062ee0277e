"""The paper in LaTeX: its structure, and compiled where there is a LaTeX."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.report.paper import Heading, Paper, PaperTemplate, write_paper
from convergebench.report.paper.blocks import Conditional, Equation, Paragraph
from convergebench.report.paper.formulas import latex_formula
from convergebench.report.paper.latex_data import latex_text
from convergebench.report.paper.markup import SECTIONS, blocks_of, section
from convergebench.report.paper.typesetting import latex_engines
from convergebench.results import load_results
from convergebench.store import Workspace
from report.page.filled import fill
from report.page.judged import add_judging
from report.paper.conftest import text_of, write

HOSTILE = "\\input{/etc/passwd} ^^M $a_b$ & 50 % # ~ {\x1b[2J\u202e\x00 帽子 “x” \\end{document}"
COMMENT = re.compile(r"(?<!\\)%.*")


def hostile(text: str) -> str:
    return f"{text} {HOSTILE}"


def in_latex(workspace: Path, folder: Path, template: PaperTemplate = "article") -> Paper:
    with Workspace.existing(workspace) as opened:
        heading = Heading(HOSTILE, ("Ada & Co.",))
        return write_paper(opened, load_results(opened), folder, heading, template, ("latex",))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A paper about a workspace whose every text is hostile, with verdicts, in two columns."""
    folder = tmp_path_factory.mktemp("hostile")
    fill(folder / "results", text=hostile)
    with Workspace.create(folder / "results") as workspace:
        add_judging(workspace, workspace.start_run({"suite": hostile("tiny@1")}, "0"), hostile)
    in_latex(folder / "results", folder / "paper", "twocolumn")
    return folder / "paper" / "latex"


def sources(folder: Path) -> dict[str, str]:
    files = list(folder.rglob("*.tex"))
    return {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_environments_and_braces_are_balanced(written: Path) -> None:
    for name, text in sources(written).items():
        plain = COMMENT.sub("", text.replace("\\\\", ""))
        assert Counter(re.findall(r"\\begin\{([a-z*]+)\}", plain)) == Counter(
            re.findall(r"\\end\{([a-z*]+)\}", plain)
        ), name
        unescaped = re.sub(r"\\[{}]", "", plain)
        assert unescaped.count("{") == unescaped.count("}"), name


def test_every_citation_file_and_reference_is_there(written: Path) -> None:
    texts = sources(written)
    everything = "\n".join(texts.values())
    known = set(re.findall(r"^@\w+\{(\w+),", (written / "references.bib").read_text(), re.M))
    cited = {key for keys in re.findall(r"\\cite\{([^}]+)\}", everything) for key in keys.split(",")}
    assert cited == known
    pictures = re.findall(r"\\chainpicture\{([^}]+)\}", everything)
    figures = re.findall(r"\\csname figure-\w+\\endcsname\{([^}]+)\}", everything)
    assert pictures and figures
    assert all((written / file).is_file() for file in (*pictures, *figures))
    labels = set(re.findall(r"\\label\{([^}#]+)\}", everything))
    assert set(re.findall(r"\\autoref\{([a-z-]+)\}", everything)) <= labels
    assert {"booktabs", "graphicx"} <= set(
        re.findall(r"\\usepackage(?:\[.*?\])?\{(\w+)\}", texts["layout.tex"])
    )
    assert all(r"\toprule" in text for name, text in texts.items() if name.startswith("tables/"))


def test_no_text_of_the_workspace_is_obeyed(written: Path) -> None:
    data = "\n".join(text for name, text in sources(written).items() if name == "data.tex" or "/" in name)
    assert r"\input{/" not in data and r"\end{document}" not in data and "^^M" not in data
    assert not set(data) & set("\x1b\u202e\x00")
    assert r"\textbackslash{}u202e" in data and r"\otherscript{帽}{5E3D}" in data
    assert "/etc/passwd" not in data


@given(st.text())
def test_any_text_becomes_one_balanced_line(text: str) -> None:
    shown = latex_text(text)
    assert "\n" not in shown
    unescaped = re.sub(r"\\[{}]", "", shown)
    assert unescaped.count("{") == unescaped.count("}")
    assert not re.search(r"(?<!\\)[&#%]", shown)


@pytest.mark.skipif(not latex_engines(), reason="there is no LaTeX here")
@pytest.mark.parametrize("template", ["article", "twocolumn"])
def test_it_compiles_and_says_what_the_other_format_says(
    filled: Path, said: str, tmp_path: Path, template: PaperTemplate
) -> None:
    paper = in_latex(filled, tmp_path / "paper", template)
    assert paper.latex_pdf is not None
    text = text_of(paper.latex_pdf)
    assert "input{passwd}" in text.replace(" ", "")  # the hostile title, printed
    assert "??" not in text and "[?]" not in text
    for claim in ("keeps most (SSIM 0.98", "No judge has graded edits in this workspace", "Kaplan"):
        assert claim in said and claim in text
    log = (tmp_path / "paper/latex/paper.log").read_text(errors="replace")
    assert "undefined" not in log


def test_an_authors_change_stays_and_data_are_renewed(filled: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    first = in_latex(filled, tmp_path / "paper")
    assert first.pdf is None and first.sources == (tmp_path / "paper/latex/paper.tex",)
    place = tmp_path / "paper/latex/related.tex"
    place.write_text(r"\section{Related work}\label{related} None.")
    (tmp_path / "paper/latex/data.tex").unlink()
    second = in_latex(filled, tmp_path / "paper", "twocolumn")
    assert second.kept == (place,)
    assert "twocolumn" in (tmp_path / "paper/latex/data.tex").read_text()
    (tmp_path / "paper/latex/.written.json").unlink()  # as a version left it that remembered nothing
    (tmp_path / "paper/latex/notes.txt").write_text("mine")
    third = in_latex(filled, tmp_path / "paper")
    assert third.kept == () and third.former == (tmp_path / "paper/latex/former",)
    assert "None." in (tmp_path / "paper/latex/former/related.tex").read_text()
    assert "None." not in place.read_text() and (tmp_path / "paper/latex/notes.txt").exists()


def test_a_format_that_is_there_is_renewed_with_the_other(filled: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    in_latex(filled, tmp_path / "paper")
    (tmp_path / "paper/latex/paper.pdf").write_bytes(b"%PDF of what was here before")
    renewed = write(filled, tmp_path / "paper", title="Another workspace")
    assert [path.name for path in renewed.sources] == ["paper.typ", "paper.tex"]
    assert "Another workspace" in (tmp_path / "paper/latex/data.tex").read_text()
    assert renewed.latex_pdf is None and not (tmp_path / "paper/latex/paper.pdf").exists()


def test_the_text_is_one_for_both_formats() -> None:
    """Every formula of the text has a form in LaTeX."""

    def equations(blocks):
        for block in blocks:
            if isinstance(block, Conditional):
                yield from equations(block.blocks)
            elif isinstance(block, Equation):
                yield block.source

    found = [source for name in SECTIONS for source in equations(section(name))]
    assert len(found) > 6
    assert all("\\" in latex_formula(source) for source in found)
    with pytest.raises(LookupError, match="has no form in LaTeX"):
        latex_formula("alpha times beta")


def test_markup_is_read_into_blocks() -> None:
    (shown,) = blocks_of("::when x\n\nA _b_ **c** $d$ [@e @f] [#g] {=h} {i} {see tab-j}\n\n::end")
    (paragraph,) = shown.blocks
    assert isinstance(paragraph, Paragraph)
    kinds = [type(part).__name__ for part in paragraph.parts if type(part).__name__ != "Words"]
    assert kinds == [
        "Emphasis",
        "Strong",
        "Formula",
        "Citation",
        "SectionReference",
        "NamedClaims",
        "NamedValue",
        "SeeAlso",
    ]


def test_the_source_holds_no_results(written: Path, filled: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    in_latex(filled, tmp_path / "paper")
    for name in (*(f"{one}.tex" for one in SECTIONS), "layout.tex", "paper.tex"):
        assert (tmp_path / "paper/latex" / name).read_text() == (written / name).read_text()
    assert json.loads((tmp_path / "paper/data.json").read_text())["claims"]["headline"]
