from __future__ import annotations

from pathlib import Path

import pytest

from convergebench.errors import WrongUse
from convergebench.refinement import RefinementSettings, read_refinement_settings

FILE = """
models: classical
reasoner: server:m?base_url=http://127.0.0.1:1/v1
reasoner_settings: {max_tokens: 512}
suite: reedit-mini
categories: [physical, causal]
output_dir: out
max_cost_usd: 2
"""


def test_a_file_says_all_that_a_call_can(tmp_path: Path) -> None:
    (tmp_path / "refine.yaml").write_text(FILE)
    read = read_refinement_settings(tmp_path / "refine.yaml")
    assert read == RefinementSettings(
        ("classical",), "server:m?base_url=http://127.0.0.1:1/v1", reasoner_settings={"max_tokens": 512},
        suite="reedit-mini", categories=("physical", "causal"), output_dir=str(tmp_path / "out"),
        max_cost_usd=2, workspace=str(tmp_path / "results"),
    )  # fmt: skip
    assert read.reasoner_name.endswith("/v1&max_tokens=512")


def test_what_is_given_beside_a_file_comes_first(tmp_path: Path) -> None:
    (tmp_path / "refine.yaml").write_text(FILE)
    read = read_refinement_settings(tmp_path / "refine.yaml", {"rounds": 3, "output_dir": "here"})
    assert (read.rounds, read.output_dir) == (3, "here")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("round: 2", "there is no refinement setting 'round'; did you mean rounds?"),
        ("rounds: two", "rounds must be a whole number, not 'two'"),
        ("rounds: true", "rounds must be a whole number, not True"),
        ("rounds: -1", "--rounds must be at least 0"),
        ("chained: 1", "chained must be true or false, not 1"),
        ("limit: many", "limit must be a whole number, not 'many'"),
        ("max_cost_usd: cheap", "max_cost_usd must be a number, not 'cheap'"),
        ("max_cost_usd: .inf", "--max-cost must be a number of dollars, 0 or more, not inf"),
        ("per_minute: 0", "--per-minute must be a number above 0, not 0"),
        ("judge_settings: hot", "judge_settings must be keys and values, not 'hot'"),
        ("grades: [sc, beauty]", "there is no grade 'beauty'; choose from category, if, pq, sc"),
        ("image: a.png", "one picture needs both --image and --instruction"),
        ("reasoner: ''", "choose the reasoner with --reasoner"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_a_sentence(tmp_path: Path, line: str, sentence: str) -> None:
    (tmp_path / "refine.yaml").write_text(
        f"{FILE}\n{line}\n".replace("reasoner: server", "reasoner: server", 1)
    )
    with pytest.raises(WrongUse) as caught:
        read_refinement_settings(tmp_path / "refine.yaml")
    assert str(caught.value).startswith(sentence)


def test_without_rounds_nobody_needs_to_look() -> None:
    assert RefinementSettings(("classical",), rounds=0).reasoner == ""
