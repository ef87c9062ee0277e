"""Made-up results that look like real ones: six models and two floors on a small suite."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from convergebench.analysis import FailedStep, ModelUse, Results, Return
from convergebench.types import Measurement, MetricFacts

METRICS = (
    MetricFacts("psnr", "1", "higher", math.inf, 0, "quality", "dB"),
    MetricFacts("ssim", "1", "higher", 1, 0, "quality"),
    MetricFacts("ms_ssim", "1", "higher", 1, 0, "quality"),
    MetricFacts("lpips", "1", "lower", 0, 1, "quality"),
    MetricFacts("clip", "1", "higher", 1, 0, "semantic"),
)
NO_CLIP = "CLIP needs torch: pip install 'convergebench[torch]'"
PORTRAITS = [f"portrait_{name}" for name in ("astronaut", "hopper", "guido", "maher")]
SCENES = [f"scene_{name}" for name in ("china", "coffee", "rocket", "lake")]
PAIRS = {
    "portrait": ("glasses_add_remove", "hat_add_remove"),
    "scene": ("chair_add_remove", "cat_add_remove"),
}
DECAY = {"qwen": 0.05, "nano-banana": 0.052, "grok": 0.06, "gemini-2.5-flash": 0.09, "flux-kontext-dev": 0.14,
         "seedream": 0.11}  # fmt: skip
REFUSAL = "the content policy does not allow this person to be edited"


def case_of(picture: str, pair: str) -> tuple[str, str, str, str, str]:
    kind = picture.split("_")[0]
    category = "accessories" if kind == "portrait" else "scene_objects"
    return f"{picture}/{pair}", picture, pair, kind, category


def cases() -> list[tuple[str, str, str, str, str]]:
    return [case_of(p, pair) for p in PORTRAITS + SCENES for pair in PAIRS[p.split("_")[0]]]


def values_at(ssim: float, psnr: float) -> dict[str, Measurement]:
    found = {"psnr": psnr, "ssim": ssim, "ms_ssim": ssim**0.7, "lpips": 0.8 * (1 - ssim)}
    measured = {name: Measurement(name, "1", value) for name, value in found.items()}
    return {**measured, "clip": Measurement("clip", "1", None, NO_CLIP)}


def made_up(rounds: int = 10, seeds: tuple[int, ...] = (0,)) -> Results:
    random = np.random.default_rng(7)
    hardness = {picture: random.normal(1, 0.2) for picture in PORTRAITS + SCENES}
    returns: list[Return] = []
    troubles: list[FailedStep] = []
    for (model, decay), case, seed in product(DECAY.items(), cases(), seeds):
        stops = rounds
        if model == "seedream" and case[2] == "hat_add_remove":
            stops = 3
            troubles.append(FailedStep(model, *case, seed, 4, "forward", "refused", REFUSAL))
        for number in range(1, stops + 1):
            ssim = float(
                np.clip(math.exp(-decay * hardness[case[1]] * number) + random.normal(0, 0.02), 0.05, 0.99)
            )
            values = values_at(ssim, 12 + 22 * ssim)
            returns.append(Return(model, "model", *case, seed, number, f"{model}-{case[0]}-{number}", values))
    for case, number in product(cases(), range(1, rounds + 1)):
        returns.append(Return("identity", "floor", *case, 0, number, case[0], values_at(1.0, math.inf)))
        jpeg = values_at(0.985 - 0.002 * number, 34 - 0.2 * number)
        returns.append(Return("jpeg-75", "floor", *case, 0, number, f"jpeg-{case[0]}-{number}", jpeg))
    uses = [
        ModelUse(model, "model", 16 * len(seeds), 16, 320, 0, 4.0 + place * 5, 0.02 * 320)
        for place, model in enumerate(DECAY)
    ]
    uses += [ModelUse(floor, "floor", 16, 16, 320, 0, 0.01, 0.0) for floor in ("identity", "jpeg-75")]
    return Results("converge@0", rounds, METRICS, tuple(returns), tuple(troubles), tuple(uses))


@pytest.fixture
def results() -> Results:
    return made_up()


@pytest.fixture
def two_seeds() -> Results:
    return made_up(rounds=2, seeds=(0, 1))
