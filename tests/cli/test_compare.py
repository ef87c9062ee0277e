from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


@pytest.fixture
def two_models(cli: Cli, run: Words, tmp_path: Path) -> Path:
    """A workspace in which jpeg and blur ran on two pictures."""
    for model in ("jpeg?quality=40", "blur"):
        assert cli(*run(model=model)).code == 0
    return tmp_path / "results"


def test_two_models_are_compared_on_their_shared_cases(cli: Cli, two_models: Path) -> None:
    shown = cli("compare", "blur", "jpeg?quality=40", "--workspace", two_models)
    assert shown.code == 0
    for said in ("ssim @ R2", "ssim AUC", "psnr @ R2", "half-life", "contraction", "forward edits"):
        assert said in shown.out


def test_notes_are_indented_on_all_their_lines(
    cli: Cli, two_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli("compare", "blur", "jpeg?quality=40", "--workspace", two_models).out.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("  Intervals of 95 %"))
    assert lines[first + 1].startswith("  ") and lines[first + 1].strip()
    facts = lines[lines.index("blur") + 1 : lines.index("jpeg?quality=40")]
    assert len(facts) > 5 and all(line.startswith("  ") for line in facts)


def test_a_narrow_comparison_says_of_how_many_chains_each_number_is(
    cli: Cli, two_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "76")
    out = cli("compare", "blur", "jpeg?quality=40", "--workspace", two_models).out
    assert "Too narrow for: detectable, intervals, p. See --json." in out
    assert " n " in out.splitlines()[0]


def test_the_comparison_as_json_has_both_profiles(cli: Cli, two_models: Path) -> None:
    told = cli("compare", "blur", "jpeg?quality=40", "--workspace", two_models, "--json").json
    assert [one["model"] for one in told["models"]] == ["blur", "jpeg?quality=40"]
    first = told["differences"][0]
    assert first["difference"]["mean"] == pytest.approx(first["first_mean"] - first["second_mean"])


def test_the_comparison_as_csv_can_be_split(cli: Cli, two_models: Path) -> None:
    shown = cli("compare", "blur", "jpeg?quality=40", "--workspace", two_models, "--csv", "--by", "category")
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert rows[0]["what"] == "ssim @ R2"
    assert {row["part"] for row in rows} > {""}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["blur", "nobody"], "there are no results of nobody here; choose from: "),
        (["blur", "blur", "--round", "9"], "there is no round 9; choose one from 1 to 2"),
        (["blur", "blur", "--threshold", "2"], "a threshold is a share between 0 and 1"),
        (["blur", "blur", "--metric", "sharpness"], "there is no metric sharpness"),
    ],
)
def test_wrong_use_is_one_sentence(cli: Cli, two_models: Path, words: list[str], said: str) -> None:
    shown = cli("compare", *words, "--workspace", two_models)
    assert shown.code == 2
    assert shown.sentence.startswith(said)
