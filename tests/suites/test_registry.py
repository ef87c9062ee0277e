from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from convergebench.errors import WrongUse
from convergebench.suites import listing, load, names
from convergebench.types import Suite

PLUGIN = """
from convergebench.suites import SuiteInfo
from convergebench.types import Suite
SUITE = SuiteInfo("elsewhere", "3", "of others", 0, 0, lambda on_package: Suite("elsewhere", "3", ()))
"""


def install(folder: Path, entry_points: str) -> None:
    information = folder / "plugin-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[convergebench.suites]\n{entry_points}\n")


def test_the_built_in_suites_are_listed() -> None:
    assert {"converge", "converge-drawn"} <= set(names())


def test_the_listing_counts_what_loading_gives(converge: Suite, predecessor: Suite) -> None:
    listed = {(info.name, info.version): info for info in listing()}
    for suite in (converge, predecessor, load("converge-drawn")):
        info = listed[suite.name, suite.version]
        assert info.cases == len(suite.cases)
        assert info.pictures == len({case.source.id for case in suite.cases})


def test_listing_imports_nothing_heavy() -> None:
    program = (
        "import sys, convergebench.suites as suites; suites.listing(); "
        "print(sorted({'numpy', 'cv2', 'PIL', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_version_can_be_insisted_on(converge: Suite) -> None:
    assert load("converge@0") == converge


def test_every_name_has_one_current_version_and_the_current_comes_first() -> None:
    for name in names():
        current = [info.is_current for info in listing() if info.name == name]
        assert current == [True] + [False] * (len(current) - 1), name


def test_another_version_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match=r"unknown suite version converge@7; choose converge@\d"):
        load("converge@7")


@pytest.mark.parametrize(("typed", "meant"), [("convrge", "converge"), ("converge_drawn", "converge-drawn")])
def test_an_unknown_suite_suggests_the_nearest(typed: str, meant: str) -> None:
    with pytest.raises(WrongUse, match=f"did you mean {meant}\\?"):
        load(typed)


def test_a_suite_unlike_any_lists_them_all() -> None:
    with pytest.raises(WrongUse, match="choose from converge, converge-drawn"):
        load("xyzzy")


def test_another_package_brings_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "suite_from_elsewhere.py").write_text(PLUGIN)
    install(tmp_path, "elsewhere = suite_from_elsewhere:SUITE")
    monkeypatch.syspath_prepend(tmp_path)
    assert "elsewhere" in names()
    assert load("elsewhere@3") == Suite("elsewhere", "3", ())


def test_a_broken_plug_in_is_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, "broken = there_is_no_such_module:SUITE")
    monkeypatch.syspath_prepend(tmp_path)
    with caplog.at_level(logging.WARNING, logger="convergebench"):
        assert "converge" in names()
    assert "broken" in caplog.text
