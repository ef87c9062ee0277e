"""`convergebench pairs`, alone and with a loopback language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from servers.judge import Answer, Asked, JudgeServer, completion, failure

Cli = Callable[..., Any]

ORANGE = "Quarter the orange."


def speaking(**answers: str) -> Callable[[int, Asked], Answer]:
    """A model that knows the inverse of some instructions, by a word in them; of others it says nothing."""

    def script(_: int, asked: Asked) -> Answer:
        instruction = asked.texts[0].partition("<<<\n")[2].partition("\n>>>")[0]
        known = next((text for word, text in answers.items() if word in instruction.lower().split()), "")
        return completion(json.dumps({"inverse": known}))

    return script


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as serving:
        yield serving


def test_all_thirty_are_listed_with_what_undoes_them(cli: Cli) -> None:
    found = cli("pairs", "list", "--json").json
    assert len(found) == 30
    assert {"id", "category", "forward", "backward", "reversibility", "shows_after", "gone_after"} <= set(
        found[0]
    )
    assert "snow_add_remove" in cli("pairs", "list").out


def test_a_template_undoes_an_instruction(cli: Cli) -> None:
    ran = cli("pairs", "invert", "add a red scarf to the dog")
    assert (ran.code, ran.out, ran.err) == (0, "Remove the red scarf from the dog.\n", "")


def test_a_built_in_edit_is_undone_by_its_own_pair_both_ways(cli: Cli) -> None:
    ran = cli("pairs", "invert", "blur the background strongly", "--json")
    assert (ran.json["inverse"], ran.json["by"]) == (
        "Make the background sharp.",
        "the pair background_blur_sharpen",
    )
    assert cli("pairs", "invert", "Make the background sharp").out == "Blur the background strongly.\n"


def test_what_cannot_bring_the_picture_back_is_said_beside_the_inverse(cli: Cli) -> None:
    ran = cli("pairs", "invert", "Remove the lamp")
    assert ran.out == "Add a lamp.\n"
    assert "may not restore the picture" in ran.sentence


def test_where_nobody_knows_it_says_so(cli: Cli) -> None:
    ran = cli("pairs", "invert", ORANGE)
    assert (ran.code, ran.out) == (3, "")
    assert "no inverse known for this instruction" in ran.sentence


def test_a_language_model_undoes_what_no_template_knows(cli: Cli, server: JudgeServer) -> None:
    server.script = speaking(back=ORANGE, quarter="Put the orange back together.")
    ran = cli("pairs", "invert", ORANGE, "--judge", server.name, "--json")
    assert (ran.code, ran.json["inverse"]) == (0, "Put the orange back together.")
    assert ran.json["by"].startswith("server:")
    assert len(server.asked) == 2, "the inverse is undone in turn"


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({}, "that says nothing"),
        ({"add": "Add a hat to the man."}, "that is the instruction itself"),
        ({"add": "Paint the man green.", "paint": "Wash the man."}, "undoing that in turn is"),
    ],
)
def test_an_answer_that_does_not_hold_is_turned_down_for_the_template(
    cli: Cli, server: JudgeServer, answers: dict[str, str], why: str
) -> None:
    server.script = speaking(**answers)
    ran = cli("pairs", "invert", "Add a hat to the man.", "--judge", server.name)
    assert (ran.code, ran.out) == (0, "Remove the hat from the man.\n")
    assert why in ran.err


def test_an_edit_that_undoes_itself_may_be_answered_with_itself(cli: Cli, server: JudgeServer) -> None:
    server.script = speaking(flip="Flip the image vertically.")
    ran = cli("pairs", "invert", "Flip the image vertically.", "--judge", server.name, "--json")
    assert (ran.json["inverse"], ran.json["turned_down"]) == ("Flip the image vertically.", [])


def test_a_model_that_cannot_be_asked_is_one_sentence(cli: Cli, server: JudgeServer) -> None:
    server.script = lambda _, __: failure(401, "no")
    ran = cli("pairs", "invert", ORANGE, "--judge", server.name)
    assert ran.code == 1
    assert "did not answer" in ran.sentence


def test_a_reply_that_is_no_object_is_one_sentence(cli: Cli, server: JudgeServer) -> None:
    server.script = lambda _, __: completion("Put it back.")
    ran = cli("pairs", "invert", ORANGE, "--judge", server.name)
    assert "does not answer in the form" in ran.sentence


def test_an_instruction_is_classed_by_a_rule_that_is_named(cli: Cli) -> None:
    found = cli("pairs", "classify", "Convert the photo to black and white", "--json").json
    assert found == {
        "reversibility": "information-destroying", "by": "lose detail", "because": "colour or detail is lost",
    }  # fmt: skip


def test_what_no_rule_knows_is_unknown_unless_a_model_is_given(cli: Cli, server: JudgeServer) -> None:
    ran = cli("pairs", "classify", ORANGE)
    assert (ran.code, ran.out) == (3, "unknown: no rule knows these words\n")
    server.script = lambda _, __: completion(
        json.dumps({"because": "the fruit is cut", "reversibility": "information-destroying"})
    )
    found = cli("pairs", "classify", ORANGE, "--judge", server.name, "--json").json
    assert (found["reversibility"], found["because"]) == ("information-destroying", "the fruit is cut")
    assert found["by"].startswith("server:")


def test_rules_come_before_the_model_which_is_then_not_asked(cli: Cli, server: JudgeServer) -> None:
    assert cli("pairs", "classify", "Add a hat", "--judge", server.name).out.startswith("reversible")
    assert server.asked == []


def test_a_class_that_there_is_not_is_unknown(cli: Cli, server: JudgeServer) -> None:
    server.script = lambda _, __: completion(json.dumps({"because": "", "reversibility": "maybe"}))
    ran = cli("pairs", "classify", ORANGE, "--judge", server.name)
    assert ran.code == 3
    assert "said 'maybe', which is no class" in ran.out
