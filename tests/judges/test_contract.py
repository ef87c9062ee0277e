from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.judges import JudgeReply, Verdict, rubric
from convergebench.judges.base import Ending
from convergebench.judges.contract import verdict

TWO = rubric("gedit_sc")
MIXED = rubric("roundtrip_reversal")
PAIR = rubric("better_edit")
CATEGORY = rubric("reedit_physical")
GOOD = '{"reason": "done well", "edit_success": 8, "rest_preserved": 6.5}'


def read(text: str, ending: Ending = "complete") -> Verdict:
    return verdict(JudgeReply(text, ending, "stop", "m"), TWO)


PROSE = {
    "bare": GOOD,
    "padded": f"\n  {GOOD}\n",
    "json fence": f"```json\n{GOOD}\n```",
    "fence on one line": f"```{GOOD}```",
    "fence with text behind": f"My grades are below.\n```json\n{GOOD}\n```\nI hope {{this}} helps.",
    "fence without an end": f"```json\n{GOOD}",
    "words in ticks and fence": f"I saw ```this``` first.\n```json\n{GOOD}\n```",
    "English": f"Verdict: {GOOD} That is all.",
    "Chinese": f"评分如下：{GOOD}。谢谢！",
    "thoughts": f'<think>Is it {{9}}? Or {{"edit_success": 1}}?</think>{GOOD}',
    "half thoughts": f"thoughts without their opening word</think>\n```json\n{GOOD}\n```",
    "more keys": GOOD[:-1] + ', "confidence": 0.9}',
    "keys in another case": GOOD.replace("edit_success", "Edit_Success").replace("reason", "REASON"),
    "numbers as texts": GOOD.replace("6.5", '"6.5"').replace("8", '" 8 "'),
    "a list of one object": f"[{GOOD}]",
    "inside another object": f'{{"verdict": {GOOD}}}',
    "said twice": f"{GOOD}\nIn short:\n```json\n{GOOD}\n```",
    "a line break in a text": GOOD.replace("done well", "done well\n"),
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_one_verdict_is_read_wherever_it_stands(text: str) -> None:
    read_as = read(text)
    assert read_as == Verdict("ok", 6.5, {"edit_success": 8.0, "rest_preserved": 6.5}, "done well")


OTHER = GOOD.replace("8", "3")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I would give it 8 out of 10.", "no JSON object"),
        ("", "no JSON object"),
        ("8", "no JSON object"),
        ("[8, 6]", "no JSON object"),
        (GOOD + OTHER, "several verdicts that differ"),
        (f"First {OTHER}, then again\n```json\n{GOOD}\n```", "several verdicts that differ"),
        (f"{GOOD} or {GOOD.replace('8', '15')}", "several verdicts that differ"),
        (GOOD[:-8], "no JSON object"),
        (f"<think>{GOOD}", "inside its reasoning"),
        ('{"reason": "x", "edit_success": 8}', "lacks rest_preserved"),
        ('{"reason": "x", "score": 8, "rest_preserved": 6}', "lacks edit_success"),
        ('{"reason": "x", "edit_success": "8/10", "rest_preserved": 6}', "edit_success is not a number"),
        ('{"reason": "x", "edit_success": "nan", "rest_preserved": 6}', "edit_success is not a number"),
        ('{"reason": "x", "edit_success": true, "rest_preserved": 6}', "edit_success is not a number"),
        ('{"reason": "x", "edit_success": null, "rest_preserved": 6}', "edit_success is not a number"),
        ('{"reason": "x", "edit_success": NaN, "rest_preserved": 6}', "NaN"),
        ('{"reason": "x", "edit_success": 1, "edit_success": 9, "rest_preserved": 6}', "repeats a key"),
        ('{"reason": "x", "edit_success": 1, "Edit_success": 9, "rest_preserved": 6}', "repeats a key"),
        ('{"edit_success": 8, "rest_preserved": 6}', "no reason"),
        ('{"reason": " ", "edit_success": 8, "rest_preserved": 6}', "no reason"),
        ("[" * 100_000, "no JSON object"),
        ('{"a":' * 100_000, "no JSON object"),
        (f'{{"reason": "x", "edit_success": {"1" * 5000}, "rest_preserved": 6}}', "no JSON object"),
    ],
)  # fmt: skip
def test_anything_else_is_unparseable_and_has_no_value(text: str, said: str) -> None:
    read_as = read(text)
    assert (read_as.outcome, read_as.value, read_as.scores) == ("unparseable", None, {})
    assert said in str(read_as.missing)


