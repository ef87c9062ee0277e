"""Protocols, seeds and models compared turn by turn, on the sessions that both have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import set_imitations as imitations
from convergebench.analysis.sessions.compare import compare_sessions
from convergebench.analysis.sessions.figures import FIGURES
from convergebench.analysis.sessions.turns import SessionResult, TurnResult, measured
from convergebench.cli.main import code_of
from convergebench.types import Measurement

KEPT = FIGURES[0]


def session(model: str, number: int, *values: float | None) -> SessionResult:
    turns = tuple(
        TurnResult(turn, {"kept": Measurement("kept", "1", value)}) if value is not None
        else TurnResult(turn, missing="no picture: refused")
        for turn, value in enumerate(values, start=1)
    )  # fmt: skip
    return SessionResult(model, "model", "session", str(number), f"p{number}", "", 0, number, turns)


def test_only_sessions_with_both_values_are_compared_and_the_others_counted() -> None:
    first = [session("a", 0, 0.9, 0.8), session("a", 1, 0.7, None), session("a", 2, 0.5, 0.5)]
    second = [session("b", 0, 0.8, 0.6), session("b", 1, 0.6, 0.1), session("b", 3, 0.1, 0.1)]
    reading = measured("kept")
    found = compare_sessions(KEPT, ("a", first, reading), ("b", second, reading))
    assert found is not None
    one, two = found.points
    assert (one.difference.n, one.only_first, one.only_second) == (2, 0, 0)
    assert one.difference.mean == pytest.approx(0.1)
    assert (two.difference.n, two.only_first, two.only_second) == (1, 0, 1)
    assert two.difference.mean == pytest.approx(0.2)


def test_a_plain_difference_names_the_better_one() -> None:
    first = [session("a", n, 0.9 + n / 1000) for n in range(9)]
    second = [session("b", n, 0.5) for n in range(9)]
    found = compare_sessions(KEPT, ("a", first, measured("kept")), ("b", second, measured("kept")))
    assert found is not None
    assert found.verdict(found.points[0]) == "a is better"


def test_a_difference_of_shares_is_at_most_one() -> None:
    first = [session("a", 0, 1.0), session("a", 1, 0.5)]
    second = [session("b", 0, 0.0), session("b", 1, 0.5)]
    found = compare_sessions(KEPT, ("a", first, measured("kept")), ("b", second, measured("kept")))
    assert found is not None
    difference = found.points[0].difference
    assert (difference.mean, difference.low, difference.high) == (0.5, -1.0, 1.0)


def test_singlepass_against_multipass_fresh_against_same_seed_and_this_size_against_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = f"edival?data={imitations.write_edival(tmp_path / 'data')}"
    run = [
        "run",
        "-m",
        "noise",
        "--suite",
        suite,
        "--metric",
        "psnr,regions",
        "-w",
        str(tmp_path / "w"),
        "--json",
    ]
    sizes = ("noise?size=64", "noise?size=112")
    for more in ((), ("--protocol", "singlepass"), ("--seed-policy", "same"), ("-m", ",".join(sizes))):
        assert code_of([*run, *more]) == 0
    capsys.readouterr()
    for pair in (("noise/session", "noise/singlepass"), ("noise", "noise+same-seed"), sizes):
        assert code_of(["turns", *pair, "-w", str(tmp_path / "w"), "--json"]) == 0
        kept = next(one for one in json.loads(capsys.readouterr().out) if one["figure"] == "kept")
        assert [point["turn"] for point in kept["turns"]] == [1, 2, 3]
        assert {point["n"] for point in kept["turns"]} == {5}
        assert kept["turns"][0]["difference"] == pytest.approx(
            kept["turns"][0]["first"] - kept["turns"][0]["second"]
        )
    assert kept["turns"][-1]["difference"] < 0, "fewer pixels keep less"
    assert code_of(["turns", "noise", "nois", "-w", str(tmp_path / "w")]) == 2
    assert "noise/session" in capsys.readouterr().err
