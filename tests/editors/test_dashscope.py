"""DashScope's editor: the real SDK against a server that speaks its protocol."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from convergebench.editors import open_editor
from convergebench.editors.dashscope import DashScope
from convergebench.picture import Picture
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
    UnusableAnswer,
)
from servers.asking import RESULT, SEED, SOURCE, Row, ask, round_trip_rows
from servers.base import KEY
from servers.dashscope import DashScopeServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", KEY)


def served(*script: str) -> DashScopeServer:
    return DashScopeServer(script or ("success",), RESULT.encoded)


def opened(server: DashScopeServer, spec: str = "qwen-image-edit-plus") -> DashScope:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}/api/v1")
    assert isinstance(editor, DashScope)
    return editor


def failure(*script: str) -> EditError:
    with served(*script) as server, pytest.raises(EditError) as caught:
        ask(opened(server))
    assert KEY not in str(caught.value)
    return caught.value


def data_uri(picture: Picture) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture.encoded).decode()}"


@pytest.mark.parametrize("word", ["success", "slow", "file_once_truncated", "file_out"])
def test_the_picture_comes_back_as_it_was_given_at_the_presets_price(word: str) -> None:
    with served(word) as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == 0.03
    assert len(server.asked) == 1


def test_the_model_gets_pictures_prompt_and_seed_and_leaves_the_prompt_alone() -> None:
    with served() as server:
        ask(opened(server, "qwen-image-edit-plus?size=1024*1024"), SOURCE, RESULT)
    content = [{"image": data_uri(SOURCE)}, {"image": data_uri(RESULT)}, {"text": "Add a red ball."}]
    assert server.asked == [
        {
            "model": "qwen-image-edit-plus",
            "input": {"messages": [{"role": "user", "content": content}]},
            "parameters": {
                "seed": SEED,
                "n": 1,
                "prompt_extend": False,
                "watermark": False,
                "size": "1024*1024",
            },
        }
    ]


def test_the_key_is_not_sent_to_the_host_of_the_finished_file() -> None:
    with served() as server:
        ask(opened(server))
    (headers,) = server.file_headers
    assert KEY not in str(headers)


def test_four_pictures_are_refused() -> None:
    with served() as server, pytest.raises(Refused, match="at most 3 pictures, got 4"):
        ask(opened(server), SOURCE, SOURCE, SOURCE, SOURCE)
    assert server.asked == []


def test_too_many_requests_say_how_long_to_wait_and_are_asked_once() -> None:
    with served("rate_limited") as server, pytest.raises(RateLimited) as caught:
        ask(opened(server))
    assert caught.value.after_seconds == 0.05
    assert len(server.asked) == 1


def test_the_sdk_does_not_ask_again_after_a_lost_connection() -> None:
    with served("reset") as server, pytest.raises(Unavailable, match=r"connection to 127\.0\.0\.1 lost"):
        ask(opened(server))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        ("refused", Refused, "DataInspectionFailed: Input data may contain inappropriate content."),
        ("server_error", Unavailable, "InternalError"),
        ("truncated", NoReply, "was cut off"),
        ("no_output", BadOutput, "no output"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("no_credit", Misconfigured, "Arrearage"),
        ("unknown_model", Misconfigured, "ModelNotFound"),
        ("wrong_parameter", Misconfigured, "size must be"),
    ],
)
def test_each_failure_has_its_kind_and_reason(word: str, kind: type[EditError], reason: str) -> None:
    error = failure(word)
    assert type(error) is kind
    assert reason in str(error)


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", "some-other-key")
    error = failure("success")
    assert isinstance(error, Misconfigured)
    assert "DASHSCOPE_API_KEY" in str(error) and "some-other-key" not in str(error)


def test_a_picture_that_cannot_be_fetched_is_given_up_at_once_with_the_reason() -> None:
    with served("file_gone") as server, pytest.raises(UnusableAnswer, match=r"could not be fetched: 403"):
        ask(DashScope(opened(server).facts))


def test_a_server_that_says_nothing_cannot_hang_an_edit() -> None:
    with served("never") as server, pytest.raises(Unavailable, match=r"no picture after 0\.2 seconds"):
        ask(DashScope(opened(server).facts, deadline_seconds=0.2))


def test_the_workspace_tells_attempts_costs_and_the_reason_of_a_refusal(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("server_error", "rate_limited", "success", "refused") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    assert rows == [
        Row(None, None, 3, 0.03),
        Row("refused", "DataInspectionFailed: Input data may contain inappropriate content.", 1, None),
    ]