@pytest.mark.parametrize(
    "text",
    ["I'm sorry, but I can't assist with that.", "I cannot help with evaluating this image.",
     "I am unable to provide a grade for this picture.", "抱歉，我无法评价这张图片。",
     "我不能协助完成这个请求。"],
)  # fmt: skip
def test_a_plain_refusal_is_refused(text: str) -> None:
    assert read(text).outcome == "refused"


@pytest.mark.parametrize(
    "text", ["I cannot say.", "The editor cannot help itself.", "Sorry state of a picture.", "无法看清文字。"]
)
def test_other_prose_is_no_refusal(text: str) -> None:
    assert read(text).outcome == "unparseable"


@pytest.mark.parametrize("score", [15, -3, 10.0001, 1e400])
def test_a_score_outside_its_scale_is_out_of_range_and_has_no_value(score: float) -> None:
    text = json.dumps({"reason": "x", "edit_success": 5, "rest_preserved": 5}).replace(
        "5,", f"{'1e400' if score > 1e300 else score},", 1
    )
    read_as = read(text)
    assert (read_as.outcome, read_as.value) == ("out_of_range", None)
    assert "edit_success is" in str(read_as.missing)


def test_a_reply_that_was_cut_off_is_truncated_unless_it_is_whole() -> None:
    assert read(GOOD[:-8], "truncated").outcome == "truncated"
    assert read(GOOD + " " * 50, "truncated").outcome == "ok"
    assert read(f"A draft: {GOOD} and the final one: {GOOD[:-8]}", "truncated").outcome == "truncated"


def test_a_refusal_is_refused_even_if_it_holds_scores() -> None:
    assert read(GOOD, "refused").outcome == "refused"


@pytest.mark.parametrize(("answer", "stands_for"), [("yes", 1.0), ("No", 0.0)])
def test_yes_and_no_stand_beside_the_scores_and_leave_the_value_alone(answer: str, stands_for: float) -> None:
    text = json.dumps({"reason": "x", "restored": 4, "undone": answer})
    read_as = verdict(JudgeReply(text, "complete", "stop", "m"), MIXED)
    assert (read_as.value, read_as.scores) == (4.0, {"restored": 4.0, "undone": stands_for})


@pytest.mark.parametrize("answer", [True, 1, "maybe", "", None])
def test_an_answer_that_is_neither_yes_nor_no_is_unparseable(answer: object) -> None:
    text = json.dumps({"reason": "x", "restored": 4, "undone": answer})
    assert verdict(JudgeReply(text, "complete", "stop", "m"), MIXED).outcome == "unparseable"


YES_IN_REASON = '{"reason": "yes, the ball touches the ground; yes, the shadow is right; "passes": "yes'


@pytest.mark.parametrize(
    "text",
    [YES_IN_REASON, "Yes", "yes, it passes", '{"reason": "yes", "passes"', '{"reason": "yes yes yes'],
)
def test_a_reply_that_was_cut_off_in_its_reason_is_no_yes(text: str) -> None:
    read_as = verdict(JudgeReply(text, "truncated", "length", "m"), CATEGORY)
    assert (read_as.outcome, read_as.value) == ("truncated", None)


@pytest.mark.parametrize(("answer", "value"), [("yes", 1.0), ("no", 0.0)])
def test_a_category_verdict_is_one_or_zero_with_its_reason(answer: str, value: float) -> None:
    text = json.dumps({"reason": "yes and no", "passes": answer})
    assert verdict(JudgeReply(text, "complete", "stop", "m"), CATEGORY) == Verdict(
        "ok", value, {"passes": value}, "yes and no"
    )


@pytest.mark.parametrize(("answer", "value"), [("first", 1.0), (" Second", 0.0), ("tie", 0.5)])
def test_which_of_two_is_the_first_ones_share_of_the_win(answer: str, value: float) -> None:
    text = json.dumps({"reason": "x", "better": answer})
    assert verdict(JudgeReply(text, "complete", "stop", "m"), PAIR).value == value


@pytest.mark.parametrize("answer", ["both", "1", 1, True, None, ["first"], "first or second"])
def test_an_answer_that_is_no_choice_is_unparseable(answer: object) -> None:
    text = json.dumps({"reason": "x", "better": answer})
    assert verdict(JudgeReply(text, "complete", "stop", "m"), PAIR).outcome == "unparseable"


@given(
    st.floats(0, 10), st.floats(0, 10), st.sampled_from(["x", "```\n{}\n```", "<think>", "</think>{", '"'])
)
def test_every_reply_in_form_gives_its_lower_score_back(a: float, b: float, reason: str) -> None:
    text = json.dumps({"reason": reason, "edit_success": a, "rest_preserved": b})
    assert read(text).value == min(a, b)


@given(st.text())
def test_no_text_whatever_raises(text: str) -> None:
    assert read(text).outcome in ("ok", "unparseable", "out_of_range")
