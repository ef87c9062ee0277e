import json
import re
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from convergebench.errors import MissingExtra, WrongUse
from convergebench.report.paper import CannotTypeset, Heading, write_paper
from convergebench.report.paper.typesetting import TEMPLATE, typst_texts
from convergebench.results import load_results
from convergebench.store import Workspace, record_imported
from convergebench.types import ImportedReturn
from report.page.filled import NO_CLIP, REFUSAL, fill
from report.paper.conftest import text_of, write

HOSTILE = '#panic("x") $a$ *b* _c_ <d> @e `f` [g] \\ // h "i"'


def hostile(text: str) -> str:
    return f"{text} {HOSTILE}"


def test_the_paper_has_the_parts_of_a_paper_in_order(said):
    parts = ["Abstract", "1 Introduction", "2 Related work", "3 Method", "4 Experiments", "5 Analysis",
             "6 Discussion", "7 Conclusion", "References", "A Provenance"]  # fmt: skip
    places = [said.index(part) for part in parts]
    assert places == sorted(places)


def test_title_and_authors_are_those_that_were_given(paper, said):
    from pypdf import PdfReader

    assert said.startswith("A small paper Ada One, Ben Two")
    assert PdfReader(paper.pdf).metadata.title == "A small paper"


def test_a_semicolon_after_a_citation_or_a_value_is_shown(said):
    assert re.search(r"resamples of whole pictures \[\d+\]; half-life", said)
    assert "How the decay continues, by SSIM; 95 % intervals" in said


def test_what_was_found_is_said_with_its_interval(said):
    assert "steady keeps most (SSIM 0.98" in said
    assert "fading least (0.6" in said


def test_what_is_missing_is_said_with_its_reason(said):
    assert REFUSAL in said
    assert NO_CLIP in said


def test_what_there_is_no_data_for_is_said_in_a_sentence(said):
    assert "No judge has graded edits in this workspace" in said
    assert "Only quality was measured" in said


def test_fingerprints_versions_and_settings_are_in_the_appendix(filled, said):
    appendix = said[said.index("A Provenance") :]
    with Workspace.existing(filled) as workspace:
        (row, *_) = workspace.query("SELECT fingerprint FROM editors")
    assert row["fingerprint"] in appendix
    assert "strength=high" in appendix


def test_source_data_and_figures_are_beside_the_pdf_and_compile_again(paper, tmp_path):
    import typst

    folder = paper.pdf.parent
    assert {"paper.typ", "references.bib", "data.json"} <= {path.name for path in folder.iterdir()}
    assert (folder / "figures/curves.pdf").read_bytes().startswith(b"%PDF")
    assert len(list((folder / "figures/pictures").glob("*.jpg"))) > 4
    typst.compile(str(folder / "paper.typ"), output=str(tmp_path / "again.pdf"))
    assert text_of(tmp_path / "again.pdf") == text_of(paper.pdf)


def test_no_text_of_the_workspace_is_in_the_source(tmp_path):
    fill(tmp_path / "results", text=hostile)
    written = write(tmp_path / "results", tmp_path / "paper", title=HOSTILE, authors=(HOSTILE,))
    for name, text in typst_texts().items():
        assert (tmp_path / "paper" / name).read_text() == text
    said = text_of(written.pdf)
    assert said.count('#panic("x") $a$ *b* _c_ <d> @e `f` [g]') > 20


@settings(max_examples=25)
@given(words=st.text(max_size=60))
def test_any_text_is_shown_as_it_is(tmp_path_factory, paper, words):
    import typst

    folder = tmp_path_factory.mktemp("shown")
    content = json.loads((paper.pdf.parent / "data.json").read_text())
    (folder / "data.json").write_text(json.dumps({**content, "title": words}))
    (folder / "layout.typ").write_text((TEMPLATE / "typst/layout.typ").read_text())
    main = '#import "layout.typ": *\n#metadata(breakable(data.title)) <shown>\n'
    main += "#grid-of((headings: (data.title,), "
    main += "rows: ((data.title,),), left: (0,), rules: (), shades: none, turned: false))"
    (folder / "main.typ").write_text(main)
    (found,) = json.loads(typst.query(str(folder / "main.typ"), "<shown>", field="value"))
    assert found.replace("\u200b", "") == words.replace("\u200b", "")
    typst.compile(str(folder / "main.typ"), output=str(folder / "main.pdf"))


