"""The GPU's forms of the metrics, run on torch's CPU device and held against the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from convergebench.metrics import MetricOptions, MetricSet, expand, facts
from convergebench.metrics._gpu.reader import GpuReader
from convergebench.metrics._reader import PixelPair
from convergebench.metrics.base import Reading, Result
from convergebench.picture import Picture
from convergebench.types import Pixels
from tiny_clip import save_tiny_clip

Make = Callable[..., Pixels]
CPU = MetricOptions(device="cpu")
TOLERANCES = {"psnr": 1e-9, "ssim": 1e-6, "ms_ssim": 1e-5, "lpips": 5e-4, "lpips_full": 1e-5, "clip": 1e-3}
"""As docs/metrics.md states them."""


def on_gpu(
    names: Sequence[str], pairs: Sequence[tuple[Pixels, Pixels]], options: MetricOptions = CPU
) -> list[dict[str, Reading]]:
    reader = GpuReader(tuple(facts(name, options) for name in names), options, device="cpu")
    return [dict(row) for row in reader.read([pair(*each) for each in pairs]) if not isinstance(row, str)]


def pair(source: Pixels, result: Pixels) -> PixelPair:
    return PixelPair(Picture.from_pixels(source).digest, source, Result(result, result.shape[1::-1]))


def by_ruler(
    names: Sequence[str], pairs: Sequence[tuple[Pixels, Pixels]], options: MetricOptions = CPU
) -> list[dict[str, float | str | None]]:
    rows = MetricSet(names, options).measure(
        [(Picture.from_pixels(a), Picture.from_pixels(b)) for a, b in pairs]
    )
    return [{m.metric: m.missing if m.value is None else m.value for m in row.values()} for row in rows]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> MetricOptions:
    return MetricOptions(clip=str(save_tiny_clip(tmp_path_factory.mktemp("clip"))), device="cpu")


@pytest.mark.usefixtures("lpips_weights")
def test_every_metric_gives_what_it_gives_without_a_gpu(
    textured: Make, noisy: Make, clip: MetricOptions
) -> None:
    sizes = [(163, 200), (256, 256), (300, 170)]
    sources = [textured(*size, seed=number) for number, size in enumerate(sizes)]
    pairs = [(source, noisy(source, level)) for source in sources for level in (2, 20, 90)]
    pairs.append((sources[0], textured(*sizes[0], seed=9)))
    for ours, others in zip(
        on_gpu(list(TOLERANCES), pairs, clip), by_ruler(list(TOLERANCES), pairs, clip), strict=True
    ):
        for name, tolerance in TOLERANCES.items():
            assert ours[name] == pytest.approx(others[name], abs=tolerance), name


FAMILIES = {"geometry": 2e-2, "colour": 2e-3, "detail": 5e-3, "visibility": 1e-3}
"""Relative where values are above 1. As docs/metrics.md states them."""


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_gives_what_it_gives_without_a_gpu(textured: Make, noisy: Make, family: str) -> None:
    sizes = [(163, 200), (256, 256), (30, 40), (9, 8)]
    sources = [textured(*size, seed=number) for number, size in enumerate(sizes)]
    grey = np.full((64, 64, 3), 128, np.uint8)
    pairs = [(source, noisy(source, level)) for source in sources for level in (2, 20, 90)]
    pairs += [(sources[0], textured(*sizes[0], seed=9)), (sources[1], 255 - sources[1])]
    pairs += [(grey, noisy(grey, 3)), (sources[0], sources[0]), (sources[1], sources[1] // 2 + 60)]
    names = expand([family])
    for ours, others in zip(on_gpu(names, pairs), by_ruler(names, pairs), strict=True):
        for name in names:
            expected = others[name]
            if isinstance(expected, str):
                assert ours[name] == expected
            else:
                within = FAMILIES[family] * max(1, abs(expected or 0))
                assert ours[name] == pytest.approx(expected, abs=within), name


def test_a_picture_that_is_too_small_for_detail_has_the_same_reason(textured: Make) -> None:
    small = textured(7, 30)
    (ours,), (others,) = (on(["noise"], [(small, small)]) for on in (on_gpu, by_ruler))
    assert ours == others


def test_members_of_a_family_that_were_not_chosen_are_not_read(textured: Make) -> None:
    picture = textured(40, 40)
    measured = MetricSet(["delta_e"], CPU).measure([(Picture.from_pixels(picture),) * 2])
    assert list(measured[0]) == ["delta_e"]


def test_equal_pictures_are_perfect(textured: Make) -> None:
    picture = textured(170, 190)
    (row,) = on_gpu(["psnr", "ssim", "ms_ssim"], [(picture, picture)])
    assert row == {"psnr": math.inf, "ssim": 1, "ms_ssim": pytest.approx(1, abs=1e-6)}


@pytest.mark.parametrize("low", [0, 100, 252])
def test_ssim_keeps_its_digits_in_flat_pictures(low: int) -> None:
    random = np.random.default_rng(low)
    source, result = random.integers(low, low + 4, (2, 64, 50, 3), dtype=np.uint8)
    (ours,), (others,) = on_gpu(["ssim"], [(source, result)]), by_ruler(["ssim"], [(source, result)])
    assert ours["ssim"] == pytest.approx(others["ssim"], abs=1e-6)


@pytest.mark.usefixtures("lpips_weights")
def test_what_is_too_small_for_one_metric_is_missing_there_with_the_same_reason(
    textured: Make, noisy: Make
) -> None:
    small = textured(20, 30)
    names = ["psnr", "ssim", "ms_ssim", "lpips_full"]
    (ours,), (others,) = (
        on_gpu(names, [(small, noisy(small, 5))]),
        by_ruler(names, [(small, noisy(small, 5))]),
    )
    assert isinstance(ours["ssim"], float)
    assert {name: ours[name] for name in names[2:]} == {name: others[name] for name in names[2:]}


def test_a_metric_without_weights_is_missing_and_the_others_stand(textured: Make, tmp_path: Path) -> None:
    picture = textured(40, 40)
    options = MetricOptions(clip=str(tmp_path), device="cpu")
    reader = GpuReader((facts("clip", options), facts("psnr")), options, device="cpu")
    (row,) = reader.read([pair(picture, picture)])
    assert not isinstance(row, str)
    assert row["psnr"] == math.inf
    assert "does not hold a CLIP model" in str(row["clip"])
    assert (reader.is_available("psnr"), reader.is_available("clip")) == (True, False)


def test_a_pair_that_cannot_be_read_keeps_its_reason_and_its_place(textured: Make, noisy: Make) -> None:
    source = textured(40, 40)
    reader = GpuReader((facts("psnr"),), CPU, device="cpu")
    first, second, third = reader.read([pair(source, source), "damaged", pair(source, noisy(source, 9))])
    assert (first, second) == ({"psnr": math.inf}, "damaged")
    assert not isinstance(third, str)
    assert third["psnr"] == pytest.approx(by_ruler(["psnr"], [(source, noisy(source, 9))])[0]["psnr"])


def test_the_pixels_of_a_source_are_kept_once_for_all_metrics(textured: Make, noisy: Make) -> None:
    source = textured(60, 50)
    names = ["psnr", "ssim", *expand(["colour"])]
    reader = GpuReader(tuple(facts(name) for name in names), CPU, device="cpu")
    rows = [reader.read([pair(source, noisy(source, level))])[0] for level in (3, 30)]
    kept = reader._sources.find(pair(source, source).source)
    assert kept is not None
    assert kept["psnr"][0] is kept["ssim"][0] is kept["colour"][0]
    for row, level in zip(rows, (3, 30), strict=True):
        (alone,) = on_gpu(names, [(source, noisy(source, level))])
        assert row == alone


def test_ssim_of_whole_pictures_is_computed_once_for_all_metrics(
    textured: Make, noisy: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from convergebench.metrics._gpu import fidelity

    calls = []
    totals = fidelity._totals

    def counted(source: object, result: object) -> object:
        calls.append(source)
        return totals(source, result)  # type: ignore[arg-type]

    monkeypatch.setattr(fidelity, "_totals", counted)
    source = textured(90, 80)
    (row,) = on_gpu(["ssim", "ssim_registered"], [(source, noisy(source, 5))])
    assert row["ssim_registered"] == pytest.approx(row["ssim"], abs=1e-12)
    assert len(calls) == 1
