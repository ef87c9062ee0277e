"""Whether a user's own edit is of the whole picture: its category, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageOps

import convergebench
from convergebench import Benchmark, api
from convergebench.analysis.headline.headline_ranking import headline_ranking
from convergebench.cli.main import code_of
from convergebench.engine.judging.candidates import judging_candidates
from convergebench.judges import rubric
from convergebench.refinement.prepare import prepare
from convergebench.refinement.settings import refinement_settings
from convergebench.store import Workspace
from convergebench.suites import select
from convergebench.types import Case
from made_pictures import textured

TURN = "Turn the picture upside down."
DOT, NO_DOT = "Add a red dot to the corner.", "Remove the red dot from the corner."
AUTUMN, SUMMER = "Make it look like autumn.", "Make it look like summer."
SOURCE = Image.fromarray(textured(width=128, height=96) // 4)
SOURCE.paste("gold", (0, 0, 128, 48))  # so that most of it differs when it is turned
CORNER = (4, 4, 25, 25)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    SOURCE.save(folder / "anna.png")
    return folder


def exact(image: Image.Image, instruction: str, seed: int) -> Image.Image:
    if instruction == TURN:
        return ImageOps.flip(image)
    if instruction in (AUTUMN, SUMMER):
        return ImageOps.invert(image)
    changed = image.copy()
    if instruction == DOT:
        ImageDraw.Draw(changed).rectangle(CORNER, "red")
    else:
        changed.paste(SOURCE.crop((0, 0, 32, 32)), (0, 0))
    return changed


def written(folder: Path, *rows: str) -> Path:
    path = folder / "edits.csv"
    path.write_text("\n".join(["forward,backward,category,reversibility", *rows]))
    return path


@pytest.fixture
def run(pictures: Path, tmp_path: Path) -> Callable[..., Benchmark]:
    def run(*rows: str) -> Benchmark:
        return convergebench.run(
            {"exact": exact}, images=pictures, edits=written(tmp_path, *rows), rounds=2,
            metrics=["psnr", "regions"], workspace=tmp_path / "results",
        )  # fmt: skip

    return run


@pytest.fixture
def cases(pictures: Path, tmp_path: Path) -> Callable[..., tuple[Case, ...]]:
    def cases(*rows: str) -> tuple[Case, ...]:
        return api.load_suite(f"folder:{pictures}", str(written(tmp_path, *rows))).cases

    return cases


def score(benchmark: Benchmark) -> float | None:
    found = headline_ranking(benchmark.results()).headline
    assert found is not None
    (row,) = found.rows
    return row.score.mean if row.score else None


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (f"{TURN},{TURN},,", "geometric"),
        (f"{TURN},{TURN},own,", "geometric"),
        (f"{DOT},{NO_DOT},,", "own"),
        (f"{DOT},{NO_DOT},dots,", "dots"),
        (f"{AUTUMN},{SUMMER},season,", "season+weather"),
        (f"{AUTUMN},{SUMMER},scene_objects,", "scene_objects"),
        (f"{AUTUMN},{SUMMER},lighting,", "lighting"),
    ],
)
def test_the_words_say_what_the_users_category_leaves_open(
    cases: Callable[..., tuple[Case, ...]], given: str, found: str
) -> None:
    assert [case.category for case in cases(given)] == [found]


def test_edits_of_the_whole_picture_that_come_back_exactly_have_the_full_score(
    run: Callable[..., Benchmark],
) -> None:
    assert score(run(f"{TURN},{TURN},,", f"{AUTUMN},{SUMMER},season,reversible")) == pytest.approx(100)


def test_a_local_edit_must_still_keep_the_rest(run: Callable[..., Benchmark]) -> None:
    benchmark = run(f"{DOT},{NO_DOT},,")
    assert score(benchmark) == pytest.approx(100)
    assert all(one.values["kept"].value == 1 for one in benchmark.results().returns)


def test_a_category_that_was_stored_before_is_corrected_without_new_edits(
    run: Callable[..., Benchmark],
) -> None:
    before = run(f"{TURN},{TURN},scene_objects,")
    assert score(before) == pytest.approx(0)
    before.close()
    after = run(f"{TURN},{TURN},,")
    assert score(after) == pytest.approx(100)
    assert {one.category for one in after.results().returns} == {"geometric"}
    assert after.outcome is not None
    assert (after.outcome.edits, after.outcome.replayed) == (0, 4)


def test_a_joined_category_can_be_selected_by_the_name_that_the_user_gave(
    cases: Callable[..., tuple[Case, ...]],
) -> None:
    both = cases(f"{AUTUMN},{SUMMER},season,", f"{DOT},{NO_DOT},dots,")
    assert [case.forward for case in select(both, categories=["season"])] == [AUTUMN]
    assert [case.forward for case in select(both, categories=["season+weather", "dots"])] == [AUTUMN, DOT]


def test_a_rubric_for_the_users_category_judges_its_edits(run: Callable[..., Benchmark]) -> None:
    benchmark = run(f"{AUTUMN},{SUMMER},season,", f"{DOT},{NO_DOT},dots,")
    seasons = replace(rubric("roundtrip_forward"), category="season")
    judged = judging_candidates(benchmark.workspace, [seasons])
    assert {one.task.subject.texts["instruction"] for one in judged} == {AUTUMN}


@pytest.mark.parametrize("protocol", ["", "cross_edit"])
def test_a_run_says_how_each_edit_is_scored_before_it_edits(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], protocol: str
) -> None:
    edits = written(tmp_path, f"{TURN},,,", "Mach das Bild wärmer.,Mach das Bild kühler.,,", f"{DOT},,,")
    words = ["run", "-m", "jpeg", "--images", str(pictures), "--edits", str(edits), "--protocol", protocol]
    assert code_of([*words, "--dry-run"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("Inverse of 'Turn the picture upside down.'")
    assert said[-3].startswith("How each edit is scored;")
    assert said[-2:] == [
        f"  the whole picture, reversible: {TURN!r}",
        f"  one part of the picture, reversible: 'Mach das Bild wärmer.', {DOT!r}",
    ]


def test_how_edits_are_scored_is_not_said_where_nothing_is_undone(pictures: Path, tmp_path: Path) -> None:
    edits = str(written(tmp_path, f"{TURN},,,"))
    settings = api.Settings(("jpeg",), f"folder:{pictures}", edits=edits, protocol="one_shot")
    assert api.make_plan(settings).remarks == ()


@pytest.fixture
def turned(pictures: Path) -> Path:
    """Pictures with an own edit of the whole picture, without a category and without its inverse."""
    (pictures / "pictures.json").write_text(json.dumps({"anna.png": {"edits": [{"forward": TURN}]}}))
    return pictures


def test_a_refinement_has_the_cases_of_a_run_and_edits_none_twice(turned: Path) -> None:
    settings = refinement_settings({"models": "identity", "suite": f"folder:{turned}", "rounds": 0})
    (case,) = prepare(settings).cases
    assert case.category == "geometric"
    assert case.fingerprint == api.load_suite(f"folder:{turned}").cases[0].fingerprint


def test_imported_pictures_of_own_edits_are_stored_as_the_cases_of_a_run(
    turned: Path, tmp_path: Path
) -> None:
    (tmp_path / "made" / "anna").mkdir(parents=True)
    (known,) = api.load_suite(f"folder:{turned}").cases
    SOURCE.save(tmp_path / "made" / f"{known.id}.png")
    words = ["import", tmp_path / "made", "--layout", "imgedit", "--suite", f"folder:{turned}",
             "-m", "theirs", "--metric", "psnr", "-w", tmp_path / "results"]  # fmt: skip
    assert code_of([str(word) for word in words]) == 0
    with Workspace.existing(tmp_path / "results") as store:
        (stored,) = store.query("SELECT fingerprint, category, backward FROM case_facts")
    assert tuple(stored) == (known.fingerprint, "geometric", known.backward)


def test_a_listing_shows_the_categories_and_inverses_that_a_run_uses(
    turned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(["suites", f"folder:{turned}", "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)["cases"]
    assert (shown["category"], shown["backward"]) == ("geometric", "Turn the image upside down.")
