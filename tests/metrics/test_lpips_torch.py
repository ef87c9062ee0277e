from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench.metrics import MetricOptions, load
from convergebench.metrics._lpips_network import Backbone
from convergebench.metrics._lpips_torch import TorchFeatures
from convergebench.types import Pixels


@pytest.mark.usefixtures("lpips_weights")
@pytest.mark.parametrize(("backbone", "name"), [("alex", "lpips_full"), ("vgg", "lpips_vgg_full")])
def test_torch_and_onnx_runtime_give_the_same_lpips(
    backbone: Backbone, name: str, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
) -> None:
    source = textured(80, 96)
    results = [noisy(source, 8), noisy(source, 100), textured(80, 96, seed=4)]
    onnx = load(name, MetricOptions(device="cpu"))
    torch = TorchFeatures(backbone, "cpu")

    by_torch = torch.distances(torch.of([source]) * 3, results)
    by_onnx = onnx.compare([onnx.prepare(source)] * 3, results)

    assert by_torch == pytest.approx(by_onnx, abs=1e-5)
