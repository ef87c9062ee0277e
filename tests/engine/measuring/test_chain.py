"""The items that a chain gives to be measured."""

from __future__ import annotations

import numpy as np
import pytest

from convergebench.engine.measuring.chain import ChainMeasurements
from convergebench.engine.measuring.items import KINDS, Kind
from convergebench.engine.measuring.measurers import Measurers
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Step


def pictures(count: int) -> list[Picture]:
    return [Picture.from_pixels(np.full((8, 8, 3), level, np.uint8)) for level in range(count)]


def offered(kinds: frozenset[Kind]) -> list[Kind]:
    """The kinds of all items of two rounds."""
    source, *made = pictures(5)
    chain = ChainMeasurements(
        source, {"backward"}, "lamp", "object", rounds=2, is_portrait=False, kinds=kinds
    )
    found: list[Kind] = []
    for position, picture in enumerate(made):
        role = "backward" if position % 2 else "forward"
        step = Step(position, role, position // 2 + 1, "Add a lamp.", 0, (), picture.facts, 1.0, None, 1)
        found += [kind for kind, _ in chain.of_step(step, picture)]
    return found


def test_without_a_kind_the_others_stay_the_same() -> None:
    everything = offered(KINDS)
    assert {"returns", "changes", "directions", "regions"} <= set(everything)
    for absent in ("regions", "directions"):
        assert offered(KINDS - {absent}) == [kind for kind in everything if kind != absent]


@pytest.mark.parametrize(
    ("metrics", "absent"),
    [(["psnr"], {"regions", "directions"}), (["clip"], {"regions"}), (["regions"], {"directions"})],
)
def test_only_kinds_of_which_nothing_is_measured_are_absent(
    workspace: Workspace, metrics: list[str], absent: set[Kind]
) -> None:
    assert Measurers.of(MetricSet(metrics), workspace.pictures).kinds == KINDS - absent
