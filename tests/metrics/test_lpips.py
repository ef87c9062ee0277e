from __future__ import annotations

import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convergebench.kernels import convolution
from convergebench.metrics import MetricOptions, MetricUnavailable, NotMeasurable, load, packaged_weights
from convergebench.metrics._lpips_compiled import CompiledFeatures
from convergebench.metrics._lpips_onnx import OnnxFeatures
from convergebench.packaged_files import cache_folder
from convergebench.picture import Picture
from convergebench.types import Pixels
from faults.damage import delete, flip_a_bit, truncate
from lpips_definition import by_definition, squared

CPU = MetricOptions(device="cpu")


def ours(name: str, source: Pixels, *results: Pixels) -> list[float]:
    metric = load(name, CPU)
    return metric.compare([metric.prepare(source)] * len(results), results)


@pytest.mark.usefixtures("lpips_weights")
class TestLpips:
    @pytest.mark.parametrize(
        ("name", "file"), [("lpips_full", "alexnet.ckpt"), ("lpips_vgg_full", "vgg16.ckpt")]
    )
    @pytest.mark.parametrize("size", [(64, 64), (75, 131)])
    def test_lpips_equals_its_definition_in_torch(
        self,
        name: str,
        file: str,
        size: tuple[int, int],
        textured: Callable[..., Pixels],
        noisy: Callable[..., Pixels],
    ) -> None:
        source = textured(*size)
        results = [noisy(source, 10), noisy(source, 90), textured(*size, seed=9)]
        expected = [by_definition(file, source, result) for result in results]
        assert ours(name, source, *results) == pytest.approx(expected, abs=1e-5)

    @pytest.mark.parametrize(("name", "full"), [("lpips", "lpips_full"), ("lpips_vgg", "lpips_vgg_full")])
    def test_lpips_looks_at_256_by_256_pixels(
        self, name: str, full: str, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
    ) -> None:
        source = textured(300, 420)
        result = noisy(source, 60)
        expected = ours(full, squared(source), squared(result))
        assert ours(name, source, result) == pytest.approx(expected, abs=1e-6)

    def test_a_picture_is_at_no_distance_from_itself(self, textured: Callable[..., Pixels]) -> None:
        picture = textured(90, 100)
        assert ours("lpips", picture, picture) == [0]

    def test_a_black_picture_has_a_distance_that_is_a_number(self, textured: Callable[..., Pixels]) -> None:
        picture = textured(64, 64)
        (value,) = ours("lpips_full", np.zeros_like(picture), picture)
        assert 0 < value < 2

    def test_results_of_different_sizes_in_one_batch_keep_their_order(
        self, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
    ) -> None:
        metric = load("lpips_full", CPU)
        sources = [textured(*size) for size in [(64, 80), (50, 50), (64, 80)]]
        results = [noisy(source, size) for source, size in zip(sources, (80, 40, 5), strict=True)]
        prepared = [metric.prepare(source) for source in sources]
        one_by_one = [metric.compare([a], [b])[0] for a, b in zip(prepared, results, strict=True)]
        assert metric.compare(prepared, results) == pytest.approx(one_by_one, abs=1e-6)

    def test_a_picture_too_small_for_the_network_is_not_measurable(self) -> None:
        with pytest.raises(NotMeasurable, match="at least 32 pixels"):
            load("lpips_full", CPU).prepare(np.zeros((31, 90, 3), np.uint8))

    @pytest.mark.skipif("CONVERGEBENCH_REFERENCE" not in os.environ, reason="needs the authors' pictures")
    @pytest.mark.parametrize(
        ("name", "expected"), [("lpips_full", (0.7219, 0.1376)), ("lpips_vgg_full", (0.5686, 0.4217))]
    )
    def test_the_authors_example_gives_the_published_values(
        self, name: str, expected: tuple[float, float]
    ) -> None:
        folder = Path(os.environ["CONVERGEBENCH_REFERENCE"])
        ref, p0, p1 = (
            Picture.from_file(folder / f"lpips_ex_{each}.png").pixels for each in ("ref", "p0", "p1")
        )
        assert ours(name, ref, p0, p1) == pytest.approx(expected, abs=5e-5)


@pytest.mark.usefixtures("lpips_weights")
@pytest.mark.parametrize("damage", [flip_a_bit, truncate, delete])
def test_a_graph_in_the_cache_that_is_damaged_is_built_again(
    damage: Callable[[Path, random.Random], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    textured: Callable[..., Pixels],
) -> None:
    (tmp_path / "files").symlink_to(cache_folder() / "files")
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    picture = textured(64, 64)
    expected = OnnxFeatures("alex").of([picture])[0]
    (graph,) = (tmp_path / "graphs").glob("lpips_alex*.onnx")
    whole = graph.read_bytes()
    damage(graph, random.Random(3))
    for found, tap in zip(OnnxFeatures("alex").of([picture])[0], expected, strict=True):
        assert np.array_equal(found, tap)
    assert graph.read_bytes() == whole


@pytest.mark.skipif(not convolution.available(), reason="needs a processor with AVX2, and a compiler")
@pytest.mark.usefixtures("lpips_weights")
@pytest.mark.parametrize("size", [(256, 256), (75, 131)])
def test_both_networks_on_a_cpu_give_the_same_distances_and_maps(
    size: tuple[int, int], textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
) -> None:
    source, compiled, onnx = textured(*size), CompiledFeatures("alex"), OnnxFeatures("alex")
    for result in (noisy(source, 3), noisy(source, 90), textured(*size, seed=9)):
        of_source = compiled.of([source])
        expected = onnx.distances(onnx.of([source]), [result])
        assert compiled.distances(of_source, [result]) == pytest.approx(expected, abs=1e-6)
        maps = onnx.maps(onnx.of([source])[0], result)
        for one, other in zip(compiled.maps(of_source[0], result), maps, strict=True):
            assert one == pytest.approx(other, abs=2e-5)


def test_without_weights_lpips_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    with pytest.raises(MetricUnavailable, match="convergebench weights pull"):
        load("lpips", CPU)


def test_weights_that_would_run_something_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    for file in packaged_weights():
        file.path.parent.mkdir(exist_ok=True)
        file.path.write_bytes(pickle.dumps(Malicious(tmp_path / "ran")))
    with pytest.raises(MetricUnavailable, match="damaged"):
        load("lpips", CPU)
    assert not (tmp_path / "ran").exists()


class Malicious:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def test_the_means_of_the_maps_add_up_to_lpips() -> None:
    from convergebench.metrics._lpips_map import lpips_with

    source, result = (
        np.random.default_rng(seed).integers(0, 256, (256, 256, 3), np.uint8) for seed in (1, 2)
    )
    maps = lpips_with(CPU)(source)(result)
    metric = load("lpips_full", CPU)
    (whole,) = metric.compare([metric.prepare(source)], [result])
    assert sum(float(one.mean()) for one in maps) == pytest.approx(whole, rel=1e-5)
    assert [one.shape for one in maps] == [(63, 63), (31, 31), (15, 15), (15, 15), (15, 15)]
