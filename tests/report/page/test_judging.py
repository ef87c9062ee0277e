"""What judges said, in figures and word for word."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from convergebench.judges import rubric
from convergebench.judges.base import Verdict
from convergebench.report.page.pairwise import contest_tables
from convergebench.report.page.step_index import by_picture, index_steps
from convergebench.report.page.verdicts import judgements_of
from convergebench.store import Enrolment, Workspace
from convergebench.store.judgements import enlist_judge
from report.page.conftest import Visit, write
from report.page.filled import ROUNDS, SUITE, cases, editor, fill, record, source_of, worn
from report.page.judged import (
    CANNOT,
    GRADES,
    NOT_JSON,
    RAW_REPLY,
    REASON,
    REFUSED,
    SINGLE,
    add_judging,
    judge,
    keep,
)
from report.page.test_page import PICTURE, pixels
from report.page.test_static_site import section

VERDICTS = "#/judging?part=verdicts"
REVERSAL, QUALITY = (rubric(name).name for name in ("roundtrip_reversal", "gedit_pq"))


def test_a_verdict_stands_where_its_picture_does_and_nowhere_else(written: Path) -> None:
    index = section(written, "judging")
    texts = index["texts"]
    named = [
        (texts[row[3]], texts[row[4]], texts[row[5]], row[7])
        for row in index["rows"]
        if next(one for one in index["rubrics"] if one["fingerprint"] == texts[row[2]])["id"]
        == "roundtrip_reversal"
    ]
    expected = [("tiny@1", name, cases()[2].id, number) for name in GRADES for number in range(1, ROUNDS + 1)]
    assert sorted(named) == sorted(expected)


def test_a_verdict_on_a_forward_edit_is_of_the_round_whose_input_the_judge_saw(tmp_path: Path) -> None:
    case = cases()[2]
    held = source = source_of(case)
    forward = worn(source, "steady", 1, forward=True)
    with Workspace.create(tmp_path) as workspace:
        run = workspace.start_run({}, "0.1.0")
        enlist_judge(workspace, judge(), [rubric("roundtrip_forward")])
        enrolment = Enrolment("round_trip", SUITE, editor("steady"), case, 0, ROUNDS)
        (trajectory,) = workspace.enrol([enrolment], fresh=False)
        for number in range(1, ROUNDS + 1):
            shown = (("source", held.digest), ("result", forward.digest))
            verdict = Verdict("ok", float(number == 1), {"happened": float(number == 1)}, f"round {number}")
            keep(workspace, run, "roundtrip_forward", shown, {"instruction": case.forward}, verdict, [], str)
            record(workspace, run, trajectory, number, "forward", held, forward)
            held = worn(source, "steady", number, forward=False)
            record(workspace, run, trajectory, number, "backward", forward, held)
        found = judgements_of(workspace, by_picture(index_steps(workspace)))
    of_round = {one.record.reason: [place.round for place in one.places] for one in found}
    assert of_round == {"round 1": [1], "round 2": [2], "round 3": [3]}


def test_the_benchmarks_table_has_the_square_root_of_both_grades_and_says_what_is_missing(
    written: Path,
) -> None:
    (table,) = [one for one in section(written, "judging")["subsets"] if one["suite"] == SINGLE]
    overall = {(row["model"], row["subset"]): row for row in table["rows"] if row["metric"] == "Overall"}
    for model, (consistency, quality) in GRADES.items():
        assert overall[model, "subject-add"]["score"] == pytest.approx(math.sqrt(consistency * quality))
    missing = overall["fading", "style_change"]
    assert (missing["score"], missing["n"], missing["missing"]) == (None, 0, 1)
    assert missing["reasons"] == [[f"no picture: {CANNOT}", 1]]


def test_the_slider_of_single_edits_follows_the_pointer(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/edits?case=one0%2Fadd&model=steady&mode=onion")
    slider = page.locator("input[data-key=amount]")
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for share in (0.6, 0.75, 0.9):
        page.mouse.move(box["x"] + box["width"] * share, middle)
    page.mouse.up()
    assert int(slider.input_value()) > 80


def test_means_leave_out_what_is_missing_and_count_it(written: Path) -> None:
    index = section(written, "judging")
    ids = {one["fingerprint"]: one["id"] for one in index["rubrics"]}
    lines = {(ids[one["rubric"]], one["model"]): one for one in index["summaries"]}
    fading, steady = (lines["roundtrip_reversal", name] for name in ("fading", "steady"))
    assert (fading["n"], fading["missing"], fading["mean"]) == (1, 2, 8.0)
    assert sorted(fading["kinds"]) == [["refused", 1], ["unparseable", 1]]
    assert steady["mean"] == 7.0 and steady["bars"] == [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0]
    assert steady["rounds"] == [[1, 6.0, 1], [2, 7.0, 1], [3, 8.0, 1]]


def test_the_model_that_is_preferred_in_both_orders_wins(written: Path) -> None:
    (contest,) = section(written, "judging")["contests"]
    # Two cases start from the same picture and come to the same ones, so that the verdict is on both.
    assert contest["wins"] == [["fading", "steady", 0, 0, 2]]
    assert (contest["n"], contest["missing"], contest["order_disagreements"]) == (2, 0, 0)


def test_two_models_that_made_the_same_picture_tie_though_nobody_was_asked(tmp_path: Path) -> None:
    fill(tmp_path)
    case = cases()[2]
    source = source_of(case)
    with Workspace.create(tmp_path) as workspace:
        add_judging(workspace, 1)
        enrolment = Enrolment("round_trip", SUITE, editor("mirror"), case, 0, ROUNDS)
        (trajectory,) = workspace.enrol([enrolment], fresh=False)
        for number in range(1, ROUNDS + 1):
            forward, back = (worn(source, "steady", number, forward=way) for way in (True, False))
            record(workspace, 1, trajectory, number, "forward", source, forward)
            record(workspace, 1, trajectory, number, "backward", forward, back)
        steps = index_steps(workspace)
        (contest,) = contest_tables(judgements_of(workspace, by_picture(steps)), steps)
    wins = {(first, second): tuple(counts) for first, second, *counts in contest["wins"]}
    assert wins["mirror", "steady"] == (0, 1, 0)
    assert (contest["n"], contest["ties"]) == (sum(map(sum, wins.values())), 1)


def test_figures_can_be_of_one_model_and_another_figure_of_the_benchmark(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/judging")
    assert "14 verdicts by 1 judge and 4 rubrics; 2 missing" in page.inner_text(".lead")
    page.select_option("label:has-text('Model') select", "steady")
    visit.until("location.hash.includes('model=steady')")
    page.click("button:has-text('Perceptual Quality')")
    page.wait_for_selector("button[aria-pressed=true]:has-text('Perceptual Quality')")
    table = page.inner_text(f"section[aria-label^='{SINGLE}'][aria-label$='by subset'] table")
    assert "6.00" in table and "fading" not in table


def test_every_attempt_is_there_word_for_word(visit: Visit, address: str) -> None:
    page = visit.open(address, f"{VERDICTS}&outcome=unparseable")
    card = page.locator("article.verdict")
    assert card.count() == 1
    card.locator("summary").click()
    assert card.locator("pre").all_inner_texts() == [NOT_JSON, NOT_JSON]
    told = card.inner_text()
    assert "Call 2: unparseable" in told and "900 tokens read" in told and "96 × 64" in told


def test_missing_verdicts_can_be_asked_for_and_say_why(visit: Visit, address: str) -> None:
    page = visit.open(address, VERDICTS)
    page.select_option("label:has-text('Outcome') select", "missing")
    visit.until("document.querySelectorAll('article.verdict').length === 2")
    assert f"the judge refused: {REFUSED}" in page.inner_text(".view")


def test_the_lowest_grades_come_first_and_lead_to_the_picture(visit: Visit, address: str) -> None:
    page = visit.open(address, f"{VERDICTS}&order=lowest&rubric={quote(QUALITY)}")
    assert page.locator(".grade").all_inner_texts() == ["2 of 10", "6 of 10", "7 of 10"]
    page.locator("article.verdict h2 a").first.click()
    page.wait_for_selector("h1:has-text('one0/add')")
    assert page.locator(".pane").count() == 1 and REASON in page.inner_text(".pane-column")


def test_a_verdict_on_a_return_leads_to_its_round_in_the_filmstrip(visit: Visit, address: str) -> None:
    page = visit.open(address, f"{VERDICTS}&rubric={quote(REVERSAL)}&model=fading&outcome=ok")
    page.locator("article.verdict h2 a").click()
    page.wait_for_selector(".panes")
    assert page.inner_text("h1") == "lake/ball" and "return 3" in page.inner_text("figcaption")


def test_the_rubrics_words_and_the_judges_settings_are_told(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/judging?part=who")
    page.click("summary:has-text('server:looker')")
    page.click("summary:has-text('gedit_sc@')")
    told = page.inner_text(".view")
    assert "temperature" in told and re.search(r"fingerprint [0-9a-f]{16}", told) and "to 10" in told


def test_verdicts_come_in_pages(visit: Visit, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    fill(folder)
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({"command": "judge"}, "0.1.0")
        for number in range(3):
            add_judging(workspace, run, lambda text, number=number: f"{text}{number or ''}")
    page = visit.open((write(folder, tmp_path / "report") / "index.html").as_uri(), VERDICTS)
    assert "1 to 20 of " in page.inner_text(".pager >> nth=0")
    page.click("button:has-text('Next')")
    page.wait_for_selector(".pager:has-text('21 to ')")
    assert "page=2" in page.url
    page.click("button:has-text('Previous')")
    page.wait_for_selector(".pager:has-text('1 to 20')")


def test_a_workspace_without_verdicts_says_how_to_get_some(
    visit: Visit, tmp_path: Path, serve: Callable[[Path], str]
) -> None:
    fill(tmp_path / "results", rounds=1)
    page = visit.open(serve(tmp_path / "results"), "#/judging")
    assert "convergebench judge" in page.inner_text(".notice")
    assert page.locator("#views a:has-text('Single edits')").count() == 0


# Single edits


def test_single_edits_show_what_was_asked_made_refused_and_scored(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/edits?order=worst")
    rows = page.locator(".gallery-row").all_inner_texts()
    assert len(rows) == 2 and "one0/add" in rows[0] and "Add a hat." in rows[0]
    assert "ConvergeBench's own wording\ngedit_" in rows[0]
    assert "gedit_sc 3.0" in rows[0] and "refused" in rows[1]
    page.locator(".gallery-row h2 a").first.click()
    page.wait_for_selector(".pane")
    assert page.locator(".pane").count() == 2
    told = page.inner_text(".view")
    assert "A hat." in told and REASON in told and "96 × 64 PNG" in told


def test_a_single_edit_is_compared_by_keyboard_in_every_mode(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/edits?case=one0%2Fadd&model=fading")
    for key, mode in (("1", "single"), ("2", "side"), ("3", "slider"), ("6", "difference"), ("7", "delta")):
        page.keyboard.press(key)
        visit.until(f"location.hash.includes('mode={mode}')")
    visit.until("[...document.querySelectorAll('.stage .map')].every((i) => i.complete)")
    assert pixels(page.locator(PICTURE)).mean() > 60
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("h1:has-text('one1/add')")
    assert CANNOT in page.inner_text(".absent")


def test_a_raw_reply_is_kept_as_it_came(written: Path) -> None:
    replies = {call["reply"] for one in section(written, "verdicts/0") for call in one["attempts"]}
    assert replies == {RAW_REPLY, NOT_JSON, REFUSED}
