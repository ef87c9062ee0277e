from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from made_pictures import textured

Cli = Callable[..., Any]


def test_values_are_those_of_scikit_image(cli: Cli, pictures: Path) -> None:
    source, other = pictures / "anna.png", pictures / "lake.png"
    (measured,) = cli("measure", source, other, "--metric", "psnr,ssim", "--json").json
    one, two = (np.asarray(Image.open(path)) for path in (source, other))
    assert measured["picture"] == str(other)
    assert measured["metrics"]["psnr"]["value"] == pytest.approx(peak_signal_noise_ratio(one, two))
    expected = structural_similarity(one, two, channel_axis=2, data_range=255)
    assert measured["metrics"]["ssim"]["value"] == pytest.approx(expected, abs=1e-6)


def test_several_pictures_are_measured_and_another_size_is_told(
    cli: Cli, pictures: Path, tmp_path: Path
) -> None:
    Image.fromarray(textured(width=32, height=24)).save(tmp_path / "small.png")
    ended = cli(
        "measure", pictures / "anna.png", pictures / "anna.png", tmp_path / "small.png", "--metric", "psnr"
    )
    assert ended.code == 0
    assert "inf dB" in ended.out
    assert "(resized from 32 × 24)" in " ".join(ended.out.split())


def test_a_perfect_psnr_is_inf_in_json(cli: Cli, pictures: Path) -> None:
    same = cli("measure", pictures / "anna.png", pictures / "anna.png", "--metric", "psnr", "--json")
    assert same.json[0]["metrics"]["psnr"]["value"] == "inf"


def test_a_metric_that_cannot_be_had_is_missing_with_its_reason(cli: Cli, pictures: Path) -> None:
    words = ["measure", pictures / "anna.png", pictures / "lake.png", "--metric", "ms_ssim,psnr"]
    (measured,) = cli(*words, "--json").json
    assert measured["metrics"]["ms_ssim"]["value"] is None
    assert "161" in measured["metrics"]["ms_ssim"]["missing"]
    assert measured["metrics"]["psnr"]["value"] > 0
    assert "missing: " in cli(*words).out


def test_an_unknown_metric_is_answered_with_the_nearest(cli: Cli, pictures: Path) -> None:
    ended = cli("measure", pictures / "anna.png", pictures / "lake.png", "--metric", "pnsr")
    assert ended.code == 2
    assert "did you mean psnr?" in ended.sentence
