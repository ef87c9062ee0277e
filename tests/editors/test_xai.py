"""xAI's editor against a server that answers as theirs does."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable

import pytest

from convergebench.editors import open_editor
from convergebench.editors.xai import Xai
from convergebench.store import Workspace
from convergebench.types import (
    BadOutput,
    Case,
    EditError,
    Misconfigured,
    NoReply,
    RateLimited,
    Refused,
    Unavailable,
)
from servers.asking import RESULT, SOURCE, Row, ask, round_trip_rows
from servers.base import KEY
from servers.xai import XaiServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XAI_API_KEY", KEY)


def served(*script: str) -> XaiServer:
    return XaiServer(script or ("success",), RESULT.encoded)


def opened(server: XaiServer, spec: str = "grok-imagine") -> Xai:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}/v1")
    assert isinstance(editor, Xai)
    return editor


def failure(*script: str) -> EditError:
    with served(*script) as server, pytest.raises(EditError) as caught:
        ask(opened(server))
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("word", ["success", "slow", "data_uri", "in_lines"])
def test_the_picture_comes_back_as_it_was_given_at_the_cost_that_is_told(word: str) -> None:
    with served(word) as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == 0.022


def test_a_cost_that_is_no_number_is_left_to_the_listed_price() -> None:
    with served("odd_cost") as server:
        assert math.isnan(ask(opened(server)).cost_usd or 0.0)


def test_the_price_of_another_model_is_unknown_where_no_cost_is_told() -> None:
    with served("without_cost") as server:
        assert ask(opened(server, "xai:grok-imagine-image-2.0")).cost_usd is None
        assert ask(opened(server)).cost_usd == 0.022


def test_the_model_gets_picture_and_prompt_and_no_seed() -> None:
    with served() as server:
        ask(opened(server, "grok-imagine?resolution=2k"))
    picture = f"data:image/png;base64,{base64.b64encode(SOURCE.encoded).decode()}"
    assert server.asked == [
        {
            "model": "grok-imagine-image",
            "prompt": "Add a red ball.",
            "image": {"type": "image_url", "url": picture},
            "response_format": "b64_json",
            "n": 1,
            "resolution": "2k",
        }
    ]


def test_two_pictures_are_refused() -> None:
    with served() as server, pytest.raises(Refused, match="takes one picture, got 2"):
        ask(opened(server), SOURCE, RESULT)
    assert server.asked == []


def test_too_many_requests_say_how_long_to_wait_and_are_asked_once() -> None:
    with served("rate_limited") as server, pytest.raises(RateLimited) as caught:
        ask(opened(server))
    assert caught.value.after_seconds == 0.05
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        ("moderated", Refused, "does not respect the content policy"),
        ("empty", Refused, "has no picture"),
        ("violation", Refused, "violates usage guidelines"),
        ("rejected_picture", Refused, "rejected by content moderation"),
        ("server_error", Unavailable, "503"),
        ("reset", NoReply, "connection to 127.0.0.1 lost"),
        ("truncated", NoReply, "was cut off"),
        ("not_base64", BadOutput, "base64"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("no_credit", Misconfigured, "credits"),
        ("unknown_model", Misconfigured, "does not exist"),
    ],
)
def test_each_failure_has_its_kind_and_reason(word: str, kind: type[EditError], reason: str) -> None:
    error = failure(word)
    assert type(error) is kind
    assert reason in str(error)


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XAI_API_KEY", "some-other-key")
    error = failure("success")
    assert isinstance(error, Misconfigured)
    assert "XAI_API_KEY" in str(error) and "some-other-key" not in str(error)


def test_a_server_that_says_nothing_cannot_hang_an_edit() -> None:
    with served("never") as server, pytest.raises(Unavailable, match=r"no picture after 0\.2 seconds"):
        ask(Xai(opened(server).facts, deadline_seconds=0.2))


def test_the_workspace_tells_attempts_costs_and_the_reason_of_a_refusal(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("server_error", "rate_limited", "success", "moderated") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    assert rows == [
        Row(None, None, 3, 0.022),
        Row("refused", "moderated: the picture does not respect the content policy", 1, 0.022),
    ]
