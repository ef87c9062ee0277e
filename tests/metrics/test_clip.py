from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from convergebench.metrics import MetricOptions, MetricUnavailable, load
from convergebench.metrics._clip_halved import TOLERANCE
from convergebench.types import Pixels
from late_import import torch, transformers

SIDE = 56


@pytest.fixture(scope="module")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP with random weights and a normalisation of its own, as transformers saves one."""
    folder = tmp_path_factory.mktemp("clip")
    torch.manual_seed(0)
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = small | {"vocab_size": 9, "bos_token_id": 0, "eos_token_id": 1}
    vision = small | {"image_size": SIDE, "patch_size": 14, "initializer_range": 1.0}
    transformers.CLIPModel(
        transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=24)
    ).save_pretrained(folder)
    transformers.CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, image_mean=[0.3, 0.4, 0.5]
    ).save_pretrained(folder)
    return folder


def directly(folder: Path, source: Pixels, result: Pixels) -> float:
    pictures = [Image.fromarray(each) for each in (source, result)]
    inputs = transformers.CLIPImageProcessorPil.from_pretrained(folder)(images=pictures, return_tensors="pt")
    with torch.no_grad():
        found = transformers.CLIPModel.from_pretrained(folder).get_image_features(**inputs)
    one, other = found.pooler_output
    return float(torch.nn.functional.cosine_similarity(one, other, dim=0))


@pytest.mark.parametrize("size", [(SIDE, SIDE), (90, 200), (301, 77)])
def test_clip_agrees_with_a_direct_call_of_transformers(
    tiny_clip: Path, size: tuple[int, int], textured: Callable[..., Pixels]
) -> None:
    source, result = textured(*size), textured(*size, seed=5)
    metric = load("clip", MetricOptions(clip=str(tiny_clip)))
    (value,) = metric.compare([metric.prepare(source)], [result])
    exact = directly(tiny_clip, source, result)
    assert value == pytest.approx(exact, abs=TOLERANCE)
    assert value < 0.999
    one, other = metric.embedded([source, result])  # type: ignore[attr-defined]
    assert one @ other == pytest.approx(exact, abs=1e-5)


def test_a_batch_gives_what_single_pictures_give(tiny_clip: Path, textured: Callable[..., Pixels]) -> None:
    metric = load("clip", MetricOptions(clip=str(tiny_clip)))
    sources = [textured(60, 70, seed=seed) for seed in range(20)]
    results = [textured(60, 70, seed=100 + seed) for seed in range(20)]
    prepared = [metric.prepare(source) for source in sources]
    one_by_one = [metric.compare([a], [b])[0] for a, b in zip(prepared, results, strict=True)]
    assert metric.compare(prepared, results) == pytest.approx(one_by_one, abs=1e-5)


def test_a_picture_means_the_same_as_itself(tiny_clip: Path, textured: Callable[..., Pixels]) -> None:
    picture = textured(80, 80)
    metric = load("clip", MetricOptions(clip=str(tiny_clip)))
    assert metric.compare([metric.prepare(picture)], [picture]) == pytest.approx([1], abs=1e-6)


def test_weights_that_cannot_be_had_say_what_to_do() -> None:
    with pytest.raises(MetricUnavailable, match=r"weights pull --clip.*openai/clip-vit-large-patch14"):
        load("clip")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MetricUnavailable, match="does not hold a CLIP model"):
        load("clip", MetricOptions(clip=str(tmp_path)))


def test_another_model_is_not_taken_for_clip(tiny_clip: Path, tmp_path: Path) -> None:
    transformers.BertModel(
        transformers.BertConfig(
            hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, vocab_size=9
        )
    ).save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text((tiny_clip / "config.json").read_text())
    (tmp_path / "preprocessor_config.json").write_text((tiny_clip / "preprocessor_config.json").read_text())
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "clip"
    with pytest.raises(MetricUnavailable, match="does not hold a CLIP model"):
        load("clip", MetricOptions(clip=str(tmp_path)))


def test_without_torch_clip_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MetricUnavailable, match=r"convergebench\[torch\]"):
        load("clip")


def test_that_weights_are_not_there_is_known_without_importing_torch(tmp_path: Path) -> None:
    program = f"""
import sys
from convergebench.metrics import MetricOptions, missing_reason
for name in (None, {str(tmp_path)!r}):
    assert missing_reason("clip", MetricOptions(clip=name)), name
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""
    environment = {**os.environ, "HF_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("HF_HUB_CACHE", None)
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
