from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extending.conftest import Commands, Install
from report.page.test_static_site import section
from servers.judge import JudgeServer

MOODS = """
    from pathlib import Path
    from convergebench.analysis.judged.benchmark_scores import (
        BenchmarkRow, reasons_of, sample_mean, scores_of,
    )
    from convergebench.analysis.refinement.figures import Grade, RefinementFigures
    from convergebench.benchmarks.benchmark import JudgedBenchmark
    from convergebench.benchmarks.layouts import ResultFinder
    from convergebench.picture import Picture
    from convergebench.suites import SuiteInfo
    from convergebench.types import Case, SourcePicture, Suite

    def load(on_package, *, data=""):
        files = sorted(Path(data).glob("*.png"))
        sources = [SourcePicture(file.stem, file, Picture.from_file(file).digest) for file in files]
        cases = [Case(one.id, (one,), "Make it sad.", category="sad") for one in sources]
        return Suite("moods", "1", tuple(cases))

    def table(suite, rows):
        scores = scores_of(rows, "moods_tone")
        why = reasons_of(scores)
        missing = sum(why.values())
        counts = len(scores) - missing, missing
        return [BenchmarkRow(rows[0].model, suite, "en", "Tone", "sad", *counts, sample_mean(scores), why)]

    def results(folder):
        return ((file.stem, file) for file in sorted(folder.glob("*.png")))

    BENCHMARK = JudgedBenchmark(
        name="moods",
        suites=(SuiteInfo("moods", "1", "sad pictures", 2, 2, load),),
        rubrics_of=lambda subset: ("moods_sad", "moods_tone"),
        table=table,
        results=ResultFinder(results, "anna.png"),
        refinement=RefinementFigures(
            lambda category: f"moods_{category}", {"sc": Grade("moods_tone", "Tone")}, ("sad",)
        ),
    )
"""
RUBRIC = """
    id = "{id}"
    version = 1
    of = "edit"
    sees = ["source", "result"]
    prompt = "Look at both pictures."

    [[ask]]
    name = "{id}"
    {scale}
    asks = "How sad is it?"
"""


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


@pytest.fixture(autouse=True)
def moods(install: Install) -> None:
    install(
        "convergebench.benchmarks",
        "moods.benchmark:BENCHMARK",
        {
            "moods/__init__.py": "",
            "moods/benchmark.py": MOODS,
            "moods/rubrics/moods_sad.toml": RUBRIC.format(id="moods_sad", scale=""),
            "moods/rubrics/moods_tone.toml": RUBRIC.format(id="moods_tone", scale="low = 0\n    high = 10"),
        },
    )


def test_its_suite_is_listed_and_run_and_a_task_names_it_like_any_other(
    commands: Commands, pictures: Path, judge: JudgeServer, tmp_path: Path
) -> None:
    pytest.importorskip("yaml")
    task = f'suite: moods\nmodels: jpeg\ndata: {pictures}\njudge: "{judge.name}"\n'
    (tmp_path / "task.yaml").write_text(task)
    listed, ran, done = commands(
        ("suites", "--json"),
        ("run", "-m", "jpeg", "--suite", "moods", "--data", pictures, "--metric", "psnr", "--json"),
        ("task", "task.yaml", "--json"),
    )
    assert "moods" in [one["name"] for one in listed.json]
    assert ran.json["run"]["edits"] == 2
    assert [(row["model"], row["metric"], row["score"]) for row in done.json["rows"]] == [("jpeg", "Tone", 7)]


def test_its_result_folder_is_read_judged_by_its_rubrics_and_shown_in_its_table(
    commands: Commands, pictures: Path, judge: JudgeServer, tmp_path: Path
) -> None:
    scored, again, _ = commands(
        ("score", pictures, "--suite", "moods", "--data", pictures, "-m", "mine", "--judge", judge.name,
         "--json"),
        ("judge", "--judge", judge.name, "--rubric", "moods_tone", "--json"),
        ("report", "-o", "page"),
    )  # fmt: skip
    assert scored.json["coverage"]["usable"] == 2
    assert [(row["metric"], row["n"], row["score"]) for row in scored.json["rows"]] == [("Tone", 2, 7)]
    assert [(row["rubric"], row["mean"]) for row in again.json["rows"]] == [("moods_tone@1", 7)]
    assert len(judge.asked) == 4, "what was scored is not judged again"
    (table,) = section(tmp_path / "page", "judging")["subsets"]
    assert [(row["metric"], row["subset"], row["score"]) for row in table["rows"]] == [("Tone", "sad", 7)]


def test_refined_edits_of_it_are_judged_by_its_own_rubrics(
    commands: Commands, pictures: Path, judge: JudgeServer
) -> None:
    (refined,) = commands(
        ("refine", "-m", "jpeg", "--suite", "moods", "--data", pictures, "--rounds", 0, "--judge", judge.name,
         "--json"),
    )  # fmt: skip
    assert [(row["metric"], row["n"], row["score"]) for row in refined.json["rows"]] == [("Tone", 2, 7)]
    assert set(refined.json["rounds"][0]["figures"]) == {"Passed (%)", "Tone"}
