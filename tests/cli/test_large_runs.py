"""A run that costs much or takes long says so first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench import api
from convergebench.engine.editing.forecast import forecast_run

Cli = Callable[..., Any]


@pytest.fixture
def large(pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Hundreds of edits by a paid model, none of which is made here."""
    monkeypatch.setenv("FAL_KEY", "nothing")
    return ["run", "-m", "qwen", "--images", pictures, "--repeats", 5, "-w", tmp_path / "results"]


def test_a_run_of_more_than_five_dollars_needs_a_yes_where_nobody_can_be_asked(
    cli: Cli, large: list[object], tmp_path: Path
) -> None:
    ran = cli(*large)
    assert ran.code == 2
    assert "edits, about $" in ran.sentence and "--yes" in ran.sentence
    assert not (tmp_path / "results").exists()


def test_a_dry_run_and_a_small_one_ask_nothing(cli: Cli, large: list[object], run: Any) -> None:
    assert cli(*large, "--dry-run").code == 0
    assert cli(*run()).code == 0


def test_a_forecast_uses_the_time_of_earlier_edits(
    cli: Cli, run: Any, pictures: Path, tmp_path: Path
) -> None:
    assert cli(*run()).code == 0
    settings = api.Settings(("jpeg",), f"folder:{pictures}", 4, limit=3, concurrency=2)
    (done,) = forecast_run(api.make_plan(settings), tmp_path / "results", settings.limits).models
    with api.open(tmp_path / "results") as opened:
        (use,) = opened.results().uses
    assert (done.done, done.to_do) == (12, 12)
    assert use.mean_seconds is not None and done.seconds == pytest.approx(12 * use.mean_seconds / 2)


def test_more_than_two_hours_are_large(pictures: Path, tmp_path: Path) -> None:
    settings = api.Settings(("classical",), f"folder:{pictures}", 10, per_minute=3.0)
    plan = api.make_plan(settings)
    expected = forecast_run(plan, tmp_path / "results", settings.limits)
    assert expected.seconds == plan.edits_each * 20 and expected.is_large and not expected.is_resumed


def test_pictures_and_a_suite_at_once_are_refused(cli: Cli, run: Any, pictures: Path) -> None:
    assert "both name pictures" in cli(*run("--images", pictures)).sentence


def test_printed_commands_name_the_workspace(cli: Cli, tmp_path: Path) -> None:
    words = ["run", "-m", "jpeg", "--suite", "gedit-mini", "--limit", 1, "--metric", "psnr"]
    ran = cli(*words, "-w", tmp_path / "my results")
    assert f"convergebench score --suite gedit-mini -w '{tmp_path / 'my results'}'" in ran.out
