from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from convergebench.metrics import (
    Metric,
    MetricOptions,
    MetricUnavailable,
    facts,
    load,
    packaged_weights,
)
from convergebench.metrics._dists_network import OnnxDistsFeatures
from convergebench.metrics._gpu.reader import GpuReader
from convergebench.metrics._reader import PixelPair
from convergebench.metrics.base import Result
from convergebench.metrics.dists import Dists
from convergebench.packaged_files import PackagedFile, fetch
from convergebench.picture import Picture
from convergebench.types import Pixels
from late_import import functional, torch

CONVOLUTIONS = (2, 2, 3, 3, 3)
"""Of VGG16, before each of its stages' ends."""

PUBLISHED = {
    # What IQA-PyTorch gives as the official values of calibration pairs, one far, one near and one nearer,
    # and the distorted pictures.
    "I03": (0.4742, "bb817e7fef614dcc12b3a99af33ce3d201bc4d56c4827254c0bcc4fa6ea11151"),
    "I04": (0.1424, "f3d685983aacd76b2c131579ea60cee345205a1169a4bd2ff5f3039ecf81729e"),
    "I08": (0.0287, "8ad39042d7e17d6c96ecfd8c4b9f0e98c803b303a92d368ef57bc9c3c40f5330"),
}
REFERENCES = {
    "I03": "28441215ca5b6358e6267717250a02eeec4fa5ef73ae454870b8426320f980a8",
    "I04": "c8500941a30397bc9e613a297e1286bdb955f49926148f58e7963d6e82b03c9f",
    "I08": "b5d6738ece811f45f43c5bce425ad5d18d5c78466989001fe1129fcdd08efdab",
}


def by_definition(source: Sequence[torch.Tensor], result: Sequence[torch.Tensor]) -> float:
    """DISTS as its paper has it, in 64 bits: how alike means and structure of every channel are."""
    alpha, beta = importance()
    similarity, first = torch.zeros((), dtype=torch.float64), 0
    for x, y in zip(source, result, strict=True):
        channels = slice(first, first + x.shape[0])
        first = channels.stop
        mean_x, mean_y = x.mean((1, 2)), y.mean((1, 2))
        covariance = (x * y).mean((1, 2)) - mean_x * mean_y
        variances = x.var((1, 2), correction=0) + y.var((1, 2), correction=0)
        similarity += alpha[channels] @ ((2 * mean_x * mean_y + 1e-6) / (mean_x**2 + mean_y**2 + 1e-6))
        similarity += beta[channels] @ ((2 * covariance + 1e-6) / (variances + 1e-6))
    return float(1 - similarity / (alpha.sum() + beta.sum()))


def importance() -> tuple[torch.Tensor, torch.Tensor]:
    stored = torch.load(weights_called("weights.pt"), weights_only=True)
    return stored["alpha"].ravel().double(), stored["beta"].ravel().double()


def stages(pixels: Pixels) -> list[torch.Tensor]:
    picture = torch.from_numpy(pixels.astype(np.float64) / 255).permute(2, 0, 1)
    mean, deviation = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    value = (picture - mean.view(3, 1, 1)) / deviation.view(3, 1, 1)
    found, number = [picture], 0
    for stage, convolutions in enumerate(CONVOLUTIONS):
        if stage:
            window = torch.tensor([1.0, 2.0, 1.0], dtype=torch.float64)
            kernel = (torch.outer(window, window) / 16).view(1, 1, 3, 3)
            value = functional.conv2d(value[:, None] ** 2, kernel, stride=2, padding=1)[:, 0].sqrt()
        for _ in range(convolutions):
            layer = vgg_layers()[f"Conv_{number}"]
            kernel = torch.from_numpy(layer["kernel"]).permute(3, 2, 0, 1).double()
            bias = torch.from_numpy(layer["bias"]).double()
            value = functional.conv2d(value, kernel, bias, padding=1).relu()
            number += 1
        found.append(value)
    return found


@cache
def vgg_layers() -> dict[str, dict[str, NDArray[np.float32]]]:
    content = weights_called("vgg16.ckpt").read_bytes()
    tree = pickle.loads(content.replace(b"numpy.core.multiarray", b"numpy._core.multiarray"))
    layers: dict[str, dict[str, NDArray[np.float32]]] = tree["VGG16_0"]
    return layers


def weights_called(name: str) -> Path:
    return next(file.path for file in packaged_weights("dists") if file.member.endswith(name))


@cache
def loaded(name: str) -> Metric:
    return load(name)


def ours(name: str, source: Pixels, *results: Pixels) -> list[float]:
    metric = loaded(name)
    return metric.compare([metric.prepare(source)] * len(results), results)


