import numpy as np
import pytest

from convergebench.analysis import ShareMatrix, curve_shape
from convergebench.analysis.round_trip.curve_shape import fit_shapes

ROUNDS = np.arange(11)


def simulated(curve, chains=60, pictures=20, noise=0.02, seed=0):
    random = np.random.default_rng(seed)
    shares = np.clip(curve + random.normal(0, noise, (chains, len(curve))), 0, 1)
    shares[:, 0] = 1
    names = tuple(f"p{number % pictures}" for number in range(chains))
    return ShareMatrix("m", tuple((f"c{number}", 0) for number in range(chains)), names, shares)


@pytest.mark.parametrize(
    ("curve", "shape", "rate"),
    [
        (1 - 0.05 * ROUNDS, "linear", 0.05),
        (np.exp(-0.15 * ROUNDS), "exponential", 0.15),
        (0.5 + 0.5 * np.exp(-0.4 * ROUNDS), "plateau", 0.4),
    ],
)
def test_the_shape_and_its_rate_are_recovered(curve, shape, rate):
    found = curve_shape(simulated(curve))
    assert found.chosen is not None and found.chosen.shape == shape
    assert found.rate[0] <= rate <= found.rate[1]
    assert found.chosen.rate == pytest.approx(rate, rel=0.1)


def test_the_asymptote_is_recovered():
    found = curve_shape(simulated(0.5 + 0.5 * np.exp(-0.4 * ROUNDS)))
    assert found.asymptote[0] <= 0.5 <= found.asymptote[1]
    assert found.chosen.asymptote == pytest.approx(0.5, abs=0.02)


def test_the_intervals_of_rate_and_asymptote_cover_the_truth():
    hits, simulations = np.zeros(2), 100
    for seed in range(simulations):
        random = np.random.default_rng(seed)
        shifts = np.repeat(random.normal(0, 0.03, 40), 3)[:, None] * (ROUNDS > 0)
        chains = simulated(0.5 + 0.5 * np.exp(-0.4 * ROUNDS), 120, 40, 0.03, seed)
        names = tuple(f"p{number // 3}" for number in range(120))
        chains = ShareMatrix("m", chains.keys, names, np.clip(chains.shares + shifts, 0, 1))
        found = curve_shape(chains, resamples=200)
        assert found.chosen is not None
        hits += [found.rate[0] <= 0.4 <= found.rate[1], found.asymptote[0] <= 0.5 <= found.asymptote[1]]
    assert ((hits >= 0.9 * simulations) & (hits <= 0.99 * simulations)).all()


def test_few_rounds_cannot_tell():
    found = curve_shape(simulated(np.exp(-0.15 * np.arange(4))))
    assert found.chosen is None and "at least 5 rounds" in found.undecided


def test_a_curve_half_way_between_two_shapes_is_seldom_decided():
    """Noise is not held below 1 here: that alone would bend the curve."""
    middle = 0.5 * (1 - 0.02 * ROUNDS) + 0.5 * np.exp(-0.0206 * ROUNDS)
    undecided = 0
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, 0.03, (60, len(ROUNDS))) * (ROUNDS > 0)
        chains = simulated(middle, noise=0)
        noisy = ShareMatrix("m", chains.keys, chains.pictures, chains.shares + noise)
        undecided += curve_shape(noisy, resamples=200).chosen is None
    assert undecided >= 15


def test_a_model_that_loses_nothing_has_no_shape():
    assert "too little" in curve_shape(simulated(np.ones(11), noise=0)).undecided


def test_chains_that_all_ended_early_have_no_shape():
    chains = simulated(np.exp(-0.15 * ROUNDS))
    chains.shares[:, -1] = np.nan
    assert curve_shape(chains).undecided == "no trajectory reached the last round"


def test_one_picture_gives_a_shape_without_intervals():
    found = curve_shape(simulated(np.exp(-0.15 * ROUNDS), pictures=1))
    assert found.chosen is not None and found.rate is None


def test_akaikes_correction_is_that_of_the_formula():
    curve = np.exp(-0.15 * ROUNDS) + 0.01 * (-1.0) ** ROUNDS
    fits = {fit.shape: fit for fit in fit_shapes(curve)}
    squares = ((np.exp(-fits["exponential"].rate * ROUNDS[1:]) - curve[1:]) ** 2).sum()
    by_hand = 10 * np.log(squares / 10) + 2 * 2 + 2 * 2 * 3 / (10 - 2 - 1)
    assert fits["exponential"].aicc == pytest.approx(by_hand)
