"""Black Forest Labs' editor against a server that submits, polls and delivers as theirs does."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from convergebench.editors import open_editor
from convergebench.editors.bfl import BlackForestLabs
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
from servers.bfl import BflServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BFL_API_KEY", KEY)
    monkeypatch.setattr("convergebench.editors.bfl.POLL_SECONDS", 0.01)


def served(*script: str) -> BflServer:
    return BflServer(script or ("success",), RESULT.encoded)


def opened(server: BflServer, spec: str = "kontext-pro") -> BlackForestLabs:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}")
    assert isinstance(editor, BlackForestLabs)
    return editor


def failure(*script: str) -> EditError:
    with served(*script) as server, pytest.raises(EditError) as caught:
        ask(opened(server))
    assert KEY not in str(caught.value)
    return caught.value


def test_the_picture_comes_back_as_it_was_given_at_the_cost_that_is_told() -> None:
    with served() as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == pytest.approx(0.05)


@pytest.mark.parametrize(("preset", "price"), [("kontext-pro", 0.04), ("kontext-max", 0.08)])
def test_the_presets_price_counts_where_no_cost_is_told(preset: str, price: float) -> None:
    with served("without_cost") as server:
        assert ask(opened(server, preset)).cost_usd == price


def test_the_model_gets_picture_prompt_seed_the_wish_for_png_and_no_other_prompt() -> None:
    with served() as server:
        ask(opened(server, "kontext-max?safety_tolerance=4"))
    assert server.submitted == [
        (
            "flux-kontext-max",
            {
                "prompt": "Add a red ball.",
                "input_image": base64.b64encode(SOURCE.encoded).decode(),
                "seed": SEED,
                "output_format": "png",
                "prompt_upsampling": False,
                "safety_tolerance": 4,
            },
        )
    ]


def test_the_key_is_not_sent_to_the_host_of_the_finished_file() -> None:
    with served() as server:
        ask(opened(server))
    (headers,) = server.file_headers
    assert KEY not in str(headers)


def test_two_pictures_are_refused() -> None:
    with served() as server, pytest.raises(Refused, match="takes one picture, got 2"):
        ask(opened(server), SOURCE, RESULT)
    assert server.submitted == []


@pytest.mark.parametrize(
    "word",
    [
        "slow", "poll_once_error", "poll_once_missing", "poll_once_reset", "poll_once_truncated", "poll_out",
        "file_once_truncated", "file_out",
    ],
)  # fmt: skip
def test_a_job_that_is_paid_for_is_waited_for_and_not_submitted_again(word: str) -> None:
    with served(word) as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded
    assert len(server.submitted) == 1


def test_too_many_requests_say_how_long_to_wait_and_are_asked_once() -> None:
    with served("rate_limited") as server, pytest.raises(RateLimited) as caught:
        ask(opened(server))
    assert caught.value.after_seconds == 0.05
    assert len(server.submitted) == 1


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        ("request_moderated", Refused, "Request Moderated: Derivative Works Filter"),
        ("content_moderated", Refused, "Content Moderated: Safety Filter, Violence"),
        ("submit_error", Unavailable, "500"),
        ("submit_reset", NoReply, "connection to 127.0.0.1 lost"),
        ("submit_truncated", NoReply, "was cut off"),
        ("job_error", Unavailable, "the worker died"),
        ("lost_job", Unavailable, "Task not found"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("no_credit", Misconfigured, "Insufficient credits"),
        ("unknown_model", Misconfigured, "Not Found"),
        ("wrong_parameter", Misconfigured, "valid integer"),
    ],
)
def test_each_failure_has_its_kind_and_reason(word: str, kind: type[EditError], reason: str) -> None:
    error = failure(word)
    assert type(error) is kind
    assert reason in str(error)


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BFL_API_KEY", "some-other-key")
    error = failure("success")
    assert isinstance(error, Misconfigured)
    assert "BFL_API_KEY" in str(error) and "some-other-key" not in str(error)


def test_a_picture_that_cannot_be_fetched_is_given_up_at_once_with_the_reason() -> None:
    with served("file_gone") as server, pytest.raises(UnusableAnswer, match=r"could not be fetched: 403"):
        ask(BlackForestLabs(opened(server).facts))


@pytest.mark.parametrize("word", ["submit_never", "poll_once_never", "stays_pending"])
def test_what_never_ends_cannot_hang_an_edit(word: str) -> None:
    with served(word) as server, pytest.raises(Unavailable, match=r"no picture after 0\.2 seconds"):
        ask(BlackForestLabs(opened(server).facts, deadline_seconds=0.2))


def test_the_workspace_tells_attempts_costs_and_the_reason_of_a_refusal(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("submit_error", "rate_limited", "success", "content_moderated") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    assert rows == [
        Row(None, None, 3, pytest.approx(0.05)),
        Row("refused", "Content Moderated: Safety Filter, Violence", 1, pytest.approx(0.05)),
    ]
