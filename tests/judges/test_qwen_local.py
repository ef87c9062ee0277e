"""A Qwen2.5-VL from a folder: a whole one, whose weights are made by hand to say one sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from convergebench.errors import WrongUse
from convergebench.judges import Judge, JudgeReply, open_judge, reasoning
from convergebench.judges.base import JudgeImage
from convergebench.judges.reasoning import Advice, advice_in
from convergebench.picture import Picture
from convergebench.types import Misconfigured
from made_pictures import textured
from tiny_qwen import save_tiny_qwen

SENTENCE = ("<CoT>The ball floats.</CoT>", "<Re_edit>Lower the ball; Add its shadow</Re_edit>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_qwen(tmp_path_factory.mktemp("qwen"), *SENTENCE)


def answered(judge: Judge, side: int = 28) -> JudgeReply:
    shown = JudgeImage.of(Picture.from_pixels(textured(height=side, width=side)))
    asked = reasoning.question(
        reasoning.prompt(), "Add a ball", ["source"], "result", lambda name, limits: shown
    )

    async def once() -> JudgeReply:
        await judge.start()
        try:
            return await judge.ask(asked)
        finally:
            await judge.close()

    return asyncio.run(once())


def test_it_gives_advice_in_the_published_form(folder: Path) -> None:
    reply = answered(open_judge(f"local:{folder}"))
    assert advice_in(reply.text) == Advice("The ball floats.", ("Lower the ball", "Add its shadow"))
    assert (reply.ending, reply.tokens_written, reply.cost_usd) == ("complete", 3, 0.0)


def test_a_picture_takes_a_token_for_every_28_by_28_pixels(folder: Path) -> None:
    """As the family does it; both pictures of a question are of this size."""
    judge = open_judge(f"local:{folder}")
    small, large = (answered(judge, side=side).tokens_read for side in (28, 56))
    assert small is not None
    assert large is not None
    assert large - small == 2 * (4 - 1)


def test_a_reply_that_does_not_end_is_told_as_cut_off(folder: Path) -> None:
    reply = answered(open_judge(f"local:{folder}?max_tokens=1"))
    assert (reply.ending, reply.text) == ("truncated", SENTENCE[0])


def test_other_weights_in_the_same_folder_are_another_judge(folder: Path, tmp_path: Path) -> None:
    other = save_tiny_qwen(tmp_path / "other", *SENTENCE)
    before = open_judge(f"local:{other}").facts
    save_tiny_qwen(other, SENTENCE[0], "<Re_edit></Re_edit>")
    after = open_judge(f"local:{other}").facts
    assert before.model == after.model
    assert before.fingerprint != after.fingerprint


def test_where_it_runs_is_not_part_of_its_identity(folder: Path) -> None:
    names = (f"local:{folder}", f"local:{folder}?device=cpu")
    assert len({open_judge(name).facts.fingerprint for name in names}) == 1


def test_what_cannot_be_loaded_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be loaded"):
        answered(open_judge(f"local:{tmp_path}"))
    with pytest.raises(WrongUse, match="has no setting tempo; it takes temperature"):
        open_judge(f"local:{tmp_path}?tempo=1")
