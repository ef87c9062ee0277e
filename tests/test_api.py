from __future__ import annotations

import asyncio
import csv
import gc
import inspect
import json
import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest
from PIL import Image, ImageFilter, ImageOps
from rich.console import Console

import convergebench
from convergebench import Benchmark, Settings
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.garbage_collection import OBJECTS_PER_COLLECTION
from convergebench.picture import Picture
from convergebench.results.round_trip_results import suites_with_returns
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
        ({"models": ("jpeg",), "limit": 0}, "a limit of 0 leaves no case; give 1 or more"),
        ({"models": ("jpeg",), "max_cost_usd": float("inf")}, "--max-cost must be a number of dollars"),
        ({"models": ("jpeg",), "per_minute": -5}, "--per-minute must be a number above 0, not -5"),
        ({"models": ("jpeg",), "metrics": ("sim",)}, "did you mean ssim?"),
    ],
)
def test_settings_that_cannot_mean_anything_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(WrongUse) as raised:
        Settings(**settings)  # type: ignore[arg-type]
    assert said in str(raised.value)


def negative(image: Image.Image, instruction: str, seed: int) -> Image.Image:
    return ImageOps.invert(image)


def test_a_function_is_a_model_under_the_name_that_it_is_given(suite: str, tmp_path: Path) -> None:
    def blurred(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        return image.filter(ImageFilter.GaussianBlur(2))

    models = {"undone exactly": negative, "mine": blurred, "floor": "identity"}
    done = convergebench.run(models, suite, 1, limit=1, metrics=["psnr"], workspace=tmp_path / "results")
    psnr = dict(zip(done.returns()["model"], done.returns()["psnr"], strict=True))
    assert psnr.keys() == {"undone exactly", "mine", "floor"}
    assert math.isinf(psnr["undone exactly"])  # a negative of a negative is the picture
    assert psnr["mine"] < 60


def test_garbage_is_looked_for_rarely_during_a_run_and_afterwards_as_before(
    suite: str, tmp_path: Path
) -> None:
    limits = list[int]()

    def asking(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        limits.append(gc.get_threshold()[0])
        return image

    before = gc.get_threshold()
    convergebench.run(asking, suite, 1, limit=1, metrics=["psnr"], workspace=tmp_path / "results")
    assert limits == [OBJECTS_PER_COLLECTION] * 2
    assert gc.get_threshold() == before


def test_functions_that_differ_in_a_captured_value_are_different_models(suite: str, tmp_path: Path) -> None:
    def blurring(radius: int) -> Callable[[Image.Image, str, int], Image.Image]:
        return lambda image, instruction, seed: image.filter(ImageFilter.GaussianBlur(radius))

    def run(**models: Callable[[Image.Image, str, int], Image.Image]) -> Benchmark:
        return convergebench.run(models, suite, 1, limit=1, metrics=["psnr"], workspace=tmp_path / "results")

    weak, strong = (row.model for row in run(strong=blurring(4), weak=blurring(1)).ranking("psnr"))
    assert (weak, strong) == ("weak", "strong")
    again = run(renamed=blurring(4))
    assert again.outcome is not None
    assert (again.outcome.edits, again.outcome.replayed) == (0, 2)


def test_two_functions_with_one_name_are_refused_unless_they_are_named(suite: str) -> None:
    def one(radius: int) -> Callable[[Image.Image, str, int], Image.Image]:
        return lambda image, instruction, seed: image.filter(ImageFilter.GaussianBlur(radius))

    with pytest.raises(WrongUse, match=r"name them, as in models=\{'a': f, 'b': g\}"):
        convergebench.run([one(1), one(2)], suite, 1)


def test_an_expensive_run_says_its_size_and_needs_consent(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAL_KEY", "key-of-nobody")
    with pytest.raises(WrongUse, match=r"makes 800 edits, about \$16\.00, .*pass yes=True"):
        convergebench.run("qwen", suite, 200, limit=2, workspace=tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_run_without_weights_says_so_and_goes_on(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    for name in ("PIP_NO_INDEX", "PIP_ISOLATED"):
        monkeypatch.setenv(name, "1")
    done = convergebench.run("jpeg", suite, 1, limit=1, metrics=["lpips"], workspace=tmp_path / "results")
    assert "continuing without it" in caplog.text
    assert done.frame()["missing"].notna().all()


def test_run_has_every_setting_as_a_typed_argument() -> None:
    parameters = inspect.signature(convergebench.run).parameters
    assert {field.name for field in fields(Settings)} <= parameters.keys()
    assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    assert all(one.annotation is not inspect.Parameter.empty for one in parameters.values())
    assert {"run", "open", "check", "refine", "Benchmark"} <= set(dir(convergebench))


def test_run_has_the_defaults_of_the_settings() -> None:
    parameters = inspect.signature(convergebench.run).parameters
    for field in fields(Settings):
        if field.name not in ("models", "suite"):
            assert parameters[field.name].default == field.default, field.name


def test_a_ranking_is_iterable_and_a_frame(done: Benchmark) -> None:
    ranked = done.ranking("ssim")
    frame = ranked.frame()
    assert [row.model for row in ranked] == list(frame["model"]) == ["jpeg", "identity"]
    assert frame["ssim"][0] == ranked[0].metrics["ssim"].mean


def test_results_show_themselves_as_text_and_as_html(done: Benchmark, tmp_path: Path) -> None:
    assert "6 of 6 trajectories" in repr(done)
    shown = done._repr_html_()
    assert "<td" in shown
    assert "data:image/png;base64,iVBOR" in shown
    for table in (done.ranking(), done.compare("jpeg", "identity"), done.worst(limit=2)):
        assert "jpeg" in repr(table)
        assert "jpeg" in table._repr_html_()
        assert max(map(len, repr(table).splitlines())) <= 100


def test_the_text_of_a_wide_comparison_keeps_its_verdicts(suite: str, tmp_path: Path) -> None:
    models = {"a-model-with-a-name": "jpeg?quality=90", "and-another-model": "jpeg?quality=80"}
    done = convergebench.run(models, suite, 1, limit=2, metrics=["ssim"], workspace=tmp_path / "results")
    compared = done.compare(*models)
    assert Console(width=1000).measure(compared.table).maximum > 100
    assert "verdict" in repr(compared) and "cannot be told apart" in repr(compared)


def test_a_text_is_returned_and_not_displayed_where_rich_finds_a_notebook(
    done: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert "jpeg" in repr(done.ranking())


def test_the_text_of_a_wide_ranking_keeps_rank_and_model(suite: str, tmp_path: Path) -> None:
    models = {
        "a model whose name is long enough to fill a line": "blur",
        "another one with a long name": "jpeg",
    }
    done = convergebench.run(
        models, suite, 1, limit=1, metrics=["psnr", "ssim"], workspace=tmp_path / "results"
    )
    ranked = done.ranking()
    assert Console(width=1000).measure(ranked.table).maximum > 100
    lines = repr(ranked).splitlines()
    left_out = " ".join(lines).partition("Too narrow for: ")[2].partition(". See frame().")[0]
    assert "s/edit" in " ".join(left_out.split()).split(", ")
    assert any("#" in line and "model" in line for line in lines)
    assert any(
        "a model whose name is long enough to fill a line" in line and "blur" not in line for line in lines
    )


def test_results_without_returns_explain_themselves(suite: str, tmp_path: Path) -> None:
    done = convergebench.run("jpeg", suite, 1, limit=1, protocol="one_shot", workspace=tmp_path / "results")
    assert "Benchmark in" in repr(done)
    assert "<p>" in done._repr_html_()


def test_a_name_of_a_model_is_escaped_in_html(suite: str, tmp_path: Path) -> None:
    done = convergebench.run(
        {"<b>mine": "jpeg"}, suite, 1, limit=1, metrics=["psnr"], workspace=tmp_path / "results"
    )
    assert "&lt;b&gt;mine" in done.ranking()._repr_html_()
    assert "<b>mine" not in done._repr_html_()


def test_a_comparison_pairs_two_models_on_their_shared_cases(done: Benchmark) -> None:
    compared = done.compare("identity", "jpeg", "ssim", by="kind")
    first = compared[0]
    assert (first.quantity, first.difference.n) == ("ssim @ R2", 3)
    assert first.difference.mean > 0
    assert len(compared.frame()) == len(compared)


def test_the_worst_cases_are_those_of_the_models_that_are_named(done: Benchmark) -> None:
    found = done.worst("psnr", limit=2, models=["jpeg"])
    values = [one.value for one in found]
    assert values == sorted(done.returns().query("model == 'jpeg' and round == 2")["psnr"])[:2]


def test_report_grid_and_plot_take_models(done: Benchmark, tmp_path: Path) -> None:
    *_, page = done.report(tmp_path / "page", models=["jpeg"])
    assert page.suffix == ".html"
    assert "identity" not in (tmp_path / "page" / "report.md").read_text(encoding="utf-8")
    both, one = (done.grid(tmp_path / f"{len(names)}.png", models=names) for names in ((), ("jpeg",)))
    with Image.open(both) as tall, Image.open(one) as low:
        assert tall.height > low.height
    assert done.plot(tmp_path / "one.svg", ["psnr"], models=["jpeg"]).is_file()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = convergebench.nothing
