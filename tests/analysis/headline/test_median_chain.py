from __future__ import annotations

from collections.abc import Sequence

from convergebench.analysis import FailedStep, Results, Return, median_chains
from convergebench.types import Measurement, MetricFacts

SSIM = MetricFacts("ssim", "1", "higher", 1.0, 0.0, "quality")


def returned(case: str, value: float, round: int = 1) -> Return:
    return Return(
        model="m", role="model", case=case, picture=case, pair="p", kind="k", category="objects", seed=0,
        round=round, digest="", values={"ssim": Measurement("ssim", "1", value)},
    )  # fmt: skip


def median_case(returns: Sequence[Return], troubles: Sequence[FailedStep] = ()) -> str:
    results = Results("s@1", 2, (SSIM,), tuple(returns), tuple(troubles), ())
    return median_chains(results)["m"].case


def test_it_is_the_chain_in_the_middle_by_the_last_round_that_it_reached() -> None:
    last = {"best": 0.9, "middle": 0.5, "worst": 0.1}
    returns = [returned(case, 1 - value, 1) for case, value in last.items()]
    returns += [returned(case, value, 2) for case, value in last.items()]
    assert median_case(returns) == "middle"


def test_of_two_in_the_middle_it_is_the_better_one() -> None:
    assert median_case([returned(str(n), value) for n, value in enumerate((0.1, 0.2, 0.3, 0.4))]) == "2"


def test_a_model_that_never_returned_has_the_chain_that_it_began() -> None:
    failed = FailedStep("m", "c", "c", "p", "k", "objects", 0, 1, "forward", "refused", "no")
    assert median_case([], [failed]) == "c"
