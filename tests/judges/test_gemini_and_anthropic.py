"""The other two SDKs against the loopback server, which answers with their bodies."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import pytest

from convergebench.judges import JudgeReply, Question, open_judge, rubric
from convergebench.judges.base import JudgeImage
from convergebench.picture import Picture
from convergebench.types import EditError, Misconfigured, RateLimited, Refused, Unavailable
from made_pictures import textured
from servers.judge import Answer, JudgeServer

PICTURE = JudgeImage.of(Picture.from_pixels(textured()))
SCHEMA = rubric("gedit_sc").schema
QUESTION = Question("Be fair.", ("Look.", PICTURE), SCHEMA, 5)
PRICES = "usd_per_million_in=1&usd_per_million_out=10"
GEMINI, ANTHROPIC = "gemini:gemini-x", "anthropic:claude-x"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("GOOGLE_API_KEY", "g-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    with JudgeServer() as running:
        yield running


def ask(server: JudgeServer, name: str, answer: Answer) -> JudgeReply:
    server.script = lambda number, asked: answer

    async def work() -> JudgeReply:
        judge = open_judge(f"{name}?base_url={server.url}&{PRICES}")
        await judge.start()
        try:
            return await judge.ask(QUESTION)
        finally:
            await judge.close()

    return asyncio.run(work())


def gemini(text: str, finish: str = "STOP", **more: Any) -> Answer:
    parts = [{"text": "let me see", "thought": True}, {"text": text}]
    used = {"promptTokenCount": 900, "candidatesTokenCount": 50, "thoughtsTokenCount": 50}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish}
    body = {"candidates": [candidate], "usageMetadata": used, "modelVersion": "gemini-x-001"}
    return Answer({**body, **more})


def claude(text: str, stop: str = "end_turn") -> Answer:
    content = [{"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": text}]
    used = {"input_tokens": 900, "output_tokens": 100}
    return Answer({"id": "1", "type": "message", "role": "assistant", "model": "claude-x-1",
                   "content": content, "stop_reason": stop, "usage": used})  # fmt: skip


def test_gemini_is_sent_pictures_schema_and_seed_and_its_thoughts_are_left_out(server: JudgeServer) -> None:
    reply = ask(server, GEMINI, gemini("{}"))
    (asked,) = server.asked
    config = asked.body["generationConfig"]
    assert asked.path.endswith("models/gemini-x:generateContent")
    assert (
        base64.urlsafe_b64decode(asked.body["contents"][0]["parts"][1]["inlineData"]["data"])
        == PICTURE.encoded
    )
    assert (config["responseJsonSchema"], config["responseMimeType"]) == (SCHEMA, "application/json")
    assert (config["seed"], config["temperature"]) == (5, 0.0)
    assert (reply.text, reply.ending, reply.served_model) == ("{}", "complete", "gemini-x-001")
    assert reply.cost_usd == pytest.approx(0.0019)


def test_claude_is_sent_pictures_and_a_schema_without_ranges(server: JudgeServer) -> None:
    reply = ask(server, ANTHROPIC, claude("{}"))
    (asked,) = server.asked
    schema = asked.body["output_config"]["format"]["schema"]
    picture = asked.body["messages"][0]["content"][1]["source"]
    assert (asked.path, asked.headers["authorization"]) == ("/v1/messages", "Bearer a-key")
    assert base64.b64decode(picture["data"]) == PICTURE.encoded
    assert schema["required"] == SCHEMA["required"]
    assert schema["properties"]["edit_success"] == {"type": "number"}
    assert (reply.text, reply.ending, reply.served_model) == ("{}", "complete", "claude-x-1")
    assert reply.cost_usd == pytest.approx(0.0019)


@pytest.mark.parametrize("usage", [{"input_tokens": "900", "output_tokens": 100}, "1000 tokens", None])
def test_claudes_reply_is_not_lost_over_its_counts(server: JudgeServer, usage: object) -> None:
    body = claude("{}").body
    assert not isinstance(body, str)
    reply = ask(server, ANTHROPIC, Answer({**body, "usage": usage}))
    assert (reply.text, reply.tokens_read, reply.cost_usd) == ("{}", None, None)


BLOCKED = Answer({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})


@pytest.mark.parametrize(
    ("name", "answer", "ending"),
    [
        (GEMINI, BLOCKED, "refused"),
        (GEMINI, gemini("", "SAFETY"), "refused"),
        (GEMINI, gemini('{"reason', "MAX_TOKENS"), "truncated"),
        (ANTHROPIC, claude("", "refusal"), "refused"),
        (ANTHROPIC, claude('{"reason', "max_tokens"), "truncated"),
    ],
)
def test_refusals_and_cut_off_replies_keep_their_ending(
    server: JudgeServer, name: str, answer: Answer, ending: str
) -> None:
    assert ask(server, name, answer).ending == ending


def google_error(code: int, message: str, **detail: Any) -> Answer:
    return Answer({"error": {"code": code, "message": message, "status": "X", "details": [detail]}}, code)


def claude_error(code: int, message: str, **headers: str) -> Answer:
    return Answer({"type": "error", "error": {"type": "x", "message": message}}, code, headers)


@pytest.mark.parametrize(
    ("name", "answer", "kind"),
    [
        (GEMINI, google_error(429, "quota", retryDelay="3s"), RateLimited),
        (GEMINI, google_error(503, "busy"), Unavailable),
        (GEMINI, google_error(400, "bad key", reason="API_KEY_INVALID"), Misconfigured),
        (GEMINI, google_error(400, "bad picture"), Refused),
        (GEMINI, google_error(404, "no such model"), Misconfigured),
        (ANTHROPIC, claude_error(429, "slow", **{"retry-after": "3"}), RateLimited),
        (ANTHROPIC, claude_error(529, "overloaded"), Unavailable),
        (ANTHROPIC, claude_error(401, "bad key"), Misconfigured),
        (ANTHROPIC, claude_error(400, "bad picture"), Refused),
        (ANTHROPIC, claude_error(400, "Your credit balance is too low to access it."), Misconfigured),
        (ANTHROPIC, Answer("not json"), Unavailable),
    ],
)
def test_what_goes_wrong_is_told_apart_and_asked_once(
    server: JudgeServer, name: str, answer: Answer, kind: type[EditError]
) -> None:
    with pytest.raises(kind) as caught:
        ask(server, name, answer)
    assert len(server.asked) == 1
    if isinstance(caught.value, RateLimited):
        assert caught.value.after_seconds == 3


def test_a_claude_that_knows_no_schema_is_asked_plainly_from_then_on(server: JudgeServer) -> None:
    refusal = claude_error(400, "output_config.format: Extra inputs are not permitted")
    server.script = lambda number, asked: refusal if "output_config" in asked.body else claude("{}")

    async def work() -> list[JudgeReply]:
        judge = open_judge(f"{ANTHROPIC}?base_url={server.url}")
        await judge.start()
        try:
            return [await judge.ask(QUESTION) for _ in range(2)]
        finally:
            await judge.close()

    assert [one.ending for one in asyncio.run(work())] == ["complete"] * 2
    assert ["output_config" in asked.body for asked in server.asked] == [True, False, False]


def test_what_claude_says_is_shown_without_the_answer_around_it(server: JudgeServer) -> None:
    with pytest.raises(Unavailable) as caught:
        ask(server, ANTHROPIC, claude_error(529, "Overloaded"))
    assert str(caught.value) == "529: Overloaded"


@pytest.mark.parametrize("name", [GEMINI, ANTHROPIC])
def test_without_a_key_it_says_which_to_set(
    server: JudgeServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(Misconfigured, match="no API key: set"):
        ask(server, name, Answer({}))
