from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from convergebench import metrics
from convergebench.errors import WrongUse
from convergebench.metrics.base import metric
from convergebench.types import Pixels

PLUGIN = """
from convergebench.metrics.base import metric

@metric("{name}", better="lower", perfect=0, worst=255, dimension="quality")
def largest_difference(source, result):
    \"\"\"The largest difference of any value.\"\"\"
    return float(abs(source.astype(int) - result).max())
"""

FAMILY = """
from convergebench.metrics.base import family
from convergebench.types import MetricFacts

def member(name):
    return MetricFacts(name, "1", "nearest", 0.0, 1.0, "quality", summary="A member.")

@family("height", member("rows"), member("depth"), prepare=len)
def height(rows, result):
    if rows > 50:
        raise ZeroDivisionError("too high")
    return {"rows": float(rows), "depth": "a picture is flat"}
"""
MEASURED_BY_HEIGHT = """
import numpy as np
from convergebench.metrics import MetricSet
from convergebench.picture import Picture

pictures = [Picture.from_pixels(np.zeros((side, side, 3), np.uint8)) for side in (60, 40)]
for row in MetricSet(["height"]).measure([(one, one) for one in pictures]):
    print([m.missing if m.value is None else m.value for m in row.values()])
"""


def test_the_default_metrics_exist_and_cover_both_dimensions() -> None:
    assert {metrics.facts(name).dimension for name in metrics.DEFAULT} == {"quality", "semantic"}


@pytest.mark.parametrize("name", metrics.names())
def test_every_metric_says_what_it_is(name: str) -> None:
    facts = metrics.facts(name)
    assert facts.name == name
    assert facts.summary.endswith(".")
    assert facts.perfect != facts.worst
    if facts.better != "nearest":
        assert (facts.perfect > facts.worst) == (facts.better == "higher")


@pytest.mark.parametrize(
    ("typed", "meant"), [("sssim", "ssim"), ("PSNR", "choose from clip"), ("lpip", "lpips")]
)
def test_a_wrong_name_is_answered_with_a_near_one(typed: str, meant: str) -> None:
    with pytest.raises(WrongUse, match=meant):
        metrics.facts(typed)


def test_a_name_that_is_taken_is_refused() -> None:
    metrics.names()
    with pytest.raises(WrongUse, match="two metrics are called 'ssim'"):

        @metric("ssim", better="higher", perfect=1, worst=0, dimension="quality")
        def another(source: Pixels, result: Pixels) -> float:
            return 0.0


def test_weights_shared_by_two_metrics_are_listed_once() -> None:
    files = metrics.packaged_weights("lpips", "lpips_full", "lpips_vgg", "dists")
    assert sorted(Path(file.member).name for file in files) == ["alexnet.ckpt", "vgg16.ckpt", "weights.pt"]


def test_an_installed_plugin_adds_its_metric(tmp_path: Path) -> None:
    install_plugin(tmp_path, PLUGIN.format(name="largest_difference"))
    said = python(
        tmp_path, "from convergebench import metrics; print(metrics.facts('largest_difference').summary)"
    )
    assert said.stdout == "The largest difference of any value.\n"


def test_a_pair_on_which_a_family_breaks_is_missing_for_all_its_members_alone(tmp_path: Path) -> None:
    install_plugin(tmp_path, FAMILY)
    assert python(tmp_path, MEASURED_BY_HEIGHT).stdout.splitlines() == [
        "['height failed: ZeroDivisionError: too high', 'height failed: ZeroDivisionError: too high']",
        "[40.0, 'a picture is flat']",
    ]


def test_a_plugin_cannot_replace_a_metric(tmp_path: Path) -> None:
    install_plugin(tmp_path, PLUGIN.format(name="psnr"))
    assert (
        "two metrics are called 'psnr'"
        in python(tmp_path, "from convergebench import metrics; metrics.names()").stderr
    )


def test_a_broken_plugin_is_named(tmp_path: Path) -> None:
    install_plugin(tmp_path, "import no_such_module")
    said = python(tmp_path, "from convergebench import metrics; metrics.names()").stderr
    assert "the plug-in 'extra' (extra_metrics) cannot be loaded" in said


def test_knowing_the_metrics_imports_nothing_heavy(tmp_path: Path) -> None:
    script = "import sys; from convergebench import metrics; metrics.names(); print(sorted(sys.modules))"
    loaded = python(tmp_path, script).stdout
    assert not [
        heavy for heavy in ("torch", "transformers", "onnxruntime", "onnx", "cv2") if f"'{heavy}'" in loaded
    ]


def install_plugin(folder: Path, code: str) -> None:
    (folder / "extra_metrics.py").write_text(code)
    described = folder / "extra_metrics-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-metrics\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[convergebench.metrics]\nextra = extra_metrics\n")


def python(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
