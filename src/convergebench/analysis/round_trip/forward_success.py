"""Whether the forward edit happened: an editor that does nothing preserves everything, but has not edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.analysis.round_trip.share_matrix import ShareMatrix
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.types import Measurement

NOTHING_CHANGED_DB = 40.0
"""At this PSNR and above, a picture and its edit look the same to a person."""
TOWARDS = 0.07
"""2/√768: two standard deviations of the cosine between two random directions in CLIP's space."""


@dataclass(frozen=True)
class ForwardTest:
    """A test of whether a forward edit happened, from the measurements of its input and its output."""

    metric: str
    """The test can be used if this has a value on any forward edit."""
    says: str
    """What a pass means, for the reader."""
    passes: Callable[[Mapping[str, Measurement]], bool | None]
    """None if unknown."""


def _changed_something(forward: Mapping[str, Measurement]) -> bool | None:
    value = _value(forward, "psnr")
    return None if value is None else value < NOTHING_CHANGED_DB


def _moved_towards(forward: Mapping[str, Measurement]) -> bool | None:
    """By CLIP's direction; if that is undefined, by whether anything changed; unknown if it was not
    measured."""
    value = _value(forward, CLIP_DIRECTION)
    if value is not None:
        return value > TOWARDS
    changed = _changed_something(forward)
    has_no_direction = CLIP_DIRECTION in forward
    return changed if has_no_direction or changed is False else None


TESTS = (
    ForwardTest(
        CLIP_DIRECTION,
        "moved towards the requested edit, by CLIP (without captions, as for flips: changed something)",
        _moved_towards,
    ),
    ForwardTest("psnr", "changed something", _changed_something),
)
"""The best first: where CLIP's direction was measured it decides, else whether anything changed at all."""


@dataclass(frozen=True)
class ForwardSuccess:
    """The success rate of a model's forward edits, by the test that applies to all of its edits."""

    model: str
    says: str | None
    happened: int
    judged: int
    unknown: int

    @property
    def rate(self) -> float | None:
        return self.happened / self.judged if self.judged else None


def forward_test(results: Results) -> ForwardTest | None:
    """The best test that was measured on any forward edit, the same for all models; None if there is none."""
    returned = results.returns if results.table.has_forwards else ()
    edited: tuple[Return | FailedStep, ...] = (*returned, *results.troubles)
    measured = [one for item in edited for one in item.forwards if one]
    for test in TESTS:
        if any(_value(one, test.metric) is not None for one in measured):
            return test
    return None


def forward_success(results: Results) -> dict[str, ForwardSuccess]:
    """For every model with a round whose forward edits exist, whether or not it returned.

    Rounds that were not measured are unknown, not failed.
    """
    test = forward_test(results)
    counts: dict[str, list[bool | None]] = {}
    for model, returns in results.returns_by_model.items():
        if returns.has_forwards:
            counts[model] = [edit_happened(one, test) for one in returns]
        else:
            counts[model] = [None] * len(returns)
    for trouble in results.troubles:
        if trouble.forwards:
            counts.setdefault(trouble.model, []).append(edit_happened(trouble, test))
    return {
        model: ForwardSuccess(
            model,
            test.says if test else None,
            passed.count(True),
            len(passed) - passed.count(None),
            passed.count(None),
        )
        for model, passed in counts.items()
    }


def edit_happened(item: Return | FailedStep, test: ForwardTest | None) -> bool | None:
    """Whether every forward edit of this round happened; None if not measured."""
    passed = [test.passes(one) for one in item.forwards] if test else []
    if False in passed:
        return False
    return None if None in passed or not passed else True


def edits_happened(results: Results, chains: ShareMatrix, test: ForwardTest | None) -> NDArray[np.float64]:
    """1 or 0 for each trajectory (rows, as in the chains) and round (columns, from 1); NaN is unknown."""
    place = {key: row for row, key in enumerate(chains.keys)}
    passed = np.full((len(chains.keys), results.rounds), np.nan)
    for item in results.returns_by_model[chains.model] if test else ():
        happened = edit_happened(item, test)
        passed[place[item.case, item.seed], item.round - 1] = np.nan if happened is None else happened
    return passed


def _value(measured: Mapping[str, Measurement], metric: str) -> float | None:
    return measured[metric].value if metric in measured else None
