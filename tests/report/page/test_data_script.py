from __future__ import annotations

import ast
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from convergebench.report.page.data_script import script_of

sections = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(sections)
def test_any_section_comes_back_as_it_was_from_a_script_that_no_page_can_misread(section: object) -> None:
    script = script_of("case/0", section)
    assert script.isascii() and "<" not in script
    found = re.fullmatch(r'convergebench\.receive\("case/0", (\'.*\')\);\n', script)
    assert found is not None
    # Python and JavaScript read backslashes and quotes within single quotes alike.
    assert json.loads(ast.literal_eval(found[1])) == section


def test_infinity_is_a_word_and_digits_beyond_seven_are_cut() -> None:
    assert '"inf"' in script_of("x", float("inf"))
    assert "0.1234568" in script_of("x", 0.123456789)
