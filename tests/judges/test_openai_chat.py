"""OpenAI's protocol against a loopback server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from convergebench.judges import JudgeReply, Question, open_judge, rubric
from convergebench.judges.base import JudgeImage
from convergebench.picture import Picture
from convergebench.types import BadOutput, EditError, Misconfigured, RateLimited, Refused, Unavailable
from made_pictures import textured
from servers.judge import MODEL, Answer, Asked, JudgeServer, completion, correct, failure, graded

PICTURE = JudgeImage.of(Picture.from_pixels(textured()))
SCHEMA = rubric("roundtrip_forward").schema
QUESTION = Question(
    "Be fair.", ("Look.", PICTURE, 'Reply with one JSON object\n- "happened": "yes"'), SCHEMA, 5
)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


def ask(name: str, times: int = 1) -> list[JudgeReply]:
    async def work() -> list[JudgeReply]:
        judge = open_judge(name)
        await judge.start()
        try:
            return [await judge.ask(QUESTION) for _ in range(times)]
        finally:
            await judge.close()

    return asyncio.run(work())


def test_a_question_goes_out_with_its_pictures_schema_seed_and_settings(server: JudgeServer) -> None:
    ask(f"{server.name}&top_p=0.5")
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.pictures == [PICTURE.encoded]
    assert asked.schema == SCHEMA
    assert asked.body["messages"][0] == {"role": "system", "content": "Be fair."}
    sent = {key: asked.body[key] for key in ("model", "seed", "temperature", "top_p", "max_tokens")}
    assert sent == {"model": MODEL, "seed": 5, "temperature": 0.0, "top_p": 0.5, "max_tokens": 2048}


def test_a_setting_that_is_emptied_is_not_sent(server: JudgeServer) -> None:
    ask(f"{server.name}&temperature=&seed=")
    assert {"temperature", "seed"}.isdisjoint(server.asked[0].body)


def test_a_reply_says_who_served_it_and_what_it_took(server: JudgeServer) -> None:
    (reply,) = ask(f"{server.name}&usd_per_million_in=2&usd_per_million_out=8")
    assert (reply.served_model, reply.ending, reply.finish_reason) == (MODEL, "complete", "stop")
    assert (reply.tokens_read, reply.tokens_written) == (1000, 100)
    assert reply.cost_usd == pytest.approx(0.0028)


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_takes_no_schema_is_asked_plainly_from_then_on(
    server: JudgeServer, status: int
) -> None:
    def plain_only(number: int, asked: Asked) -> Answer:
        if "response_format" in asked.body:
            return failure(status, "response_format is not supported by this model")
        return completion(graded(asked))

    server.script = plain_only
    replies = ask(server.name, times=2)
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, False]
    assert len(replies) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (failure(429, "slow down", **{"retry-after": "7"}), RateLimited, "slow down"),
        (failure(500, "oops"), Unavailable, "500"),
        (failure(503, "busy"), Unavailable, "503"),
        (failure(401, "bad key sk-123"), Misconfigured, "SERVER_API_KEY was rejected"),
        (failure(404, "no such model"), Misconfigured, "no such model"),
        (failure(429, "no money", "insufficient_quota"), Misconfigured, "no money"),
        (failure(400, "in good standing?", "Arrearage"), Misconfigured, "in good standing"),
        (failure(400, "not this picture", "content_policy_violation"), Refused, "not this picture"),
        (failure(400, "the picture is too small"), Refused, "too small"),
        (Answer("<html>proxy</html>"), Unavailable, "is not JSON"),
        (Answer({"choices": []}), BadOutput, "choices"),
    ],
)
def test_what_goes_wrong_is_told_apart(
    server: JudgeServer, answer: Answer, kind: type[EditError], said: str
) -> None:
    server.script = lambda number, asked: answer
    with pytest.raises(kind, match=said):
        ask(server.name)
    assert len(server.asked) == 1  # nothing is asked again by itself


def test_the_wait_that_a_server_asks_for_is_passed_on(server: JudgeServer) -> None:
    server.script = lambda number, asked: failure(429, "slow down", **{"retry-after": "7"})
    with pytest.raises(RateLimited) as caught:
        ask(server.name)
    assert caught.value.after_seconds == 7


def test_a_setting_that_the_server_refuses_says_how_to_leave_it_out(server: JudgeServer) -> None:
    error = {"error": {"message": "temperature must be 1", "param": "temperature", "type": "invalid"}}
    server.script = lambda number, asked: Answer(error, 400)
    with pytest.raises(Misconfigured, match=r"add \?temperature= to"):
        ask(server.name)


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        (completion("", refusal="I cannot look at this."), "refused"),
        (completion("", finish="content_filter"), "refused"),
        (completion('{"reason": "It', finish="length"), "truncated"),
    ],
)
def test_refusals_and_cut_off_replies_are_replies_with_their_ending(
    server: JudgeServer, answer: Answer, ending: str
) -> None:
    server.script = lambda number, asked: answer
    (reply,) = ask(server.name)
    assert reply.ending == ending


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "all "}, {"type": "text", "text": "of it"}], "all of it"),
        (["all ", "of it"], "all of it"),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "seen"}], "seen"),
        ({"passes": "yes"}, '{"passes": "yes"}'),
        (8, "8"),
        (None, ""),
    ],
)
def test_a_content_that_is_no_text_is_a_reply_as_well(
    server: JudgeServer, content: object, text: str
) -> None:
    server.script = lambda number, asked: completion("", content=content)
    assert ask(server.name)[0].text == text


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": "1000", "completion_tokens": 100}, (None, 100)),
        ({"prompt_tokens": 1000.0, "completion_tokens": True}, (1000, None)),
        ({"prompt_tokens": None, "completion_tokens": [100]}, (None, None)),
        ({"prompt_tokens": 1e400, "completion_tokens": 10**400}, (None, None)),
        (["1000", "100"], (None, None)),
        (None, (None, None)),
    ],
)
def test_a_reply_is_not_lost_over_its_counts(
    server: JudgeServer, usage: object, counts: tuple[int | None, int | None]
) -> None:
    def counted(number: int, asked: Asked) -> Answer:
        body = completion(graded(asked)).body
        assert not isinstance(body, str)
        return Answer({**body, "usage": usage})

    server.script = counted
    (reply,) = ask(f"{server.name}&usd_per_million_in=2&usd_per_million_out=8")
    assert reply.text
    assert (reply.tokens_read, reply.tokens_written, reply.cost_usd) == (*counts, None)


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable, match=r"connection to 127\.0\.0\.1 lost"):
        ask("server:vl?base_url=http://127.0.0.1:9/v1")


def test_openai_without_a_key_says_which_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        ask("openai:gpt-x")


def test_keys_go_to_their_own_server_only(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai")
    ask(server.name)
    ask(server.name.replace("server:", "ollama:"))
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer none"] * 2
    ask(server.name.replace("server:", "openai:"))
    assert server.asked[-1].headers["authorization"] == "Bearer sk-for-openai"


@pytest.mark.parametrize("key", ["0", "x", "score"])
def test_a_short_key_of_a_local_server_leaves_replies_as_they_are(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("SERVER_API_KEY", key)
    server.script = lambda number, asked: completion('{"score": [10, 0], "reasoning": "exact"}')
    (reply,) = ask(server.name)
    assert reply.text == '{"score": [10, 0], "reasoning": "exact"}'


def test_a_key_that_a_server_quotes_is_hidden(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER_API_KEY", "sk-hush")
    server.script = lambda number, asked: failure(500, "the key sk-hush broke me")
    with pytest.raises(Unavailable, match=r"the key \[key\] broke me"):
        ask(server.name)


def test_a_key_that_no_request_can_carry_stops_the_judge_unquoted(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVER_API_KEY", "sk-hush“")
    with pytest.raises(Misconfigured, match="key in SERVER_API_KEY") as caught:
        ask(server.name)
    assert "sk-hush" not in str(caught.value)


def test_the_loopback_judge_answers_in_form(server: JudgeServer) -> None:
    assert server.script is correct
    assert ask(server.name)[0].text == '{"reason": "seen", "happened": "yes"}'
