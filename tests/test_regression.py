"""The gate: exit codes, power, and agreement between a workspace and its export."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import xml.etree.ElementTree as Xml
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from convergebench import api, regression
from convergebench.analysis.headline.model_check import holm
from convergebench.cli.main import code_of
from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.picture import Picture
from convergebench.store import DATABASE
from convergebench.types import Refused
from made_pictures import textured

FINE, COARSE = "fine=jpeg", "coarse=jpeg?quality=10"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two qualities of JPEG on eight pictures."""
    folder = tmp_path_factory.mktemp("check")
    (folder / "pictures").mkdir()
    for number in range(8):
        picture = Picture.from_pixels(textured(seed=number))
        (folder / "pictures" / f"{number}.png").write_bytes(picture.encoded)
    with api.run(
        [FINE, COARSE], f"folder:{folder / 'pictures'}", 2, workspace=folder / "results", limit=16,
        metrics=("psnr", "ssim"),
    ):  # fmt: skip
        return folder / "results"


def code(*words: object) -> int:
    return code_of(["check", *(str(word) for word in words)])


def against(workspace: Path, model: str) -> list[object]:
    return ["--baseline", f"{workspace}?model={model}", "-w", workspace]


def test_a_worse_model_exits_with_4_and_a_better_one_with_0(workspace: Path) -> None:
    assert code("--model", "coarse", *against(workspace, "fine"), "--by", "ssim") == 4
    assert code("--model", "fine", *against(workspace, "coarse"), "--by", "ssim") == 0
    assert (
        code("--model", "fine", *against(workspace, "coarse"), "--by", "ssim", "--fail-if", "different") == 4
    )


def test_a_model_is_not_worse_than_itself(workspace: Path) -> None:
    assert code("--model", "fine", "--baseline", workspace, "-w", workspace, "--fail-if", "different") == 0


def test_a_loss_within_the_margin_passes(workspace: Path) -> None:
    assert code("--model", "coarse", *against(workspace, "fine"), "--by", "ssim", "--margin", 0.9) == 0


