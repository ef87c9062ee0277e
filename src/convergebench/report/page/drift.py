"""The drift of each model's pictures, by round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from convergebench.analysis import Results
from convergebench.analysis.round_trip.drift_kinds import DRIFT_KINDS
from convergebench.analysis.round_trip.drift_profile import RoundProfile, drift_profile


def drift_section(results: Results, models: Iterable[str]) -> dict[str, Any]:
    """The kinds of drift, and every model's profile; a model without drift values has no rounds."""
    known = results.roles()
    return {
        "ways": [{"name": way.name, "group": way.group, "noticeable": way.noticeable} for way in DRIFT_KINDS],
        "models": [
            [_round(profile) for profile in drift_profile(results, model)] if model in known else []
            for model in models
        ],
    }


def _round(profile: RoundProfile) -> dict[str, Any]:
    return {
        "round": profile.round,
        "sentence": profile.sentence,
        "drifts": {
            name: {
                "noticed": drift.noticed,
                "amount": drift.amount,
                "words": drift.words,
                "noticing": drift.noticing,
                "n": drift.n,
            }
            for name, drift in profile.drifts.items()
        },
    }
