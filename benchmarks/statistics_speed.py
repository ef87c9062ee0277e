"""How long the bootstrap of many trajectories takes, half-life and area refitted in each resample.

    python benchmarks/statistics_speed.py [--trajectories 10000] [--resamples 10000] [--rounds 10]

Once with a hundred source pictures, and once with a picture for every trajectory: the two ends of what a
suite can look like.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from row import row

from convergebench.analysis import ShareMatrix, areas
from convergebench.analysis.round_trip.half_life import fall_times
from convergebench.analysis.round_trip.share_matrix import cluster_index
from convergebench.analysis.statistics.cluster_bootstrap import bootstrap_means
from convergebench.analysis.statistics.survival import bootstrap_medians


def simulated(trajectories: int, rounds: int, pictures: int) -> ShareMatrix:
    """Exponential decay with another rate for every trajectory."""
    random = np.random.default_rng(0)
    rates = random.gamma(4, 0.02, trajectories)[:, None]
    shares = np.exp(-rates * np.arange(rounds + 1))
    names = tuple(f"p{number % pictures}" for number in range(trajectories))
    return ShareMatrix("m", tuple((f"c{number}", 0) for number in range(trajectories)), names, shares)


def measure(chains: ShareMatrix, resamples: int) -> tuple[float, float, float]:
    started = time.perf_counter()
    clusters = cluster_index(chains.pictures)
    times, fell = fall_times(chains.bridged)
    medians = bootstrap_medians(times, fell, clusters, resamples)
    means = bootstrap_means(areas(chains), clusters, resamples)
    return time.perf_counter() - started, float(np.median(medians)), float(means.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the bootstrap of half-lives and areas.")
    parser.add_argument("--trajectories", type=int, default=10_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10)
    wanted = parser.parse_args()
    told = []
    for pictures in (100, wanted.trajectories):
        chains = simulated(wanted.trajectories, wanted.rounds, pictures)
        seconds, half_life, area = measure(chains, wanted.resamples)
        print(
            f"{wanted.resamples:,} resamples of {wanted.trajectories:,} trajectories, {pictures:,} pictures: "
            f"{seconds:.1f} s (half-life {half_life:.2f} rounds, area {area:.3f})"
        )
        told.append(f"{seconds:.1f} s with {pictures:,} pictures")
    row(f"{wanted.resamples:,} resamples of {wanted.trajectories:,} trajectories", *told)


if __name__ == "__main__":
    main()
