import re
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from convergebench.analysis import ranking
from convergebench.report.export.latex import latex_escaped, write_latex
from convergebench.report.tables.text_table import TextTable, breakdown_text, ranking_text

COMMAND = re.compile(r"\\(?:text[a-z]+\{\}|reflectbox\{F\}|[{}$&#%_])|\$(?:\\[a-z]+|-|\^\{\\circ\})\$|-\{\}")
"""The ways in which a sign is written that LaTeX would obey, or that needs a name."""


@given(st.text())
def test_nothing_is_left_that_latex_would_obey(text):
    left = COMMAND.sub("", latex_escaped(text))
    assert not set(left) & set("\\{}$&#%_~^<>|\"'`\n")
    assert "--" not in left


def test_what_an_editor_would_obey_is_shown_as_its_code():
    assert latex_escaped("a\x1b[2J\u202eb") == r"a\textbackslash{}x1b[2J\textbackslash{}u202eb"


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=30))
def test_no_sign_is_lost(text):
    names = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
             r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedbl{}": '"',
             r"\textquotesingle{}": "'",
             r"\textasciigrave{}": "`", "-{}": "-"}  # fmt: skip
    shown = COMMAND.sub(lambda found: names.get(found[0], found[0][-1]), latex_escaped(text))
    assert shown == text


@given(st.lists(st.lists(st.text(), min_size=3, max_size=3), min_size=1, max_size=4))
@example([["\x08\r*", "", ""]])
def test_every_row_keeps_its_columns_whatever_is_in_its_cells(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("latex") / "tables.tex"
    write_latex([TextTable("t", "title", "why", ["a", "b", "c"], rows)], path)
    lines = path.read_text(encoding="utf-8").splitlines()
    body = lines[lines.index(r"    \toprule") + 1 : lines.index(r"    \bottomrule")]
    body.remove(r"    \midrule")
    assert len(body) == len(rows) + 1
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 and line.endswith(r" \\") for line in body)
    assert not any(line.lstrip().startswith(("[", "*")) for line in body)


def test_the_ranking_is_a_booktabs_table_with_words_to_the_left(results, tmp_path):
    text = write_latex([ranking_text(ranking(results))], tmp_path / "t.tex").read_text()
    assert r"\begin{tabular}{rlrrrr" in text
    assert r"1 & qwen & 0.6" in text
    assert r"\label{tab:ranking}" in text
    assert r"CLIP needs torch: pip install \textquotesingle{}convergebench[torch]" in text


def test_a_breakdown_with_many_parts_has_them_as_rows(results):
    few = breakdown_text(results, ranking(results), "pair")
    assert few.headings[0] == "model" and len(few.rows) == 8
    split = tuple(replace(item, pair=f"{item.pair} {item.picture}") for item in results.returns)
    table = breakdown_text(replace(results, returns=split), ranking(results), "pair")
    assert table.headings[0] == "edit" and len(table.headings) == 9
    assert len(table.rows) > 8
