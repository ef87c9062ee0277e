from dataclasses import replace

import numpy as np
import pytest

from convergebench.analysis import contraction
from convergebench.types import Measurement


@pytest.fixture
def moving(returned, results_of):
    """A model whose chains move by the given distances from return to return."""

    def build(*chains, away=0.3):
        returns = []
        for number, moves in enumerate(chains):
            returns.append(returned("m", f"p{number}", 1, ssim=1 - away))
            for place, distance in enumerate(moves, 2):
                one = returned("m", f"p{number}", place, ssim=1 - away)
                returns.append(replace(one, moved={"ssim": Measurement("ssim", "1", 1 - distance)}))
        return results_of(*returns, rounds=10)

    return build


def geometric(constant, start=0.1, length=8):
    return start * constant ** np.arange(length)


@pytest.mark.parametrize(("constant", "verdict"), [(0.5, "settling"), (1.0, "drifting"), (1.3, "diverging")])
def test_the_constant_is_recovered_with_its_verdict(moving, constant, verdict):
    random = np.random.default_rng(1)
    chains = [geometric(constant, 0.05) * np.exp(random.normal(0, 0.1, 8)) for _ in range(20)]
    found = contraction(moving(*chains), "m")
    assert found.verdict == verdict
    assert found.low <= constant <= found.high
    assert (found.n, found.clusters) == (20 * 7, 20)


def test_a_chain_that_settles_comes_to_rest_at_the_sum_of_its_moves(moving):
    found = contraction(moving(geometric(0.5), geometric(0.5)), "m")
    last = 0.1 * 0.5**7
    assert found.constant == pytest.approx(0.5)
    assert found.fixed_point_distance == pytest.approx(0.3 + last)  # d·q/(1 − q) with q = ½


def test_a_chain_at_rest_has_settled(moving):
    found = contraction(moving([0.0] * 5, [0.0] * 5), "m")
    assert (found.verdict, found.constant, found.fixed_point_distance) == (
        "settling",
        0.0,
        pytest.approx(0.3),
    )


def test_chains_that_move_only_at_their_end_cannot_tell(moving):
    found = contraction(moving([0.0, 0.5], [0.0, 0.0, 0.5]), "m")
    assert (found.verdict, found.constant, found.fixed_point_distance) == ("cannot tell", None, None)
    assert "nothing moved before the last round" in found.reason


def test_one_picture_at_rest_cannot_tell(moving):
    found = contraction(moving([0.0] * 5), "m")
    assert (found.verdict, found.constant, found.low) == ("cannot tell", 0.0, None)


def test_no_fixed_point_is_predicted_for_one_that_drifts(moving):
    assert contraction(moving(geometric(1.3, 0.02), geometric(1.3, 0.02)), "m").fixed_point_distance is None


def test_one_picture_cannot_tell(moving):
    found = contraction(moving(geometric(0.5)), "m")
    assert found.verdict == "cannot tell" and found.constant == pytest.approx(0.5)


def test_returns_that_were_not_compared_with_each_other_cannot_tell(returned, results_of):
    results = results_of(*(returned("m", round=n, ssim=0.5) for n in (1, 2, 3)), rounds=3)
    found = contraction(results, "m")
    assert (found.verdict, found.constant) == ("cannot tell", None) and "no two moves" in found.reason


def test_a_chain_that_was_not_compared_with_its_source_is_left_out_of_the_fixed_point(moving):
    results = moving(geometric(0.5), geometric(0.5))
    unknown = [replace(one, values={}) if one.picture == "p0" else one for one in results.returns]
    found = contraction(replace(results, returns=tuple(unknown)), "m")
    assert (found.n, found.fixed_point_distance) == (14, pytest.approx(0.3 + 0.1 * 0.5**7))
    nowhere = [replace(one, values={}) for one in results.returns]
    none = contraction(replace(results, returns=tuple(nowhere)), "m")
    assert (none.verdict, none.fixed_point_distance) == ("settling", None)
