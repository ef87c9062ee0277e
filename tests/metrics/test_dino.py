"""DINO's similarity and structure distance against direct computations with transformers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from convergebench.metrics import MetricOptions, MetricSet, MetricUnavailable, load
from convergebench.types import Pixels
from late_import import torch, transformers
from tiny_dino import save_tiny_dino

MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


@pytest.fixture(scope="module")
def tiny_dino(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_dino(tmp_path_factory.mktemp("dino"))


def seen(image: Image.Image) -> torch.Tensor:
    values = torch.from_numpy(np.array(image)).float() / 255
    return ((values - torch.tensor(MEAN)) / torch.tensor(DEVIATION)).permute(2, 0, 1)[None]


@pytest.mark.parametrize("size", [(224, 224), (300, 200), (97, 180)])
def test_the_similarity_is_that_of_the_class_tokens_of_the_centres(
    tiny_dino: Path, size: tuple[int, int], textured: Callable[..., Pixels]
) -> None:
    pictures = [textured(*size), textured(*size, seed=5)]
    model = transformers.ViTModel.from_pretrained(tiny_dino, add_pooling_layer=False).eval()
    tokens = []
    for picture in pictures:
        image = Image.fromarray(picture)
        scale = 256 / min(image.size)
        image = image.resize((int(image.width * scale), int(image.height * scale)), Image.Resampling.BICUBIC)
        left, top = round((image.width - 224) / 2), round((image.height - 224) / 2)
        with torch.no_grad():
            tokens.append(model(seen(image.crop((left, top, left + 224, top + 224)))).last_hidden_state[0, 0])
    metric = load("dino", MetricOptions(dino=str(tiny_dino)))
    (value,) = metric.compare([metric.prepare(pictures[0])], [pictures[1]])
    assert value == pytest.approx(float(torch.nn.functional.cosine_similarity(*tokens, dim=0)), abs=1e-5)
    assert value < 0.9999


def test_the_structure_distance_is_that_of_the_last_layers_keys(
    tiny_dino: Path, textured: Callable[..., Pixels]
) -> None:
    """As PIE-Bench defines it: cosines between the keys of all tokens, their mean squared difference."""
    pictures = [textured(224, 224), textured(224, 224, seed=5)]
    model = transformers.ViTModel.from_pretrained(tiny_dino, add_pooling_layer=False).eval()
    maps = []
    for picture in pictures:
        with torch.no_grad():
            states = model(seen(Image.fromarray(picture)), output_hidden_states=True).hidden_states[-2]
            last = model.layers[-1]
            keys = last.attention.k_proj(last.layernorm_before(states))[0]
        norm = keys.norm(dim=1, keepdim=True)
        maps.append((keys @ keys.T) / (norm @ norm.T))
    metric = load("dino_structure", MetricOptions(dino=str(tiny_dino)))
    (value,) = metric.compare([metric.prepare(pictures[0])], [pictures[1]])
    assert value == pytest.approx(float(((maps[0] - maps[1]) ** 2).mean()), rel=1e-4)
    assert value > 0
    assert metric.compare([metric.prepare(pictures[0])], [pictures[0]]) == [0.0]


def test_giving_weights_asks_for_dinos_metrics_and_other_weights_are_another_version(
    tiny_dino: Path, tmp_path: Path
) -> None:
    with_weights = MetricSet(["psnr"], MetricOptions(dino=str(tiny_dino)))
    assert [one.name for one in with_weights.facts] == ["psnr", "dino", "dino_structure"]
    assert [one.name for one in MetricSet(["psnr"]).facts] == ["psnr"]
    other = MetricSet(["dino"], MetricOptions(dino=str(save_tiny_dino(tmp_path / "other", patch=32))))
    assert other.facts[0].version not in {one.version for one in with_weights.facts}


@pytest.mark.parametrize("wrong", [None, "empty"])
def test_without_weights_it_is_missing_with_advice(wrong: str | None, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MetricUnavailable, match="--dino"):
        load("dino", MetricOptions(dino=wrong and str(tmp_path / wrong)))
