"""The figures that sessions are reported by, and which of them a workspace has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from convergebench.analysis.sessions.turns import (
    UNUSABLE_ENTRY,
    SessionResult,
    TurnPoint,
    by_model,
    final_mean,
    mean_of_turns,
    measured,
    turn_curve,
)
from convergebench.analysis.statistics.clustered_mean import Interval

Decimals = Literal[0, 1, 2, 3, 4, 5, 6]


@dataclass(frozen=True)
class TurnFigure:
    """A figure of a turn: its key, which is a metric's name, and its title."""

    key: str
    title: str
    better: Literal["higher", "lower"]
    decimals: Decimals = 3
    possible: tuple[float, float] = (0.0, 1.0)
    judge: str = ""
    """Who judged, and in whose words; empty for what was measured."""
    wording: str = ""


FIGURES = (
    TurnFigure("kept", "kept of the rest", "higher"),
    TurnFigure("kept_registered", "kept of the rest, registered", "higher"),
    TurnFigure("collateral", "rest that visibly changed", "lower"),
    TurnFigure("lpips", "LPIPS to the source", "lower"),
    TurnFigure("face_distance", "face distance to the source", "lower"),
    TurnFigure("text_error", "text error against the source", "lower"),
    TurnFigure("target_l1", "L1 to the target", "lower", 4),
    TurnFigure("target_l2", "L2 to the target", "lower", 4),
    TurnFigure("target_l1_inside", "L1 to the target, inside the mask", "lower", 4),
    TurnFigure("target_l1_outside", "L1 to the target, outside the mask", "lower", 4),
    TurnFigure("target_clip", "CLIP-I to the target", "higher"),
    TurnFigure("target_dino", "DINO to the target", "higher"),
    TurnFigure("clip_text", "CLIP-T to the caption", "higher", possible=(-1.0, 1.0)),
    TurnFigure("source_psnr_outside", "PSNR to the source, outside the mask", "higher", 2, (0.0, math.inf)),
    TurnFigure("dino_structure", "structure distance to the source (DINO)", "lower", 5),
    TurnFigure("masked_psnr", "PSNR, masked as PIE-Bench does", "higher", 2, (0.0, math.inf)),
    TurnFigure("masked_lpips", "LPIPS (AlexNet), masked as PIE-Bench does", "lower"),
    TurnFigure("masked_mse", "MSE, masked as PIE-Bench does", "lower", 6),
    TurnFigure("masked_ssim", "SSIM, masked as PIE-Bench does", "higher"),
)
PASSED = TurnFigure("passed", "sessions that passed every turn so far, %", "higher", 1, (0.0, 100.0))


@dataclass(frozen=True)
class TurnCurve:
    """A figure over the turns of one model's sessions."""

    model: str
    protocol: str
    figure: TurnFigure
    points: tuple[TurnPoint, ...]
    final: Interval | None = None
    """At each session's own last turn, as MagicBrush's multi-turn figures are."""
    every: Interval | None = None
    """Over all turns, as its single-turn figures are."""


def counting_unusable(curves: Sequence[TurnCurve], reasons: Iterable[str]) -> list[TurnCurve]:
    """The curves with entries of the set that are no sessions among the missing ones, with their reasons.

    How many turns such an entry should have had is not known, so it is missing at every turn.
    """
    entries = Counter(f"{UNUSABLE_ENTRY}{reason}" for reason in reasons)
    count = entries.total()
    return [
        replace(
            curve,
            points=tuple(
                replace(point, missing=point.missing + count, reasons={**point.reasons, **entries})
                for point in curve.points
            ),
        )
        for curve in curves
    ]


def measured_curves(sessions: Sequence[SessionResult]) -> list[TurnCurve]:
    """Every figure that was measured, of every model; figures without any value are left out."""
    found = []
    for figure in FIGURES:
        curves = [_curve(figure, model, own) for model, own in by_model(sessions).items()]
        if any(point.n for curve in curves for point in curve.points):
            found += curves
    return found


def _curve(figure: TurnFigure, model: str, sessions: Sequence[SessionResult]) -> TurnCurve:
    reading, possible = measured(figure.key), figure.possible
    return TurnCurve(
        model,
        sessions[0].protocol,
        figure,
        tuple(turn_curve(sessions, reading, possible)),
        final_mean(sessions, reading, possible),
        mean_of_turns(sessions, reading, possible),
    )
