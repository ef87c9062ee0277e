from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.stats import kendalltau, spearmanr

from convergebench.analysis.votes.opinion_agreement import OVERALL, ScoredPicture, opinion_agreements
from convergebench.cli.main import code_of
from convergebench.errors import WrongUse
from convergebench.votes.opinion_cache import OpinionCache
from convergebench.votes.opinion_sets import measured_opinions, read_opinions
from made_pictures import textured


def draw(path: Path, noise: float, seed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = textured(seed=seed).astype(float)
    worn = pixels + np.random.default_rng(seed).normal(0, noise, pixels.shape)
    Image.fromarray(np.clip(worn, 0, 255).astype(np.uint8)).save(path)


@pytest.fixture
def tid(tmp_path: Path) -> Path:
    """Three references, two distortions of three strengths; letter case varies as in the real set."""
    lines = []
    for picture in (1, 2, 3):
        draw(tmp_path / "reference_images" / f"I{picture:02}.BMP", 0, picture)
        for kind in (1, 2):
            for level in (1, 2, 3):
                draw(
                    tmp_path / "distorted_images" / f"i{picture:02}_{kind:02}_{level}.bmp", 6 * level, picture
                )
                lines.append(f"{7 - level - 0.1 * kind:.5f} I{picture:02}_{kind:02}_{level}.bmp")
    (tmp_path / "mos_with_names.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_tid2013_is_read_whatever_the_case_of_its_names(tid: Path) -> None:
    rows = read_opinions("tid2013", tid)
    assert len(rows) == 18 and {row.distortion for row in rows} == {"01", "02"}
    assert rows[0].opinion == 5.9 and rows[0].reference.name == "I01.BMP"
    assert len(read_opinions("tid2013", tid, limit=1)) == 6


def test_kadid10k_is_read(tmp_path: Path) -> None:
    draw(tmp_path / "images" / "I01.png", 0, 1)
    draw(tmp_path / "images" / "I01_01_01.png", 5, 1)
    (tmp_path / "dmos.csv").write_text("dist_img,ref_img,dmos,var\nI01_01_01.png,I01.png,4.57,0.496\n")
    (row,) = read_opinions("kadid10k", tmp_path)
    assert (row.opinion, row.distortion, row.reference.name) == (4.57, "01", "I01.png")


def test_pipal_is_read(tmp_path: Path) -> None:
    draw(tmp_path / "Train_Ref" / "A0000.bmp", 0, 1)
    draw(tmp_path / "Distortion_2" / "A0000_03_01.bmp", 5, 1)
    (tmp_path / "Train_Label").mkdir()
    (tmp_path / "Train_Label" / "A0000.txt").write_text("A0000_03_01.bmp,1458.77\n")
    (row,) = read_opinions("pipal", tmp_path)
    assert (row.opinion, row.distortion, row.distorted.parent.name) == (1458.77, "03", "Distortion_2")


def test_a_folder_of_another_layout_says_what_is_missing(tid: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"no dmos\.csv"):
        read_opinions("kadid10k", tid)
    with pytest.raises(WrongUse, match="choose from tid2013, kadid10k, pipal"):
        read_opinions("live", tid)


def test_correlations_are_those_of_scipy() -> None:
    random = np.random.default_rng(0)
    opinions, values = random.normal(size=60), random.normal(size=60)
    pictures = [
        ScoredPicture(f"r{n % 10}", f"d{n % 3}", float(opinions[n]), {"m": float(values[n])})
        for n in range(60)
    ]
    found = {one.distortion: one for one in opinion_agreements(pictures, ["m"])}
    overall = found[OVERALL]
    assert overall.spearman is not None and overall.kendall is not None
    assert overall.spearman.mean == pytest.approx(spearmanr(values, opinions).statistic)
    assert overall.kendall.mean == pytest.approx(kendalltau(values, opinions).statistic)
    some = found["d1"].spearman
    assert some is not None and some.mean == pytest.approx(spearmanr(values[1::3], opinions[1::3]).statistic)


def test_intervals_by_reference_hold_the_truth() -> None:
    held = []
    for seed in range(50):
        random = np.random.default_rng(seed)
        shared = random.normal(0, 0.5, 25)
        latent = random.normal(size=250)
        values = latent + random.normal(size=250) + np.repeat(shared, 10)
        pictures = [
            ScoredPicture(f"r{n // 10}", "d", float(latent[n]), {"m": float(values[n])}) for n in range(250)
        ]
        found = opinion_agreements(pictures, ["m"])[0].spearman
        assert found is not None and found.low is not None and found.high is not None
        pearson = 1 / np.sqrt(1 + 1 + 0.25)
        held.append(found.low <= 6 / np.pi * np.arcsin(pearson / 2) <= found.high)  # of normal variables
    assert 0.88 <= np.mean(held) <= 1.0


def test_what_was_measured_once_is_not_measured_again(
    tid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    rows, done = read_opinions("tid2013", tid), list[int]()
    found = measured_opinions(rows, ["psnr"], OpinionCache("tid2013"), done.append)
    assert done == [0, 16, 18]
    kept = tmp_path / "cache" / "opinions" / "tid2013.jsonl"
    kept.write_text(kept.read_text()[:-20])  # killed in the middle of the last line
    done.clear()
    assert measured_opinions(rows, ["psnr"], OpinionCache("tid2013"), done.append) == found
    assert done == [17, 18]
    done.clear()
    measured_opinions(rows, ["psnr", "ssim"], OpinionCache("tid2013"), done.append)
    assert done[0] == 0  # SSIM is new


def test_the_command_prints_metrics_that_follow_the_strength(
    tid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    assert code_of(["agreement", "--opinions", "tid2013", str(tid), "--metric", "psnr,ssim"]) == 0
    printed = capsys.readouterr().out
    assert "18 pictures of 3 references" in printed
    assert "psnr" in printed and "Spearman by distortion" in printed
