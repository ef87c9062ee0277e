"""Published wording from an imitated clone: what is sent, how replies are read, what the figures come to."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.benchmarks.gedit.published import published_rubrics as gedit_rubrics
from convergebench.benchmarks.reedit.mini import load_reedit_mini
from convergebench.benchmarks.reedit.published import published_rubrics as reedit_rubrics
from convergebench.benchmarks.wiseedit.mini import load_wiseedit_mini
from convergebench.benchmarks.wiseedit.published import published_rubrics as wiseedit_rubrics
from convergebench.benchmarks.wording import wording_name
from convergebench.engine import Plan, run_plan
from convergebench.errors import WrongUse
from convergebench.judges import JudgeReply, Rubric, Verdict, open_judge
from convergebench.judges.contract import verdict
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.scoring import Scored, score_suite
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Suite
from published_clones import gedit_clone, reedit_clone, wiseedit_clone, write
from scripted import Scripted
from servers.judge import Asked, JudgeServer, completion


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def edited(workspace: Workspace, suite: Suite) -> None:
    plan = Plan(suite.id, one_shot(), suite.cases, (Scripted(),), (0,))
    number = workspace.start_run({"suite": plan.suite}, "test")
    asyncio.run(run_plan(plan, workspace, MetricSet([]), run=number))


def scored(workspace: Workspace, suite: Suite, judge: JudgeServer, **options: object) -> Scored:
    return asyncio.run(score_suite(workspace, suite, open_judge(judge.name), **options))  # type: ignore[arg-type]


def kinds(asked: Asked) -> list[str]:
    """Texts as they are, pictures by their media type."""
    return [
        part["text"] if part["type"] == "text" else part["image_url"]["url"].partition(";")[0]
        for part in asked.content
    ]


JPEG, PNG = "data:image/jpeg", "data:image/png"
GEDIT_CONTEXT = 'Grade pictures. Answer so:\n{\n"score" : [...],\n"reasoning" : "..."\n}'


def test_gedit_is_sent_the_constants_of_the_clone_and_nothing_else(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_gedit_mini("en", Sampling(limit=1))
    edited(workspace, suite)
    judge.script = lambda number, asked: completion('{"score": [8, 6], "reasoning": "fine"}')
    scored(workspace, suite, judge, prompts=str(gedit_clone(tmp_path / "Step1X-Edit")))
    sc, pq = sorted(judge.asked, key=lambda one: -len(one.pictures))
    wish = suite.cases[0].forward
    text = f"{GEDIT_CONTEXT}\nTwo pictures follow.\n\nFirst grade, second grade.\nWish: {wish}"
    assert kinds(sc) == [text, JPEG, JPEG]
    assert kinds(pq) == [f"{GEDIT_CONTEXT}\nOne picture follows.", JPEG]
    for asked in judge.asked:
        assert asked.system is None
        assert "response_format" not in asked.body
    assert Picture.from_bytes(sc.pictures[0]).size == Picture.from_file(suite.cases[0].source.path).size


def test_wiseedit_is_sent_captions_and_pictures_in_upstreams_order(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_wiseedit_mini("en", Sampling(subsets=("Awareness_1", "Awareness_2")))
    edited(workspace, suite)
    judge.script = lambda number, asked: completion('Thus {"score": 8, "reason": "fine"}.')
    result = scored(workspace, suite, judge, prompts=str(wiseedit_clone(tmp_path / "WiseEdit")))
    assert result.judged.ok == 8
    asked = {tuple(kinds(one)) for one in judge.asked}
    wish = "\n\nWish: Show this place half a year later."
    hint = "Help: it should show\nSnow lies on the ground."
    one, two = ("Before:", JPEG), ("Before no. 1:", JPEG, "Before no. 2:", JPEG)
    assert asked == {
        ("Grade the look.", "Alone:", JPEG),
        (f"Grade detail_preserving of one.{wish}", *one, "After:", JPEG),
        (f"Grade detail_preserving of many.{wish}", *two, "After:", JPEG),
        (f"Grade instruction_following of one.{wish}", *one, "After:", JPEG, hint, "Like this:", JPEG),
        (f"Grade instruction_following of many.{wish}", *two, "After:", JPEG, hint, "Like this:", JPEG),
        (f"Grade knowledge_fidelity of one.{wish}", *one, "After:", JPEG, hint, "Like this:", JPEG),
        (f"Grade knowledge_fidelity of many.{wish}", *two, "After:", JPEG, hint, "Like this:", JPEG),
    }


def test_reedit_is_sent_pictures_first_and_the_challenge_last(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_reedit_mini(Sampling(subsets=("causal",), limit=1))
    edited(workspace, suite)
    judge.script = lambda number, asked: completion(
        '{"score": "yes"}' if "Is it" in str(asked.system) else '{"score": [7, 9]}'
        if "_metric" in str(asked.system) else '{"score": 5, "reason": "half"}'
    )  # fmt: skip
    result = scored(workspace, suite, judge, prompts=str(reedit_clone(tmp_path / "RE-Edit")))
    (case,) = suite.cases
    by_system = {asked.system: kinds(asked) for asked in judge.asked}
    wish = f"Wish: {case.forward}"
    assert by_system == {
        'Is it causal? Answer {"score": "yes" or "no"}.\n': [
            PNG, PNG,
            f'It was: {case.hints["description"]}\n{wish}\n{{"score": ...}}\n'
            f'\n\nTask Challenge: {case.hints["rationale"]}',
        ],
        "Grade pq_metric.": [PNG, PNG, wish],
        "Grade sc_metric.": [PNG, PNG, wish],
        "Grade instruction_following.": [PNG, PNG, wish],
    }  # fmt: skip
    figures = {row.metric: row.score and row.score.mean for row in result.rows}
    assert figures == {
        "Passed (%)": 100.0, "Semantic Consistency": 7.0, "Instruction Following": 5.0,
        "Perceptual Quality": 7.0,
    }  # fmt: skip


def read(text: str, rubric: Rubric) -> Verdict:
    return verdict(JudgeReply(text, "complete", "stop", "m"), rubric)


REPLIES = {
    "upstream's form": '{{"score": {score}, "reasoning": "ok"}}',
    "prose": 'The edit worked. {{"score": {score}, "reasoning": "ok"}} That is my view.',
    "fence with text behind": '```json\n{{"score": {score}, "reasoning": "ok"}}\n```\nDone.',
    "Chinese": '编辑成功。评分：\n```json\n{{"score": {score}, "reasoning": "ok"}}\n```\n以上。',
    "keys in another case": '{{"Score": {score}, "Reasoning": "ok"}}',
    "another word for the reason": '{{"score": {score}, "reason": "ok"}}',
}


@pytest.mark.parametrize("form", REPLIES.values(), ids=REPLIES)
def test_upstreams_replies_are_read_in_every_dress(form: str, tmp_path: Path) -> None:
    sc = gedit_rubrics(gedit_clone(tmp_path / "gedit"))["gedit_sc"]
    for list_of_two in ("[8, 6]", '["8", "6.0"]', '{"success": 8, "overediting": 6}'):
        found = read(form.format(score=list_of_two), sc)
        assert (found.value, found.reason) == (6.0, "ok")
    dp = wiseedit_rubrics(wiseedit_clone(tmp_path / "wise"))["wiseedit_dp"]
    assert read(form.format(score='"8"'), dp).value == read(form.format(score="[8]"), dp).value == 8.0
    causal = reedit_rubrics(reedit_clone(tmp_path / "reedit"))["reedit_causal"]
    assert (
        read(form.format(score='"Yes"'), causal).value == read(form.format(score='"是"'), causal).value == 1.0
    )
    assert read(form.format(score='"no"'), causal).value == 0.0


@pytest.mark.parametrize(
    "text", ["8 and 6", '{"score": 8}', '{"score": [8]}', '{"score": [8, 6, 4]}', '{"score": ["a", 6]}',
             '{"scores": [8, 6]}', '{"score": [8, 6]} or {"score": [1, 6]}']
)  # fmt: skip
def test_nothing_is_guessed_from_a_bad_reply(text: str, tmp_path: Path) -> None:
    found = read(text, gedit_rubrics(gedit_clone(tmp_path))["gedit_sc"])
    assert (found.outcome, found.value) == ("unparseable", None)


def test_the_reason_counts_the_scores_of_a_bad_reply(tmp_path: Path) -> None:
    sc = gedit_rubrics(gedit_clone(tmp_path))["gedit_sc"]
    for given, said in (("8", "1 score"), ("[8, 6, 4]", "3 scores")):
        assert read(f'{{"score": {given}}}', sc).missing == f"the reply has {said} instead of 2"


def test_a_grade_outside_the_published_scale_is_out_of_range(tmp_path: Path) -> None:
    rubrics = gedit_rubrics(gedit_clone(tmp_path))
    assert read('{"score": [15, -3]}', rubrics["gedit_sc"]).outcome == "out_of_range"


def test_a_second_attempt_asks_in_the_same_words(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_gedit_mini("en", Sampling(limit=1))
    edited(workspace, suite)
    judge.script = lambda number, asked: completion("hm")
    result = scored(workspace, suite, judge, prompts=str(gedit_clone(tmp_path)))
    assert (result.judged.missing, result.judged.calls) == ({"unparseable": 2}, 4)
    assert len({tuple(kinds(asked)) for asked in judge.asked}) == 2


def reference_gedit(replies: dict[str, tuple[list[float], list[float]]], subsets: dict[str, str]) -> float:
    """GEdit-Bench's published formula: minima, the root of their product, group means, their mean."""
    groups: dict[str, list[float]] = {}
    for key, (sc, pq) in replies.items():
        groups.setdefault(subsets[key], []).append(math.sqrt(min(sc) * min(pq)))
    return sum(sum(one) / len(one) for one in groups.values()) / len(groups)


