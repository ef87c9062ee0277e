"""Real autoencoders with tiny weights."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_pipelines
from convergebench.editors.registry import open_editor
from convergebench.editors.vae import reconstructed
from convergebench.engine import Plan, RunLimits, run_plan
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import Case, EditRequest, Misconfigured, Pixels
from late_import import diffusers, torch
from made_pictures import textured

pytestmark = pytest.mark.skipif(find_spec("diffusers") is None, reason="needs the extra diffusers")

ALL = ("autoencoder_kl", "autoencoder_tiny", "autoencoder_qwen")


def saved(name: str, folder: Path) -> Path:
    return tiny_pipelines.save(getattr(tiny_pipelines, name), folder)


def once(spec: str, pixels: Pixels) -> Pixels:
    request = EditRequest((Picture.from_pixels(pixels),), "Add a red ball.", 7)
    return asyncio.run(open_editor(spec).edit(request)).picture.pixels


def by_hand(name: str, folder: Path, pixels: Pixels) -> Pixels:
    """Encoded and decoded as each class's documentation says."""
    batch = torch.from_numpy(pixels.astype(np.float32) / 255 * 2 - 1).permute(2, 0, 1)[None]
    decoded: Any
    with torch.no_grad():
        if name == "autoencoder_kl":
            kl = diffusers.AutoencoderKL.from_pretrained(folder)
            decoded = kl.decode(kl.encode(batch).latent_dist.mean).sample
        elif name == "autoencoder_tiny":
            tiny = diffusers.AutoencoderTiny.from_pretrained(folder)
            decoded = tiny.decode(tiny.encode(batch).latents).sample
        else:
            qwen = diffusers.AutoencoderKLQwenImage.from_pretrained(folder)
            decoded = qwen.decode(qwen.encode(batch.unsqueeze(2)).latent_dist.mean).sample.squeeze(2)
    values = ((decoded[0].permute(1, 2, 0) + 1) / 2 * 255).round().clamp(0, 255)
    return values.numpy().astype(np.uint8)


@pytest.mark.parametrize("name", ALL)
def test_a_picture_is_encoded_and_decoded_as_by_hand(name: str, tmp_path: Path) -> None:
    folder, pixels = saved(name, tmp_path), textured(64, 48)
    difference = once(f"vae:{folder}?device=cpu", pixels).astype(int) - by_hand(name, folder, pixels)
    assert np.abs(difference).max() <= 1


@pytest.mark.parametrize("name", ALL)
def test_an_odd_size_is_the_reflected_picture_cut_off(name: str, tmp_path: Path) -> None:
    folder, pixels = saved(name, tmp_path), textured(61, 43)
    reflected = np.concatenate([pixels, pixels[:, -2:-5:-1]], axis=1)
    reflected = np.concatenate([reflected, reflected[-2:-7:-1]], axis=0)
    got = once(f"vae:{folder}?device=cpu", pixels)
    assert got.shape == pixels.shape
    assert np.abs(got.astype(int) - by_hand(name, folder, reflected)[:43, :61]).max() <= 1


@settings(max_examples=8)
@given(width=st.integers(1, 70), height=st.integers(1, 70))
def test_every_size_is_kept(width: int, height: int) -> None:
    model = tiny_pipelines.autoencoder_tiny()
    pixels = textured(width, height)
    assert reconstructed(model, pixels).shape == pixels.shape


def test_the_autoencoder_of_a_pipeline_is_found_in_its_folder(tmp_path: Path) -> None:
    folder = saved("instruct_pix2pix", tmp_path)
    pixels = textured(64, 48)
    np.testing.assert_array_equal(
        once(f"vae:{folder}?device=cpu", pixels), once(f"vae:{folder / 'vae'}?device=cpu", pixels)
    )


def test_a_class_that_is_no_autoencoder_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"_class_name": "UNet2DConditionModel"}))
    with pytest.raises(Misconfigured, match=r"is a UNet2DConditionModel, .* AutoencoderKL,"):
        once(f"vae:{tmp_path}?device=cpu", textured())


TWO_AT_ONCE = """
import asyncio, sys
import numpy as np
from convergebench.editors import open_editor
from convergebench.picture import Picture
from convergebench.types import EditRequest

async def edit_with_both():
    request = EditRequest((Picture.from_pixels(np.full((16, 16, 3), 90, np.uint8)),), "Add a hat.", 1)
    editors = [open_editor(f"vae:{sys.argv[1]}?dtype={dtype}") for dtype in ("float32", "float16")]
    await asyncio.gather(*(editor.edit(request) for editor in editors))

asyncio.run(edit_with_both())
"""


def test_two_local_models_of_a_run_load_at_once(tmp_path: Path) -> None:
    """In a process that has not imported diffusers yet: one found the other's unfinished import."""
    folder = saved("autoencoder_kl", tmp_path / "weights")
    subprocess.run([sys.executable, "-c", TWO_AT_ONCE, str(folder)], check=True)


def test_a_floor_runs_like_any_editor(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    editor = open_editor(f"vae:{saved('autoencoder_tiny', tmp_path / 'vae')}?device=cpu")
    plan = Plan("tiny@0", round_trip(2), (make_case(),), (editor,), (0,))
    number = workspace.start_run({"suite": "tiny@0"}, "test")
    outcome = asyncio.run(run_plan(plan, workspace, MetricSet(["psnr"]), run=number, limits=RunLimits(2)))
    assert (editor.facts.role, outcome.complete, outcome.edits) == ("floor", 1, 4)
