"""What counts as advice: our form and that of the published weights, each strictly."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.judges import reasoning
from convergebench.judges.base import JudgeImage, JudgeReply
from convergebench.judges.contract import NotInForm
from convergebench.judges.reasoning import Advice, advice_in
from convergebench.picture import Picture
from made_pictures import textured

WORDS = (
    st.lists(st.text("abcdefg,.'", min_size=1), min_size=1)
    .map(" ".join)
    .filter(lambda text: text.strip(" .").lower() not in ("", "none"))
)


@given(WORDS, st.lists(WORDS))
def test_what_is_put_into_either_form_comes_out_of_it(cot: str, instructions: list[str]) -> None:
    said = json.dumps({"reasoning": cot, "instructions": instructions})
    tagged = f"<CoT>{cot}</CoT>\n<Re_edit>{'; '.join(instructions)}</Re_edit>"
    wanted = Advice(cot.strip(), tuple(" ".join(one.split()) for one in instructions))
    assert advice_in(said) == advice_in(f"<think>hm</think>\n```json\n{said}\n```") == wanted
    assert advice_in(tagged).instructions == wanted.instructions


@pytest.mark.parametrize("nothing", ["", " ", "None", "none.", "No re-edit needed."])
def test_the_published_form_can_say_that_nothing_is_needed(nothing: str) -> None:
    assert advice_in(f"<CoT>fine</CoT><Re_edit>{nothing}</Re_edit>") == Advice("fine", ())


@pytest.mark.parametrize("nothing", ["None", "none.", "No edit needed."])
def test_an_instruction_that_says_that_nothing_is_needed_is_none(nothing: str) -> None:
    def both(*instructions: str) -> list[tuple[str, ...]]:
        ours = json.dumps({"reasoning": "fine", "instructions": instructions})
        published = f"<CoT>fine</CoT><Re_edit>{'; '.join(instructions)}</Re_edit>"
        return [advice_in(text).instructions for text in (ours, published)]

    assert both(nothing) == both(nothing, nothing) == [(), ()]
    assert both(nothing, "Add a hat") == [("Add a hat",)] * 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Looks good to me.",
        '{"reasoning": "x"}',
        '{"instructions": []}',
        '{"reasoning": "", "instructions": []}',
        '{"reasoning": "x", "instructions": "Add a hat"}',
        '{"reasoning": "x", "instructions": [""]}',
        '{"reasoning": "x", "instructions": [1]}',
        '{"reasoning": "x", "instructions": null}',
        '{"reasoning": "x", "instructions": [], "more": 1}',
        '{"reasoning": "x", "instructions": ["Add a hat"',
        '{"reasoning": "x", "instructions": []} {"reasoning": "y", "instructions": ["Add a hat"]}',
        "<CoT>x</CoT>",
        "<CoT>x</CoT><Re_edit>Add a hat",
        "<CoT>x <CoT>y</CoT><Re_edit>a</Re_edit>",
    ],
)
def test_anything_else_is_no_advice(text: str) -> None:
    with pytest.raises(NotInForm):
        advice_in(text)


def test_half_a_character_in_advice_is_marked_since_no_editor_could_be_told() -> None:
    advice = advice_in('{"reasoning": "x \\ud83d", "instructions": ["Add a hat \\ud83d"]}')
    assert advice == Advice("x \ufffd", ("Add a hat \ufffd",))


def reply(text: str, **more: Any) -> JudgeReply:
    return replace(JudgeReply(text, "complete", "stop", "m"), **more)


def test_a_verdict_counts_the_instructions_and_keeps_the_reasoning() -> None:
    found = reasoning.verdict(reply('{"reasoning": "it floats", "instructions": ["Lower it", "Shade it"]}'))
    assert (found.outcome, found.value, found.reason) == ("ok", 2.0, "it floats")


def test_a_cut_off_a_refused_and_a_malformed_reply_are_told_apart() -> None:
    cut = reasoning.verdict(reply("<CoT>x", ending="truncated", finish_reason="length"))
    refused = reasoning.verdict(reply("I must not.", ending="refused"))
    prose = reasoning.verdict(reply("Looks good."))
    assert [one.outcome for one in (cut, refused, prose)] == ["truncated", "refused", "unparseable"]
    assert all(one.value is None and one.missing for one in (cut, refused, prose))


def test_a_reasoner_is_shown_source_result_and_instruction_and_no_more() -> None:
    pictures = {name: JudgeImage.of(Picture.from_pixels(textured(seed=place)))
                for place, name in enumerate(("source", "result"))}  # fmt: skip
    asked = reasoning.question(
        reasoning.prompt(), "Add a red hat.", ["source"], "result", lambda name, limits: pictures[name]
    )
    assert asked.pictures == (pictures["source"], pictures["result"])
    texts = [part for part in asked.parts if isinstance(part, str)]
    assert "Add a red hat." in texts[1]
    assert len(texts) == 5  # what to do, the instruction, two captions, the form of the reply
    assert asked.schema["required"] == ["reasoning", "instructions"]


def test_advice_is_kept_by_who_was_asked_what_about_which_pictures() -> None:
    pictures, texts = [("source", "a"), ("result", "b")], {"instruction": "Add a hat"}
    key = reasoning.key_of("r", "p", pictures, texts)
    others = [
        reasoning.key_of("s", "p", pictures, texts),
        reasoning.key_of("r", "q", pictures, texts),
        reasoning.key_of("r", "p", [("source", "a"), ("result", "c")], texts),
        reasoning.key_of("r", "p", pictures, {"instruction": "Add a cap"}),
    ]
    assert len({key, *others}) == 5


@pytest.mark.parametrize(
    ("text", "reasoning_lines", "instructions"),
    [
        ("<CoT>a</CoT>\n<CoT>b</CoT>\n<Re_edit>Add it</Re_edit>\n<Re_edit>Move it; now</Re_edit>", 2,
         ("Add it", "Move it; now")),
        ("<Re_edit>Add it</Re_edit><CoT>late</CoT>", 1, ("Add it",)),
        ("<cot>x</COT><RE_EDIT>Add it</re_edit>", 1, ("Add it",)),
        ("Sure!\n<CoT>x</CoT>\n<Re_edit>\n  Add it\n</Re_edit>\nDone.", 1, ("Add it",)),
        ("<Re_edit>Add it</Re_edit>", 0, ("Add it",)),
        ('<CoT id="1">x</CoT><Re_edit id="1">Add it</Re_edit>', 1, ("Add it",)),
    ],
)  # fmt: skip
def test_any_number_of_tags_in_any_order_and_case_is_read(
    text: str, reasoning_lines: int, instructions: tuple[str, ...]
) -> None:
    advice = advice_in(text)
    assert (len(advice.reasoning.splitlines()), advice.instructions) == (reasoning_lines, instructions)


def test_a_request_for_quality_alone_is_nothing_to_do_unless_it_is_always_edited() -> None:
    advice = advice_in("<CoT>fine</CoT><Re_edit>Improve the image quality</Re_edit>")
    assert (advice.instructions, advice.as_one) == ((), "")
    assert advice.always("Add a hat").instructions == ("Improve the image quality",)
    assert advice_in("<CoT>x</CoT><Re_edit>None</Re_edit>").always("Add a hat").instructions == ("Add a hat",)
    busy = advice_in("<CoT>x</CoT><Re_edit>Improve the image quality</Re_edit><Re_edit>Move it</Re_edit>")
    assert busy.instructions == busy.always("Add a hat").instructions == ("Move it",)