def test_text_that_an_author_changed_stays_and_the_data_are_renewed(filled, paper, tmp_path):
    folder = shutil.copytree(paper.pdf.parent, tmp_path / "paper")
    place = folder / "discussion.typ"
    place.write_text(place.read_text().replace("= Discussion", "= What we think"))
    # Half of a character and a control character, as a terminal can give them, do not stop it.
    written = write(filled, folder, title="Second\udc80\x00title")
    assert [path.name for path in written.kept] == ["discussion.typ"]
    said = text_of(written.pdf)
    assert said.startswith(r"Second\udc80\x00title") and "What we think" in said


def test_a_mistake_of_an_author_is_named_and_the_old_pdf_stays(filled, paper, tmp_path):
    folder = shutil.copytree(paper.pdf.parent, tmp_path / "paper")
    (folder / "related.typ").write_text("#nothing-of-that-name")
    with pytest.raises(CannotTypeset, match=r"unknown variable.*fix what was changed in related\.typ"):
        write(filled, folder)
    assert (folder / "paper.pdf").read_bytes() == paper.pdf.read_bytes()


def test_results_that_came_as_numbers_have_a_paper_without_pictures(tmp_path):
    rows = [
        ImportedReturn(
            model, f"{picture}/hat", picture, "hat", "acc", "portrait", 0, n, {"ssim": 1 - loss * n}
        )
        for model, loss in (("one", 0.1), ("two", 0.3))
        for picture in ("p", "q", "r")
        for n in (1, 2, 3)
        if (model, picture) != ("two", "r")
    ]
    with Workspace.create(tmp_path / "results") as workspace:
        record_imported(workspace, workspace.start_run({"suite": "brought"}, "0"), "brought", rows)
    said = text_of(write(tmp_path / "results", tmp_path / "paper").pdf)
    assert "these results have no pictures" in said
    assert "one keeps most (SSIM 0.700" in said and "on different sets of cases" in said
    assert "Drift was not measured" in said
    assert "Half of the chains of two have fallen after 1.7 rounds." in said


def test_floors_alone_are_no_ranking(filled, tmp_path):
    with Workspace.existing(filled) as workspace:
        results = load_results(workspace, models=["identity"])
        assert set(results.roles()) == {"identity"}
        written = write_paper(workspace, results, tmp_path, Heading())
    said = text_of(written.pdf)
    assert "Only 1 floor ran here" in said and "No model has a value of SSIM at round" in said


def test_twelve_models_with_long_names_stay_within_the_margins(filled, tmp_path):
    import typst

    names = [
        f"provider-{n}/a-model-with-a-name-that-goes-on-and-on-v{n}.5?quality=high&n=1536" for n in range(12)
    ]
    with Workspace.existing(filled) as workspace:
        results = load_results(workspace)
        steady = [item for item in results.returns if item.model == "steady"]
        returns = tuple(replace(item, model=name) for name in names for item in steady)
        many = replace(results, returns=returns, uses=(), troubles=())
        write_paper(workspace, many, tmp_path, Heading())
    typst.compile(str(tmp_path / "paper.typ"), output=str(tmp_path / "page-{p}.png"), format="png", ppi=50.8)
    pages = list(tmp_path.glob("page-*.png"))
    assert len(pages) > 5
    for page in pages:
        ink = np.asarray(Image.open(page).convert("L")) < 200
        assert not ink[:, :40].any() and not ink[:, -40:].any()  # 2 cm at 20 pixels a centimetre
        assert ink.any()


def test_a_folder_with_something_else_in_it_is_left_alone(filled, tmp_path):
    (tmp_path / "paper.pdf").write_text("mine")
    with pytest.raises(WrongUse, match="choose another folder"):
        write(filled, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["paper.pdf"]


def test_without_typst_the_extra_is_named_and_nothing_is_written(monkeypatch, filled, tmp_path):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtra, match=r"convergebench\[paper\]"):
        write(filled, tmp_path / "paper")
    assert not (tmp_path / "paper").exists()


def test_every_reference_is_cited_and_every_citation_is_there():
    known = set(re.findall(r"^@\w+\{(\w+),", (TEMPLATE / "references.bib").read_text(), re.M))
    cited = set(re.findall(r"#cite\(<(\w+)>\)", " ".join(typst_texts().values())))
    assert cited == known


def test_every_reference_has_an_identifier():
    entries = re.split(r"(?m)^@", (TEMPLATE / "references.bib").read_text())[1:]
    without = [entry for entry in entries if "doi = {10." not in entry]
    assert ["Software, repository" in entry for entry in without] == [True]


def test_the_template_travels_with_the_package():
    root = Path(__file__).parents[3]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    carried = set(project["tool"]["setuptools"]["package-data"]["convergebench"])
    assert {"report/paper/template/*.bib", "report/paper/template/*/*", "report/paper/text/*"} <= carried