def test_one_picture_cannot_tell_and_says_so_if_power_is_needed(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.png").write_bytes(Picture.from_pixels(textured()).encoded)
    folder = tmp_path / "results"
    with api.run(
        [FINE, COARSE], f"folder:{tmp_path / 'pictures'}", 1, workspace=folder, limit=2, metrics=("ssim",)
    ):
        pass
    words = ["--model", "coarse", *against(folder, "fine"), "--by", "ssim"]
    assert code(*words) == 0
    assert code(*words, "--need-power") == 3


def test_an_export_gives_the_same_answer_as_its_workspace(workspace: Path, tmp_path: Path) -> None:
    with api.open(workspace) as opened:
        opened.export(tmp_path / "export")
    places: list[Any] = [f"{place}?model=fine" for place in (workspace, tmp_path / "export")]
    found = [
        regression.check(workspace, baselines=[place], models=["coarse"], by=["ssim", "psnr"]).quantities
        for place in places
    ]
    for one, other in zip(*found, strict=True):
        assert (one.difference, one.p_value, one.verdict) == (other.difference, other.p_value, other.verdict)


def test_refusals_of_a_baseline_count_from_its_export_too(
    tmp_path: Path, pictures_of_two: Callable[[], Path]
) -> None:
    def refuse_some(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        if np.asarray(image).sum() % 2:
            raise Refused("not this one")
        return image.rotate(180)

    def turn(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        return image.rotate(180)

    old, new = tmp_path / "results", tmp_path / "export"
    with api.run(
        {"picky": refuse_some, "willing": turn}, images=pictures_of_two(), rounds=2, workspace=old, limit=6,
        metrics=("ssim", "regions"),
    ) as opened:  # fmt: skip
        assert 0 < len({item.case for item in opened.results().troubles}) < 6
        opened.export(new)
    one, other = regression.check(
        old, baselines=[f"{place}?model=picky" for place in (old, new)], models=["willing"], by=["usable"]
    ).quantities
    assert one.pairs == other.pairs == 6, "what was refused is compared, too"
    assert one.baseline_mean == other.baseline_mean


@pytest.mark.parametrize("place", ["workspace", "export"])
def test_a_baseline_measured_by_another_version_of_a_metric_is_refused(
    workspace: Path, tmp_path: Path, place: str
) -> None:
    """As one that was made before an upgrade."""
    old = tmp_path / "old"
    shutil.copytree(workspace, old)
    with contextlib.closing(sqlite3.connect(old / DATABASE)) as database:
        database.execute("UPDATE measurements SET version = '0', value = value / 2 WHERE metric = 'ssim'")
        database.commit()
    if place == "export":
        with api.open(old) as opened:
            opened.export(old := tmp_path / "export")
    with pytest.raises(
        ConvergeBenchError, match=r"ssim was measured by version 1 for fine and by version 0 for /"
    ):
        regression.check(workspace, baselines=[str(old)], models=["fine"], by=["ssim"])
    (found,) = regression.check(workspace, baselines=[str(old)], models=["fine"], by=["psnr"]).quantities
    assert found.verdict == "no worse"


def test_a_model_that_crashed_in_some_cases_does_not_pass(
    tmp_path: Path, pictures_of_two: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A loss in the cases that crashed could go unnoticed."""

    def crash_on_some(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        if np.asarray(image).sum() % 2:
            raise RuntimeError("out of memory")
        return image

    def crash(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        raise RuntimeError("out of memory")

    def copy(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        return image

    folder = tmp_path / "results"
    models = {"sound": copy, "fragile": crash_on_some, "broken": crash}
    with api.run(models, images=pictures_of_two(), rounds=2, workspace=folder, limit=6, metrics=("ssim",)):
        pass
    words = ["--baseline", f"{folder}?model=sound", "-w", folder, "--by", "ssim"]
    capsys.readouterr()
    assert code("-m", "fragile", *words, "--markdown", tmp_path / "check.md") == 3
    assert "missing, crashed: RuntimeError: out of memory (fragile" in capsys.readouterr().out
    assert "missing, crashed: RuntimeError: out of memory (fragile" in (tmp_path / "check.md").read_text()
    assert code("-m", "sound", "--baseline", f"{folder}?model=fragile", "-w", folder, "--by", "ssim") == 0
    capsys.readouterr()
    assert code("-m", "broken", *words) == 1
    assert "broken has no return to compare: RuntimeError: out of memory" in capsys.readouterr().err


def test_new_edits_are_compared_with_those_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pictures_of_two: Callable[[], Path]
) -> None:
    """A model behind one name that got worse, as a hosted model may."""
    (tmp_path / "hosted.py").write_text(
        "import io, pathlib\nfrom PIL import Image\n"
        "def edit(image, instruction, seed):\n"
        f"    quality = int(pathlib.Path({str(tmp_path / 'quality')!r}).read_text())\n"
        "    file = io.BytesIO()\n    image.save(file, 'JPEG', quality=quality)\n"
        "    return Image.open(file)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "quality").write_text("95")
    folder = tmp_path / "results"
    pictures = pictures_of_two()
    with api.run(
        "hosted=python:hosted:edit", f"folder:{pictures}", 1, workspace=folder, limit=6, metrics=("ssim",)
    ):
        pass
    previous = ["--baseline", "previous", "-w", folder, "--by", "ssim"]
    assert code(*previous, "--fresh", "--fail-if", "different") == 0
    (tmp_path / "quality").write_text("2")
    assert (
        code(*previous, "--fresh", "--markdown", tmp_path / "check.md", "--junit", tmp_path / "check.xml")
        == 4
    )
    assert "hosted" in (tmp_path / "check.md").read_text()
    suite = Xml.parse(tmp_path / "check.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert code("--baseline", f"{folder}?run=1", "-w", folder, "--by", "ssim", "--run", 2) == 0


def test_a_fresh_run_that_only_failed_is_not_the_previous_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pictures_of_two: Callable[[], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "shaky.py").write_text(
        "import pathlib\n"
        "def edit(image, instruction, seed):\n"
        f"    if pathlib.Path({str(tmp_path / 'down')!r}).exists():\n"
        "        raise OSError('the disk of the model is gone')\n"
        "    return image.convert('L').convert('RGB')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    folder = run_on(pictures_of_two(), tmp_path / "results", "shaky=python:shaky:edit")
    anew = ["--baseline", "previous", "--fresh", "-w", folder, "--by", "ssim"]
    (tmp_path / "down").touch()
    assert code(*anew) == 1
    said = capsys.readouterr().err
    assert "trajectories are not complete" in said and "the disk of the model is gone" in said
    (tmp_path / "down").unlink()
    assert code(*anew, "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["columns"]
    assert found["pairs"] == 66


@pytest.mark.parametrize(("label", "name"), [("", "http:acme"), ("mine=", "mine")])
def test_a_model_from_a_file_is_run_again_from_its_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pictures_of_two: Callable[[], Path],
    label: str,
    name: str,
) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)  # nothing is sent
    (tmp_path / "file.toml").write_text(
        'name = "acme"\nurl = "https://acme.example"\nkey = "ACME_KEY"\n[body]\na = "{image_base64}"\n'
    )
    model = f"{label}http:{tmp_path / 'file.toml'}"
    folder = run_on(pictures_of_two(), tmp_path / "results", model, limit=1)
    assert regression.last_settings(folder, [name]).models == (model,)
    with pytest.raises(ConvergeBenchError, match="no return to compare: no key: set ACME_KEY"):
        regression.check(folder, baselines=[str(folder)], models=[name])


def test_without_a_fresh_run_there_is_no_previous_one(workspace: Path) -> None:
    with pytest.raises(WrongUse, match="has no results before a --fresh; add --fresh to edit anew"):
        regression.check(workspace, baselines=["previous"], models=["fine"])


@pytest.fixture
def pictures_of_two(tmp_path: Path) -> Callable[[], Path]:
    def make() -> Path:
        (tmp_path / "pictures").mkdir()
        for number in range(6):
            picture = Picture.from_pixels(textured(seed=number))
            (tmp_path / "pictures" / f"{number}.png").write_bytes(picture.encoded)
        return tmp_path / "pictures"

    return make


def folder_of(path: Path, width: int = 64, height: int = 48, **seeds: int) -> Path:
    """A folder of pictures by name and seed."""
    path.mkdir()
    for name, seed in seeds.items():
        (path / f"{name}.png").write_bytes(Picture.from_pixels(textured(width, height, seed)).encoded)
    return path


def run_on(pictures: Path, workspace: Path, model: str, **more: Any) -> Path:
    with api.run(model, images=pictures, rounds=1, workspace=workspace, metrics=("ssim",), **more):
        return workspace


def test_of_several_versions_of_a_model_the_last_is_compared_with_the_baseline_of_its_name(
    tmp_path: Path, pictures_of_two: Callable[[], Path]
) -> None:
    """As in a workspace that is kept between the jobs that test a function."""
    pictures, kept = pictures_of_two(), tmp_path / "results"
    accepted, worse = "mine=jpeg?quality=95", "mine=jpeg?quality=5"
    with api.run(accepted, images=pictures, rounds=1, workspace=kept, metrics=("ssim",)) as opened:
        opened.export(tmp_path / "baseline")
    check = ["--baseline", tmp_path / "baseline", "-m", "mine", "--by", "ssim", "-w", kept]
    assert code(*check) == 0
    run_on(pictures, kept, worse)
    assert code(*check) == 4
    run_on(pictures, kept, accepted)  # nothing is edited again
    assert code(*check) == 0


@pytest.mark.parametrize("place", ["workspace", "export"])
def test_cases_are_paired_by_what_was_edited_whatever_they_are_called(tmp_path: Path, place: str) -> None:
    """One picture was renamed, one added and one replaced under the same name since the baseline."""
    old = run_on(folder_of(tmp_path / "old", lake=1, street=2, room=3), tmp_path / "a", COARSE)
    new = run_on(folder_of(tmp_path / "new", sea=1, street=2, room=9, cafe=4), tmp_path / "b", FINE)
    with api.open(old) as opened, api.open(new) as other:
        pairs = {item.case.split("/", 1)[1] for item in opened.results().returns}
        if place == "export":
            opened.export(tmp_path / "export")
            old = tmp_path / "export"
        ours = {item.case: item.values["ssim"].value for item in other.results().returns}
    (found,) = regression.check(
        new, baselines=[f"{old}?model=coarse"], models=["fine"], by=["ssim"]
    ).quantities
    shared = [ours[f"{name}/{pair}"] for name in ("sea", "street") for pair in pairs]
    assert (found.pairs, found.pictures) == (len(shared), 2)
    assert found.candidate_mean == pytest.approx(np.mean(shared))


def test_other_cases_are_not_compared(workspace: Path, tmp_path: Path) -> None:
    other = run_on(folder_of(tmp_path / "pictures", **{"0": 99}), tmp_path / "other", FINE, limit=1)
    with pytest.raises(WrongUse, match="share no case"):
        regression.check(workspace, baselines=[str(other)], models=["fine"], by=["ssim"])


def test_partially_reversible_edits_are_compared_with_their_like(tmp_path: Path) -> None:
    edits = tmp_path / "edits.csv"
    edits.write_text("forward,backward,reversibility\nAdd fog.,Remove the fog.,information-destroying\n")
    pictures = folder_of(tmp_path / "pictures", a=1, b=2, c=3)
    folder = run_on(pictures, tmp_path / "results", FINE, edits=edits)
    run_on(pictures, folder, COARSE, edits=edits)
    (found,) = regression.check(
        folder, baselines=[f"{folder}?model=fine"], models=["coarse"], by=["ssim"]
    ).quantities
    assert (found.pairs, found.verdict) == (3, "worse")


def test_resolutions_and_seed_policies_of_one_model_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Working at half the size costs detail; the same noise in every step adds up faster."""
    seeds = {f"p{number}": number for number in range(4)}
    pictures = folder_of(tmp_path / "pictures", 128, 96, **seeds)
    folder = tmp_path / "results"
    for model, policy in (("noise", "fresh"), ("noise", "same"), ("half=noise?size=64", "fresh")):
        with api.run(
            model, images=pictures, rounds=2, workspace=folder, metrics=("ssim",),
            seed_policy=policy, limit=8,
        ):  # fmt: skip
            pass
    words = ["--baseline", f"{folder}?model=noise", "-w", folder, "--by", "ssim", "--json"]
    assert code(*words, "-m", "half") == 4
    capsys.readouterr()
    assert code(*words, "-m", "noise+same-seed", "--fail-if", "different", "--margin", 0) == 4
    (found,) = json.loads(capsys.readouterr().out)["columns"]
    assert (found["model"], found["pairs"], found["verdict"]) == ("noise+same-seed", 8, "worse")


def test_several_baselines_share_one_correction(workspace: Path, tmp_path: Path) -> None:
    alone, (first, second) = (
        regression.check(workspace, baselines=baselines, models=["coarse"], by=["ssim"]).quantities
        for baselines in (
            [f"{workspace}?model=fine"],
            [f"{workspace}?model=fine", f"{workspace}?model=coarse"],
        )
    )
    assert (first.verdict, second.verdict) == ("worse", "no worse")
    assert first.p_value == pytest.approx(2 * alone[0].p_value)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_between_no_correction_and_bonferroni(p_values: list[float]) -> None:
    for plain, adjusted in zip(p_values, holm(p_values), strict=True):
        assert plain <= adjusted <= min(1.0, len(p_values) * max(p_values)) + 1e-12
