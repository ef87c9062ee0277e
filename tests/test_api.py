from __future__ import annotations

import asyncio
import csv
import json
import math
from functools import partial
from pathlib import Path

import pytest

import convergebench
from convergebench import Benchmark, Settings
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.picture import Picture
from convergebench.results.load_results import suites_with_returns
from made_pictures import textured


@pytest.fixture
def suite(tmp_path: Path) -> str:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(("anna", "lake")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
    return f"folder:{folder}"


@pytest.fixture
def both_kinds(tmp_path: Path) -> str:
    """A picture with an edit that can be undone for certain, and one that can be in part."""
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "tree.png").write_bytes(Picture.from_pixels(textured(seed=7)).encoded)
    (folder / "pictures.json").write_text(
        json.dumps({"tree.png": {"edits": ["horizontal_flip", "light_brighten_darken"]}})
    )
    return f"folder:{folder}"


@pytest.fixture
def done(suite: str, tmp_path: Path) -> Benchmark:
    return convergebench.run(
        ["jpeg", "identity"], suite, 2, limit=3, metrics=["psnr", "ssim"], workspace=tmp_path / "results"
    )


def test_a_grid_shows_the_source_of_its_own_suite(tmp_path: Path) -> None:
    pictures = []
    for number in range(2):
        folder = tmp_path / f"pictures{number}"
        folder.mkdir()
        pictures.append(Picture.from_pixels(textured(seed=number)))
        (folder / "same.png").write_bytes(pictures[-1].encoded)
        done = convergebench.run(
            ["identity"], f"folder:{folder}", 1, limit=1, metrics=["ssim"], workspace=tmp_path / "results"
        )
    first = next(name for name in suites_with_returns(done.workspace) if "pictures0" in name)
    source, *_ = done.grid_rows(done.results(first))
    assert (source.cells[0].pixels == pictures[0].pixels).all()


def test_a_run_gives_an_open_benchmark_with_its_outcome(done: Benchmark) -> None:
    assert done.outcome is not None
    assert (done.outcome.complete, done.outcome.trajectories, done.outcome.edits) == (6, 6, 24)


def test_the_frame_has_a_row_for_every_measurement(done: Benchmark) -> None:
    frame = done.frame()
    assert len(frame) == 2 * 3 * 2 * 2
    assert set(frame["metric"]) == {"psnr", "ssim"}
    assert frame["missing"].isna().all()
    perfect = frame[(frame["model"] == "identity") & (frame["metric"] == "psnr")]
    assert all(math.isinf(value) for value in perfect["value"])


def test_returns_have_a_column_for_every_metric_and_agree_with_the_frame(done: Benchmark) -> None:
    returns = done.returns()
    assert len(returns) == 2 * 3 * 2
    long = done.frame().pivot(index=["model", "case", "round"], columns="metric", values="value")
    wide = returns.set_index(["model", "case", "round"])[["psnr", "ssim"]]
    assert (wide.sort_index() == long.sort_index()).all(axis=None)


def test_ranking_frame_and_returns_are_of_the_suite_that_is_named(
    done: Benchmark, both_kinds: str, tmp_path: Path
) -> None:
    first = done.results().suite
    again = convergebench.run("jpeg", both_kinds, 1, metrics=["psnr"], workspace=tmp_path / "results")
    assert again.frame(first).equals(done.frame(first))
    assert len(again.returns(first)) == 2 * 3 * 2
    assert (again.ranking().round, again.ranking(suite=first).round) == (1, 2)
    assert set(again.frame()["pair"]) == {"horizontal_flip"}
    assert set(again.frame(f"{again.results().suite}/partial")["pair"]) == {"light_brighten_darken"}


def test_an_export_lists_what_is_missing_in_every_suite_and_both_kinds_of_edits(
    done: Benchmark, both_kinds: str, tmp_path: Path
) -> None:
    run = partial(convergebench.run, "blur", rounds=1, workspace=tmp_path / "results")
    lacking = run(suite=both_kinds, metrics=["ms_ssim"]).results().suite
    run(suite="converge-drawn", metrics=["psnr"], limit=1)
    done.export(tmp_path / "tables")
    with (tmp_path / "tables" / "missing.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["what"] == "ms_ssim"]
    assert {row["suite"] for row in rows} == {lacking}
    assert [row["edits"] for row in rows] == ["reversible", "partially reversible"]


def test_the_ranking_is_by_the_metric_that_is_named(done: Benchmark) -> None:
    ranked = done.ranking("psnr", round=1)
    assert (ranked.metric.name, ranked.round) == ("psnr", 1)
    assert [row.model for row in ranked.rows if row.rank] == ["jpeg"]


def test_plot_grid_and_export_write_files(done: Benchmark, tmp_path: Path) -> None:
    assert done.plot(tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert done.grid(tmp_path / "grid.png", columns=2).read_bytes().startswith(b"\x89PNG")
    assert {path.suffix for path in done.export(tmp_path / "tables")} == {".csv"}


def test_a_missing_metric_has_its_reason_in_the_frame(suite: str, tmp_path: Path) -> None:
    done = convergebench.run(
        "blur", suite, 1, limit=1, metrics=["ssim", "ms_ssim"], workspace=tmp_path / "results"
    )
    (row,) = done.frame().query("metric == 'ms_ssim'").to_dict("records")
    assert math.isnan(row["value"])
    assert "161" in row["missing"]


def test_the_same_run_again_takes_everything_from_the_workspace(
    done: Benchmark, suite: str, tmp_path: Path
) -> None:
    again = convergebench.run(
        ["jpeg", "identity"], suite, 2, limit=3, metrics=["psnr", "ssim"], workspace=tmp_path / "results"
    )
    assert again.outcome is not None
    assert (again.outcome.edits, again.outcome.replayed) == (0, 24)
    assert again.frame().equals(done.frame())


def test_it_runs_inside_a_running_event_loop_as_in_a_notebook(suite: str, tmp_path: Path) -> None:
    async def cell() -> Benchmark:
        return convergebench.run("jpeg", suite, 1, limit=1, metrics=["psnr"], workspace=tmp_path / "results")

    done = asyncio.run(cell())
    assert done.outcome is not None
    assert done.outcome.complete == 1


def test_an_opened_workspace_shows_what_a_run_left(done: Benchmark, tmp_path: Path) -> None:
    with convergebench.open(tmp_path / "results") as opened:
        assert opened.outcome is None
        assert opened.frame().equals(done.frame())
        assert opened.results(models=["jpeg"]).roles().keys() == {"jpeg"}


def test_a_workspace_that_is_not_there_is_not_made_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="create one with convergebench run"):
        convergebench.open(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"models": ()}, "name at least one model"),
        ({"models": ("jpeg",), "rounds": 0}, "--rounds must be at least 1"),
        ({"models": ("jpeg",), "repeats": 0}, "--repeats must be at least 1"),
        ({"models": ("jpeg",), "max_cost_usd": float("inf")}, "--max-cost must be a number of dollars"),
        ({"models": ("jpeg",), "per_minute": -5}, "--per-minute must be a number above 0, not -5"),
        ({"models": ("jpeg",), "metrics": ("sim",)}, "did you mean ssim?"),
    ],
)
def test_settings_that_cannot_mean_anything_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(WrongUse) as raised:
        Settings(**settings)  # type: ignore[arg-type]
    assert said in str(raised.value)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = convergebench.nothing
