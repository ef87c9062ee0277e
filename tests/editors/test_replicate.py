"""Replicate's editor: the real SDK against a server that speaks its protocol."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench.editors import open_editor
from convergebench.editors.replicate import Replicate
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
from servers.asking import RESULT, SEED, SOURCE, Row, ask, ask_and_wait_in_vain, round_trip_rows
from servers.base import KEY
from servers.replicate import ReplicateServer

KONTEXT = "replicate:black-forest-labs/flux-kontext-pro"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLICATE_API_TOKEN", KEY)
    monkeypatch.setattr("convergebench.editors.replicate.POLL_SECONDS", 0.01)


def served(*script: str) -> ReplicateServer:
    return ReplicateServer(script or ("success",), RESULT.encoded)


def opened(server: ReplicateServer, spec: str = KONTEXT) -> Replicate:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}")
    assert isinstance(editor, Replicate)
    return editor


def failure(*script: str, spec: str = KONTEXT) -> EditError:
    with served(*script) as server, pytest.raises(EditError) as caught:
        ask(opened(server, spec))
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("word", ["success", "listed", "inline"])
def test_the_picture_comes_back_as_it_was_given_in_any_form_of_output(word: str) -> None:
    with served(word) as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd is None


def test_the_model_gets_the_uploaded_picture_prompt_seed_and_the_wish_for_png() -> None:
    with served() as server:
        ask(opened(server))
    assert server.uploaded == [(f"{SOURCE.digest[:16]}.png", "image/png", SOURCE.encoded)]
    assert server.submitted == [
        (
            "black-forest-labs/flux-kontext-pro",
            {
                "prompt": "Add a red ball.",
                "input_image": f"{server.url}/v1/files/file-1",
                "seed": SEED,
                "aspect_ratio": "match_input_image",
                "output_format": "png",
                "prompt_upsampling": False,
            },
        )
    ]


def test_another_model_is_called_as_its_inputs_are_named() -> None:
    with served() as server:
        spec = "replicate:owner/name:0123abcd?image_field=image_input[]&aspect_ratio=&steps=4"
        ask(opened(server, spec), SOURCE, RESULT)
    ((version, inputs),) = server.submitted
    assert version == "0123abcd"
    assert inputs["image_input"] == [f"{server.url}/v1/files/file-{number}" for number in (1, 2)]
    assert inputs["steps"] == 4
    assert not {"aspect_ratio", "image_field", "input_image", "base_url", "model"} & inputs.keys()


def test_the_key_is_not_sent_to_the_host_of_the_finished_file() -> None:
    with served() as server:
        ask(opened(server))
    (headers,) = server.file_headers
    assert KEY not in str(headers)


def test_two_pictures_are_refused_where_the_field_takes_one() -> None:
    with served() as server, pytest.raises(Refused, match="takes one picture, got 2"):
        ask(opened(server), SOURCE, RESULT)
    assert server.uploaded == []


@pytest.mark.parametrize(
    "word",
    [
        "slow", "poll_once_error", "poll_once_reset", "poll_once_truncated", "poll_out",
        "file_once_truncated", "file_out",
    ],
)  # fmt: skip
def test_a_prediction_that_is_paid_for_is_waited_for_and_not_asked_again(word: str) -> None:
    with served(word) as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded
    assert len(server.submitted) == 1


def test_too_many_requests_say_how_long_to_wait_and_are_asked_once() -> None:
    with served("rate_limited") as server, pytest.raises(RateLimited) as caught:
        ask(opened(server))
    assert caught.value.after_seconds == 0.05
    assert len(server.submitted) == 1


def test_a_poll_that_keeps_failing_is_asked_a_few_times_by_us_and_never_by_the_sdk() -> None:
    reason = "no picture after 300 seconds; the last time: 503: Service unavailable"
    with served("poll_overloaded") as server, pytest.raises(Unavailable, match=reason):
        ask_and_wait_in_vain(opened(server), server)
    assert 1 < server.polls < 6


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        ("flagged", Refused, "flagged as sensitive"),
        ("job_error", Unavailable, "please retry"),
        ("submit_error", Unavailable, "Internal server error"),
        ("submit_reset", NoReply, "was cut off"),
        ("submit_truncated", NoReply, "was cut off"),
        ("no_output", BadOutput, "no picture"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("no_credit", Misconfigured, "insufficient credit"),
        ("unknown_model", Misconfigured, "could not be found"),
        ("wrong_input", Misconfigured, "image is required"),
    ],
)
def test_each_failure_has_its_kind_and_reason(word: str, kind: type[EditError], reason: str) -> None:
    error = failure(word)
    assert type(error) is kind
    assert reason in str(error)


def test_a_model_must_have_an_owner() -> None:
    error = failure("success", spec="replicate:flux")
    assert isinstance(error, Misconfigured)
    assert "owner/name" in str(error)


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLICATE_API_TOKEN", "some-other-key")
    error = failure("success")
    assert isinstance(error, Misconfigured)
    assert "REPLICATE_API_TOKEN" in str(error) and "some-other-key" not in str(error)


def test_a_file_that_cannot_be_fetched_is_given_up_at_once() -> None:
    with served("file_gone") as server, pytest.raises(UnusableAnswer, match=r"could not be fetched: 4\d\d"):
        ask(Replicate(opened(server).facts))
    assert len(server.submitted) == 1


def test_a_prediction_that_never_ends_is_given_up_and_cancelled() -> None:
    with served("stays_starting") as server, pytest.raises(Unavailable, match=r"no picture after 300 sec"):
        ask_and_wait_in_vain(opened(server), server)
    assert server.cancelled == ["job-1"]


def test_a_server_that_says_nothing_cannot_hang_an_edit() -> None:
    with served("submit_never") as server, pytest.raises(Unavailable):
        ask(Replicate(opened(server).facts, deadline_seconds=0.3))


def test_the_workspace_tells_attempts_and_the_reason_of_a_refusal(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("submit_error", "rate_limited", "success", "flagged") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    said = "The input or output was flagged as sensitive. Please try again with different inputs. (E005)"
    assert rows == [Row(None, None, 3, None), Row("refused", said, 1, None)]
