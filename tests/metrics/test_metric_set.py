from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from convergebench import kernels
from convergebench.errors import WrongUse
from convergebench.metrics import MetricOptions, MetricSet, facts, load, metric_set, ssim
from convergebench.picture import Picture
from convergebench.types import Measurement, PictureFacts, Pixels

Make = Callable[..., Pixels]


def value_of(name: str, source: Pixels, result: Pixels) -> float:
    metric = load(name)
    return metric.compare([metric.prepare(source)], [result])[0]


def test_every_pair_gets_every_metric_in_order(textured: Make, noisy: Make) -> None:
    source = textured(180, 200)
    results = [noisy(source, size) for size in (5, 60)]
    rows = MetricSet(["psnr", "ssim"]).measure([(picture(source), picture(each)) for each in results])
    for row, result in zip(rows, results, strict=True):
        assert row == {
            "psnr": Measurement("psnr", "1", value_of("psnr", source, result)),
            "ssim": Measurement("ssim", "1", value_of("ssim", source, result)),
        }


def test_a_result_of_another_size_is_resized_to_the_reference_with_lanczos(textured: Make) -> None:
    source, result = textured(90, 120), textured(200, 150, seed=2)
    (row,) = MetricSet(["psnr"]).measure([(picture(source), picture(result))])
    resized = np.asarray(Image.fromarray(result).resize((120, 90), Image.Resampling.LANCZOS))
    assert row["psnr"].value == value_of("psnr", source, resized)


def test_a_picture_too_small_for_one_metric_is_missing_there_alone(textured: Make, noisy: Make) -> None:
    small, large = textured(100, 100), textured(170, 170)
    pairs = [(picture(each), picture(noisy(each, 9))) for each in (large, small, large)]
    rows = MetricSet(["ms_ssim", "ssim"]).measure(pairs)
    assert [row["ms_ssim"].value is None for row in rows] == [False, True, False]
    assert (
        rows[1]["ms_ssim"].missing
        == "MS-SSIM needs at least 161 pixels on each side; this picture has 100 × 100"
    )
    assert all(row["ssim"].value is not None for row in rows)


def test_an_unavailable_metric_is_missing_with_its_reason_and_the_others_stand(
    textured: Make, tmp_path: Path
) -> None:
    source = picture(textured(40, 40))
    options = MetricOptions(clip=str(tmp_path))
    (row,) = MetricSet(["clip", "psnr"], options).measure([(source, source)])
    assert row["clip"].value is None
    assert row["clip"].version == facts("clip", options).version
    assert "does not hold a CLIP model" in (row["clip"].missing or "")
    assert row["psnr"] == Measurement("psnr", "1", math.inf)


def test_a_damaged_result_is_missing_for_that_pair_alone(textured: Make) -> None:
    source = picture(textured(40, 40))
    damaged = Picture(PictureFacts("0" * 64, 40, 40, "image/png"), encoded=source.encoded[:200])
    rows = MetricSet(["psnr", "ssim"]).measure([(source, damaged), (source, source)])
    assert [(one.value, "damaged" in (one.missing or "")) for one in rows[0].values()] == [(None, True)] * 2
    assert rows[1]["psnr"].value == math.inf


def test_threads_measure_together_as_one_would_alone(textured: Make, noisy: Make) -> None:
    sources = [textured(180, 170, seed=seed) for seed in range(4)]
    pairs = [(picture(source), picture(noisy(source, size))) for source in sources for size in (3, 30)]
    names = ["psnr", "ssim", "ms_ssim"]
    alone = MetricSet(names).measure(pairs)
    shared = MetricSet(names, sources=2)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: shared.measure([pair])[0], pairs))
    assert together == alone


def test_metrics_that_share_a_value_measure_as_each_would_alone(textured: Make, noisy: Make) -> None:
    still = textured(180, 170)
    moved = np.ascontiguousarray(np.roll(still, 3, axis=1))
    pairs = [(picture(still), picture(noisy(each, 4))) for each in (still, moved)]
    together = MetricSet(["ssim", "geometry"]).measure(pairs)
    alone = zip(MetricSet(["ssim"]).measure(pairs), MetricSet(["geometry"]).measure(pairs), strict=True)
    assert together == [ssim | geometry for ssim, geometry in alone]
    assert together[0]["ssim"].value == together[0]["ssim_registered"].value
    assert together[1]["ssim"].value != together[1]["ssim_registered"].value


@pytest.mark.skipif(not kernels.available(), reason="nothing is shared without compiled loops")
def test_a_batch_that_is_divided_among_threads_computes_shared_values_once(
    textured: Make, noisy: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Pixels] = []

    def counted(*pictures: Pixels) -> float:
        made.append(pictures[1])
        return 1.0

    monkeypatch.setattr(ssim, "_total", counted)
    source = textured(64, 60)
    pairs = [(picture(source), picture(noisy(source, 2))) for _ in range(metric_set.BATCH + 3)]
    MetricSet(["ssim", "geometry"]).measure(pairs)
    assert len(made) == len(pairs)


def test_no_pairs_give_no_rows() -> None:
    assert MetricSet(["psnr", "lpips"]).measure([]) == []


def test_an_unknown_metric_is_refused_before_anything_is_measured() -> None:
    with pytest.raises(WrongUse, match="did you mean ssim"):
        MetricSet(["psnr", "mssim"])


def picture(pixels: Pixels) -> Picture:
    return Picture.from_pixels(pixels)
