"""What counts as undone and as kept: faces and moved pictures are seen as a person sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis import Results, Return
from convergebench.analysis.headline.headline_chains import headline_chains
from convergebench.analysis.headline.seen_values import (
    face_distance_of,
    kept_seen,
    rounds_with_faces,
    undid_seen,
)
from convergebench.metrics.face_distance import NO_FACE_IN_RETURN
from convergebench.types import Measurement

shares = st.floats(0, 1)


def values(**measured: float | str) -> dict[str, Measurement]:
    return {
        name: Measurement(name, "1", None, one) if isinstance(one, str) else Measurement(name, "1", one)
        for name, one in measured.items()
    }


def returned(model: str, round: int = 1, **measured: float | str) -> Return:
    return Return(
        model=model, role="model", case="p/glasses", picture="p", pair="glasses", kind="portrait",
        category="accessories", seed=0, round=round, digest=f"{model}{round}", values=values(**measured),
    )  # fmt: skip


def faces_of(*returns: Return) -> frozenset[tuple[str, int]]:
    return rounds_with_faces(Results("suite", 2, (), returns, (), ()))


@pytest.mark.parametrize(
    ("distance", "most"), [(0.0, 1.0), (0.2, 1.0), (0.325, 0.75), (0.45, 0.5), (0.9, 0.5)]
)
def test_the_further_the_face_is_the_less_counts_as_undone(distance: float, most: float) -> None:
    assert undid_seen(values(undid=1.0), distance) == pytest.approx(most)
    assert undid_seen(values(undid=0.3), distance) == 0.3


def test_a_face_that_was_not_found_or_not_measured_costs_nothing() -> None:
    assert face_distance_of(values(undid=0.9, face_distance=NO_FACE_IN_RETURN)) is None
    assert face_distance_of(values(undid=0.9)) is None
    assert undid_seen(values(undid=0.9), None) == 0.9
    assert undid_seen(values(undid="no edit"), 0.0) is None


def test_a_face_counts_until_faces_are_compared_again() -> None:
    found = [0.1, "not measured", 0.9, "not measured", NO_FACE_IN_RETURN, "not measured"]
    chain = [returned("a", round, undid=0.8, face_distance=one) for round, one in enumerate(found, 1)]
    assert undid_by_round(chain) == [0.8, 0.8, 0.5, 0.5, 0.8, 0.8]
    without_third = [returned("b", round, face_distance=0.1) for round in (1, 2, 4, 5, 6)] + [
        returned("b", 3)
    ]
    assert undid_by_round([*chain, *without_third]) == [0.8] * 6


def undid_by_round(returns: Sequence[Return]) -> list[float | None]:
    """Of the first model."""
    first, *_ = headline_chains(Results("suite", 6, (), tuple(returns), (), ()))
    return [one.undid for one in first.rounds]


def test_faces_count_in_a_round_only_if_they_were_compared_for_every_ranked_model() -> None:
    near, far = returned("a", face_distance=0.1), returned("b", face_distance=0.7)
    assert faces_of(near, far) == {("p/glasses", 1)}
    assert faces_of(near, returned("b")) == frozenset()
    assert faces_of(near, returned("b", face_distance="the weights are not there")) == frozenset()
    assert faces_of(near, returned("b", face_distance=NO_FACE_IN_RETURN)) == {("p/glasses", 1)}
    assert faces_of(near, far, returned("a", 2, face_distance=0.1), returned("b", 2)) == {("p/glasses", 1)}
    assert faces_of(near, replace(returned("probe"), role="probe")) == {("p/glasses", 1)}


@given(shares, shares)
def test_a_moved_picture_is_kept_more_than_as_it_is_and_less_than_after_registration(
    one: float, other: float
) -> None:
    as_it_is, registered = sorted([one, other])
    seen = kept_seen(values(kept=as_it_is, kept_registered=registered))
    assert seen is not None and as_it_is - 1e-9 <= seen <= registered + 1e-9


def test_a_picture_that_cannot_be_registered_is_kept_as_it_is() -> None:
    assert kept_seen(values(kept=0.4, kept_registered="not trusted")) == 0.4
    assert kept_seen(values(kept="no rest", kept_registered=0.4)) is None
