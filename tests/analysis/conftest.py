"""Small results by hand: each row says who returned what, so that a test shows its own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import pytest

from convergebench.analysis import FailedStep, ModelUse, Results, Return, Role
from convergebench.types import Measurement, MetricFacts

ReturnOf: TypeAlias = Callable[..., Return]
ResultsOf: TypeAlias = Callable[..., Results]

SSIM = MetricFacts("ssim", "1", "higher", 1.0, 0.0, "quality")
PSNR = MetricFacts("psnr", "1", "higher", math.inf, 0.0, "quality", "dB")
LPIPS = MetricFacts("lpips", "1", "lower", 0.0, 1.0, "quality")


@pytest.fixture
def returned() -> ReturnOf:
    """A return of `model` from `picture`/`pair`; a metric is a number, or a text saying why it is missing."""

    def build(
        model: str,
        picture: str = "p1",
        round: int = 1,
        pair: str = "hat",
        role: Role = "model",
        seed: int = 0,
        **values: float | str,
    ) -> Return:
        measured = {
            name: Measurement(name, "1", None, value)
            if isinstance(value, str)
            else Measurement(name, "1", value)
            for name, value in values.items()
        }
        category = "accessories" if pair == "hat" else "geometric"
        case = f"{picture}/{pair}"
        return Return(
            model, role, case, picture, pair, "portrait", category, seed, round, f"{case}{round}", measured
        )

    return build


@pytest.fixture
def results_of() -> ResultsOf:
    def build(
        *returns: Return,
        rounds: int = 1,
        troubles: tuple[FailedStep, ...] = (),
        uses: tuple[ModelUse, ...] = (),
    ) -> Results:
        return Results("suite", rounds, (SSIM, PSNR, LPIPS), returns, troubles, uses)

    return build


@pytest.fixture
def refused() -> Callable[..., FailedStep]:
    def build(model: str, round: int, picture: str = "p1", pair: str = "hat") -> FailedStep:
        case = (f"{picture}/{pair}", picture, pair, "portrait", "accessories")
        return FailedStep(model, *case, 0, round, "forward", "refused", "policy")

    return build