@pytest.fixture(scope="module")
def calibration_pairs() -> dict[str, tuple[Pixels, Pixels]]:
    def files(folder: str, digests: dict[str, str]) -> dict[str, PackagedFile]:
        return {
            name: PackagedFile("pyiqa==0.1.16", f"ResultsCalibra/{folder}/{name}.bmp", digest)
            for name, digest in digests.items()
        }

    references = files("ref_dir", REFERENCES)
    distorted = files("dist_dir", {name: digest for name, (_, digest) in PUBLISHED.items()})
    fetch([*references.values(), *distorted.values()])
    return {
        name: (
            Picture.from_file(references[name].path).pixels,
            Picture.from_file(distorted[name].path).pixels,
        )
        for name in PUBLISHED
    }


@pytest.mark.usefixtures("dists_weights")
class TestDists:
    @pytest.mark.parametrize("name", PUBLISHED)
    def test_dists_has_the_published_value(
        self, name: str, calibration_pairs: dict[str, tuple[Pixels, Pixels]]
    ) -> None:
        source, result = calibration_pairs[name]
        assert ours("dists_full", source, result) == pytest.approx([PUBLISHED[name][0]], abs=1e-4)

    @pytest.mark.parametrize("size", [(39, 53)])
    def test_dists_equals_its_definition_in_torch(
        self, size: tuple[int, int], textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
    ) -> None:
        source = textured(*size)
        results = [noisy(source, 30), textured(*size, seed=9), np.zeros_like(source)]
        of_source = stages(source)
        expected = [by_definition(of_source, stages(result)) for result in results]
        assert ours("dists_full", source, *results) == pytest.approx(expected, abs=1e-5)

    def test_both_networks_on_a_cpu_give_the_same_distance(
        self, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
    ) -> None:
        metric = load("dists_full")
        assert isinstance(metric, Dists)
        by_onnx = replace(metric, features=OnnxDistsFeatures())
        source = textured(75, 131)
        for result in (noisy(source, 5), textured(75, 131, seed=9)):
            expected = by_onnx.compare([by_onnx.prepare(source)], [result])
            assert metric.compare([metric.prepare(source)], [result]) == pytest.approx(expected, abs=1e-6)

    @pytest.mark.parametrize(("name", "tolerance"), [("dists", 5e-4), ("dists_full", 1e-5)])
    def test_on_a_gpu_it_gives_what_it_gives_without(
        self, name: str, tolerance: float, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
    ) -> None:
        source = textured(270, 300)
        results = [noisy(source, 5), textured(270, 300, seed=9), source]
        digest = Picture.from_pixels(source).digest
        reader = GpuReader((facts(name),), MetricOptions(device="cpu"), device="cpu")
        rows = reader.read([PixelPair(digest, source, Result(one, (300, 270))) for one in results])
        found = [row[name] for row in rows if not isinstance(row, str)]
        assert found == pytest.approx(ours(name, source, *results), abs=tolerance)

    @pytest.mark.parametrize(("size", "fitted"), [((300, 420), (256, 358))])
    def test_dists_looks_at_pictures_whose_shorter_side_is_256(
        self,
        size: tuple[int, int],
        fitted: tuple[int, int],
        textured: Callable[..., Pixels],
        noisy: Callable[..., Pixels],
    ) -> None:
        source = textured(*size)
        result = noisy(source, 60)
        expected = ours("dists_full", resized(source, *fitted), resized(result, *fitted))
        assert ours("dists", source, result) == pytest.approx(expected, abs=1e-6)

    def test_a_picture_that_is_smaller_already_is_taken_as_it_is(
        self, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
    ) -> None:
        source = textured(90, 300)
        assert ours("dists", source, noisy(source, 60)) == ours("dists_full", source, noisy(source, 60))

    @pytest.mark.parametrize("size", [(90, 100), (1, 1)])
    def test_a_picture_is_at_no_distance_from_itself(
        self, size: tuple[int, int], textured: Callable[..., Pixels]
    ) -> None:
        picture = textured(*size)
        assert ours("dists_full", picture, picture) == [0]


def test_without_weights_dists_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    with pytest.raises(MetricUnavailable, match="convergebench weights pull"):
        load("dists")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a checkpoint",
        pickle.dumps({"alpha": [0.1], "beta": [0.2]}),
        b"cos\nmkdir\n(Vran\ntR.",  # a pickle that makes a folder
    ],
)
def test_damaged_or_malicious_weights_are_refused(
    content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for file in packaged_weights("dists"):
        file.path.parent.mkdir(exist_ok=True)
        file.path.write_bytes(content)
    with pytest.raises(MetricUnavailable, match="damaged"):
        load("dists")
    assert not (tmp_path / "ran").exists()


def resized(pixels: Pixels, height: int, width: int) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR))
