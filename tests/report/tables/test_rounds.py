from __future__ import annotations

import math

from convergebench import metrics
from convergebench.analysis.round_trip.degradation_curves import degradation_curves
from convergebench.analysis.round_trip.headline_rounds import headline_rounds
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.report.tables.rounds import json_rounds, rounds_cells
from convergebench.types import Measurement


def returned(case: str, round: int, decibels: float) -> Return:
    return Return(
        model="m", role="model", case=case, picture=case, pair="hat", kind="scene", category="objects",
        seed=0, round=round, digest=f"{case}{round}", values={"psnr": Measurement("psnr", "1", decibels)},
    )  # fmt: skip


def test_a_mean_that_leaves_infinite_values_out_says_how_many_it_is_over() -> None:
    """Two of three pictures came back exactly after the first round, none after the second."""
    values = {"a": (math.inf, 30.0), "b": (math.inf, 40.0), "c": (20.0, 50.0)}
    returns = [returned(case, n, value) for case, both in values.items() for n, value in enumerate(both, 1)]
    results = Results("s@1", 2, (metrics.facts("psnr"),), tuple(returns), (), ())
    marks = headline_rounds(results, "psnr")
    assert rounds_cells(marks, ["m"]) == [["m", "20.0 (1 of 3)", "40.0"]]
    assert [row["infinite"] for row in json_rounds(marks, ["m"])] == [2, 0]
    assert [point.n for point in degradation_curves(results, "psnr")[0].points] == [3, 3]