def test_gedits_figures_equal_the_published_formula(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_gedit_mini("en")
    edited(workspace, suite)
    wishes = {case.forward: case.id for case in suite.cases}
    grades = {key: ([n % 11, (3 * n) % 11], [9.5, 5]) for n, key in enumerate(wishes.values(), start=2)}

    def script(number: int, asked: Asked):  # type: ignore[no-untyped-def]
        if len(asked.pictures) == 1:
            return completion('{"score": [9.5, 5], "reasoning": "x"}')
        key = wishes[asked.texts[0].rpartition("Wish: ")[2]]
        return completion(f"评分 {json.dumps({'score': grades[key][0], 'reasoning': '好'})}")

    judge.script = script
    result = scored(workspace, suite, judge, prompts=str(gedit_clone(tmp_path)))
    (overall,) = [
        row for row in result.rows if (row.metric, row.subset) == ("Overall", "OVERALL (macro mean)")
    ]
    assert overall.score is not None
    subsets = {case.id: case.category for case in suite.cases}
    assert overall.score.mean == pytest.approx(reference_gedit(grades, subsets), abs=1e-12)


def test_the_wordings_digest_is_in_every_row_and_changes_with_a_word(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_gedit_mini("en", Sampling(limit=1))
    edited(workspace, suite)
    clone = gedit_clone(tmp_path)
    ours = scored(workspace, suite, judge)
    judge.script = lambda number, asked: completion('{"score": [8, 6]}')
    first = scored(workspace, suite, judge, prompts=str(clone))
    file = clone / "GEdit-Bench" / "viescore" / "vie_prompts.py"
    write(file, file.read_text().replace("Two pictures follow.", "Two pictures follow!"))
    second = scored(workspace, suite, judge, prompts=str(file))
    assert first.judged.new == second.judged.new == 2
    assert first.wording != second.wording
    for result, name in (
        (ours, "ConvergeBench's own wording"),
        (first, f"published wording {first.wording[10:]}"),
    ):
        assert {wording_name(row.wording) for row in result.rows} == {name}
        assert {row.judge for row in result.rows} == {judge.name.partition("?")[0]}


def test_rubrics_of_ones_own_take_part_in_the_benchmarks_sums(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_gedit_mini("en", Sampling(limit=1))
    edited(workspace, suite)
    write(
        tmp_path / "mine" / "sc.toml",
        'id = "gedit_sc"\nversion = 1\nof = "edit"\nsees = ["source", "result", "instruction"]\n'
        'prompt = "Is it done?"\n[[ask]]\nname = "done"\nlow = 0\nhigh = 10\nasks = "How far?"\n',
    )
    result = scored(workspace, suite, judge, prompts=str(tmp_path / "mine"))
    assert wording_name(result.wording).startswith("custom wording ")
    assert any("Is it done?" in asked.texts for asked in judge.asked)
    assert {row.metric: row.score and row.score.mean for row in result.rows}["Overall"] == 7.0


CLONES: dict[str, tuple[Callable[[Path], Path], str, Callable[[Path], dict[str, Rubric]]]] = {
    "gedit": (gedit_clone, "GEdit-Bench/viescore/vie_prompts.py", gedit_rubrics),
    "wiseedit": (wiseedit_clone, "Evaluation/evaluation_utils.py", wiseedit_rubrics),
    "reedit": (reedit_clone, "config/config_iterative_refinement.yaml", reedit_rubrics),
}


@pytest.mark.parametrize("name", CLONES)
def test_a_copy_that_is_not_the_published_one_is_refused_with_its_file(name: str, tmp_path: Path) -> None:
    clone, file, rubrics = CLONES[name]
    place = clone(tmp_path / name) / file
    write(place, "x: 1\n" if file.endswith("yaml") else "x = 1\n")
    with pytest.raises(WrongUse, match=place.name):
        rubrics(tmp_path / name)
    place.unlink()
    with pytest.raises(WrongUse, match=f"{file}.*clone"):
        rubrics(tmp_path / name)


def test_an_unknown_field_of_a_template_is_an_error(tmp_path: Path) -> None:
    clone = reedit_clone(tmp_path)
    file = clone / "config" / "config_iterative_refinement.yaml"
    write(file, file.read_text().replace("{original_description}", "{mood}"))
    with pytest.raises(WrongUse, match=r"cannot be filled: unknown field \{mood\}"):
        reedit_rubrics(clone)


DRESSES = (
    "{reply}",
    "The edit is good. {reply} That is my view.",
    "```json\n{reply}\n```\nDone.",
    "评分如下：\n```json\n{reply}\n```\n以上。",
)


def test_wiseedits_figures_equal_the_published_formula_in_every_dress_and_with_a_bad_reply(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_wiseedit_mini("en", Sampling(subsets=("Awareness_1", "Awareness_2")))
    edited(workspace, suite)
    grades = {"detail_preserving": 8, "instruction_following": 6, "knowledge_fidelity": 4, "the look": 10}

    def script(number: int, asked: Asked):  # type: ignore[no-untyped-def]
        if "knowledge_fidelity of many" in asked.texts[0]:
            return completion("八分左右。")
        (grade,) = [grade for name, grade in grades.items() if name in asked.texts[0]]
        reply = json.dumps({"score": grade, "reason": "好"}, ensure_ascii=False)
        return completion(DRESSES[number % len(DRESSES)].format(reply=reply))

    judge.script = script
    result = scored(workspace, suite, judge, prompts=str(wiseedit_clone(tmp_path)))
    found = {row.metric: row for row in result.rows if row.subset == "Awareness"}
    # On a scale of a hundred, rounded to one decimal; AVG is the mean of the rounded ones.
    points = [round((grade - 1) / 9 * 100, 1) for grade in grades.values()]
    figures = [found[name].score for name in ("DP", "IF", "KF", "VQ", "AVG")]
    assert [one and one.mean for one in figures] == pytest.approx([*points, sum(points) / 4])
    assert (found["KF"].n, found["KF"].missing) == (1, 1)
    assert not result.is_complete


def test_reedits_figures_equal_the_published_formula_in_every_dress_and_with_a_bad_reply(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path
) -> None:
    suite = load_reedit_mini(Sampling(subsets=("physical", "causal")))
    edited(workspace, suite)
    scores: dict[str, object] = {
        "causal": "Yes", "physical": "no", "sc_metric": ["7", 9], "instruction_following": 5,
    }  # fmt: skip

    def script(number: int, asked: Asked):  # type: ignore[no-untyped-def]
        known = [score for name, score in scores.items() if name in str(asked.system)]
        if not known:
            return completion("hm")
        reply = json.dumps({"score": known[0], "reasoning": "好"}, ensure_ascii=False)
        return completion(DRESSES[number % len(DRESSES)].format(reply=reply))

    judge.script = script
    result = scored(workspace, suite, judge, prompts=str(reedit_clone(tmp_path)), as_published=True)
    rows = {(row.metric, row.subset): row for row in result.rows}
    overall = "OVERALL (sample mean)"
    means = {key: row.score and row.score.mean for key, row in rows.items()}
    assert [means["Passed (%)", subset] for subset in ("physical", "causal", overall)] == [0, 100, 50]
    assert means["Semantic Consistency", overall] == 7
    assert means["Instruction Following", overall] == 5
    quality = rows["Perceptual Quality", overall]
    assert (quality.score, quality.missing) == (None, len(suite.cases))
    assert quality.as_published is not None and quality.as_published.score == 5  # as upstream fills it
