from __future__ import annotations

import sqlite3
from collections import Counter
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


def test_a_metric_that_needs_weights_of_your_own_is_not_missing_unless_it_is_named(
    cli: Cli, pictures: Path
) -> None:
    words = ["measure", pictures / "anna.png", pictures / "lake.png"]
    assert "dino" not in cli(*words).out
    assert "missing: " in cli(*words, "--metric", "dino").out


def test_an_unknown_metric_is_answered_with_the_nearest(cli: Cli, pictures: Path) -> None:
    ended = cli("measure", pictures / "anna.png", pictures / "lake.png", "--metric", "pnsr")
    assert ended.code == 2
    assert "did you mean psnr?" in ended.sentence


def test_a_folder_stands_for_its_pictures(cli: Cli, pictures: Path, tmp_path: Path) -> None:
    for name in ("b.png", "a.png"):
        Image.fromarray(textured(width=40, height=30, seed=ord(name[0]))).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("not a picture")
    measured = cli("measure", pictures / "anna.png", tmp_path, "--metric", "psnr", "--json").json
    assert [Path(row["picture"]).name for row in measured] == ["a.png", "b.png"]


def test_two_folders_are_compared_by_name(cli: Cli, tmp_path: Path) -> None:
    for number, folder in enumerate(("before", "after")):
        (tmp_path / folder).mkdir()
        for name in ("x", "y"):
            suffix = ".png" if folder == "before" else ".bmp"
            seed = ord(name) + (number if name == "y" else 0)
            picture = Image.fromarray(textured(width=40, height=30, seed=seed))
            picture.save(tmp_path / folder / (name + suffix))
    words = ["measure", tmp_path / "before", tmp_path / "after", "--metric", "psnr"]
    measured = cli(*words, "--json").json
    assert [row["metrics"]["psnr"]["value"] == "inf" for row in measured] == [True, False]

    (tmp_path / "before" / "y.png").unlink()
    ended = cli(*words)
    assert ended.code == 2
    assert "no picture named y" in ended.sentence


@pytest.mark.parametrize("words", [[], ["only.png"], ["--workspace", "here", "a.png", "b.png"]])
def test_what_to_measure_must_be_said_once(cli: Cli, words: list[str]) -> None:
    assert cli("measure", *words).code == 2


def test_a_workspace_gets_the_values_it_lacks_and_no_others(cli: Cli, pictures: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    run = ["run", "--model", "jpeg", "--suite", f"folder:{pictures}", "--rounds", "2", "--metric", "psnr"]
    assert cli(*run, "--workspace", workspace).code in (0, 3)
    again = ["measure", "--workspace", workspace, "--metric", "psnr,ssim", "--json"]
    first, second = cli(*again).json, cli(*again).json
    assert first["returns"] == first["measured"] > 0
    assert second == {"returns": first["returns"], "measured": 0}
    with sqlite3.connect(workspace / "convergebench.sqlite") as database:
        rows = database.execute("SELECT metric, value FROM measurements WHERE value IS NOT NULL").fetchall()
    assert Counter(metric for metric, _ in rows)["ssim"] == first["returns"]
