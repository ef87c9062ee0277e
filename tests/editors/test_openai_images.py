"""OpenAI's editor: the real SDK against a server that takes its multipart requests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench.editors import listings, open_editor
from convergebench.editors.needs import EditorKey
from convergebench.editors.openai_images import OpenAIImages
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
)
from made_pictures import textured
from servers.asking import RESULT, SOURCE, Row, ask, round_trip_rows
from servers.base import KEY, SLOW_SECONDS
from servers.openai_images import ODD_USAGE, OpenAIServer

COST_OF_ONE = (80 * 5 + 320 * 8 + 1100 * 30) / 1e6
"""The tokens that the server counts, at the published prices for a million."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def served(*script: str) -> OpenAIServer:
    return OpenAIServer(script or ("success",), RESULT.encoded)


def opened(server: OpenAIServer, spec: str = "gpt-image-2") -> OpenAIImages:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}/v1")
    assert isinstance(editor, OpenAIImages)
    return editor


def test_the_picture_comes_back_as_it_was_given_and_costs_its_tokens() -> None:
    with served() as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == COST_OF_ONE


@pytest.mark.parametrize(
    ("spec", "word"), [("openai:gpt-image-9", "success"), *(("gpt-image-2", word) for word in ODD_USAGE)]
)
def test_a_cost_that_cannot_be_known_is_unknown_and_the_picture_kept(spec: str, word: str) -> None:
    with served(word) as server:
        edited = ask(opened(server, spec))
    assert edited.cost_usd is None
    assert edited.picture.encoded == RESULT.encoded


@pytest.mark.parametrize("word", ["data_uri", "in_lines", "address", "address_of_data", "file_out"])
def test_a_picture_is_taken_however_it_is_wrapped(word: str) -> None:
    with served(word) as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == COST_OF_ONE
    assert len(server.asked) == 1


def test_the_key_is_not_sent_to_the_host_of_the_finished_file() -> None:
    with served("address") as server:
        ask(opened(server))
    (headers,) = server.file_headers
    assert KEY not in str(headers)


def test_the_model_gets_the_picture_as_a_file_and_is_asked_for_png() -> None:
    with served() as server:
        ask(opened(server, "gpt-image-2?quality=low"))
    (asked,) = server.asked
    assert asked.files == [("image", SOURCE.encoded, "image/png")]
    assert asked.fields == {
        "model": "gpt-image-2",
        "prompt": "Add a red ball.",
        "size": "auto",
        "quality": "low",
        "output_format": "png",
    }


def test_several_pictures_go_together_and_more_than_sixteen_are_refused() -> None:
    other = Picture.from_pixels(textured(seed=5))
    with served() as server:
        ask(opened(server), SOURCE, other)
        with pytest.raises(Refused, match="at most 16 pictures, got 17"):
            ask(opened(server), *[SOURCE] * 17)
    (asked,) = server.asked
    assert [content for _, content, _ in asked.files] == [SOURCE.encoded, other.encoded]


def test_gpt_image_1_is_said_to_be_its_successor_and_is() -> None:
    (listing,) = [one for one in listings() if one.name == "gpt-image-1"]
    assert "shut down" in listing.summary and "gpt-image-2" in listing.summary
    with served() as server:
        ask(opened(server, "gpt-image-1"))
    assert server.asked[0].fields["model"] == "gpt-image-2"


def test_a_slow_answer_is_waited_for() -> None:
    with served("slow") as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded


def test_too_many_requests_say_how_long_to_wait() -> None:
    with served("rate_limited") as server, pytest.raises(RateLimited) as caught:
        ask(opened(server))
    assert caught.value.after_seconds == 0.05


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        ("refused", Refused, "rejected by the safety system"),
        ("bad_input_image", Refused, "Invalid image file"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("empty", BadOutput, "no picture"),
        ("a_web_page", BadOutput, "no picture"),
        ("not_base64", BadOutput, "not base64"),
        ("200_server_error", BadOutput, "no picture: The server had an error."),
        ("200_refused", Refused, "rejected by the safety system"),
        ("200_no_credit", Misconfigured, "exceeded your current quota"),
        ("server_error", Unavailable, "500"),
        ("truncated", NoReply, "connection lost"),
        ("not_json", NoReply, "cut short"),
        ("reset", Unavailable, "connection lost"),
        ("no_credit", Misconfigured, "exceeded your current quota"),
        ("unknown_model", Misconfigured, "does not exist"),
    ],
)
def test_each_failure_has_its_kind_and_reason_and_is_asked_once(
    word: str, kind: type[EditError], reason: str
) -> None:
    with served(word) as server, pytest.raises(EditError) as caught:
        ask(opened(server))
    assert isinstance(caught.value, kind)
    assert reason in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.asked) == 1


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "some-other-key")
    with served() as server, pytest.raises(Misconfigured, match="OPENAI_API_KEY") as caught:
        ask(opened(server))
    assert "some-other-key" not in str(caught.value)


def test_a_request_that_never_ends_is_given_up() -> None:
    with served("never") as server, pytest.raises(Unavailable, match="no picture after"):
        ask(OpenAIImages(opened(server).facts, EditorKey("OPENAI_API_KEY"), deadline_seconds=SLOW_SECONDS))


def test_the_workspace_tells_attempts_and_costs(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    with served("server_error", "rate_limited", "success") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.complete == 1
    assert rows == [Row(None, None, 3, COST_OF_ONE), Row(None, None, 1, COST_OF_ONE)]
    assert len(server.asked) == 4


def test_the_workspace_tells_a_refusal_with_its_reason(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("success", "refused") as server:
        outcome, (_, row) = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    assert row.failure == "refused" and "rejected by the safety system" in str(row.reason)
    assert (row.attempts, row.cost_usd) == (1, None)
