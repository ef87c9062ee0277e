"""Half the bits, where they are as good; on any processor, since torch computes bfloat16 on all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from convergebench.metrics import _clip_halved as halving
from convergebench.metrics._clip_tower import ClipTower
from convergebench.metrics.clip import read_model
from late_import import torch
from tiny_clip import save_tiny_clip


@pytest.fixture(scope="module")
def tower(tmp_path_factory: pytest.TempPathFactory) -> ClipTower:
    folder = tmp_path_factory.mktemp("clip")
    save_tiny_clip(folder)
    return ClipTower(read_model(str(folder)))


@pytest.fixture(autouse=True)
def a_processor_with_bfloat16(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True, "cpu_name": "any"})


def test_half_the_bits_are_used_where_the_values_stay_within_the_tolerance(tower: ClipTower) -> None:
    halved = halving.halved_if_as_good(tower, "weights")
    assert halved is not tower
    assert 0 < halving.difference(tower, halved) <= halving.TOLERANCE


def test_weights_that_lose_more_than_that_keep_all_bits(
    tower: ClipTower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halving, "TOLERANCE", 0.0)
    assert halving.halved_if_as_good(tower, "weights") is tower


def test_a_processor_without_the_instructions_keeps_all_bits(
    tower: ClipTower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": False})
    assert halving.halved_if_as_good(tower, "weights") is tower


def test_it_is_tried_once_for_these_weights(tower: ClipTower, tmp_path: Path) -> None:
    halving.halved_if_as_good(tower, "weights")
    (record,) = (tmp_path / "clip").iterdir()
    record.write_text("0.5")
    assert halving.halved_if_as_good(tower, "weights") is tower
    assert halving.halved_if_as_good(tower, "others") is not tower


def test_a_cache_that_cannot_be_written_is_no_obstacle(tower: ClipTower, tmp_path: Path) -> None:
    (tmp_path / "clip").write_text("a file where the folder would be")
    assert halving.halved_if_as_good(tower, "weights") is not tower
