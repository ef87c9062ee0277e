"""Gemini's editor: the real SDK against a server that speaks generateContent."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from convergebench.editors import open_editor
from convergebench.editors.gemini import GeminiEditor
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
from servers.asking import RESULT, SEED, SOURCE, Row, ask, round_trip_rows
from servers.base import KEY, SLOW_SECONDS
from servers.gemini import GeminiServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


def served(*script: str) -> GeminiServer:
    return GeminiServer(script or ("success",), RESULT.encoded)


def opened(server: GeminiServer, spec: str = "gemini") -> GeminiEditor:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}")
    assert isinstance(editor, GeminiEditor)
    return editor


def sent_pictures(parts: list[dict[str, Any]]) -> list[bytes]:
    inline = [part["inlineData"] for part in parts if "inlineData" in part]
    assert {one["mime_type"] for one in inline} == {"image/png"}
    return [base64.urlsafe_b64decode(one["data"]) for one in inline]


def test_the_picture_comes_back_as_it_was_given_at_the_presets_price() -> None:
    with served() as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == 0.039


def test_the_model_gets_pictures_prompt_and_seed_and_is_asked_for_a_picture() -> None:
    other = Picture.from_pixels(textured(seed=5))
    with served() as server:
        ask(opened(server), SOURCE, other)
    ((call, body),) = server.asked
    assert call == "gemini-2.5-flash-image:generateContent"
    (content,) = body["contents"]
    assert sent_pictures(content["parts"]) == [SOURCE.encoded, other.encoded]
    assert content["parts"][2]["text"] == "Add a red ball."
    assert body["generationConfig"]["seed"] == SEED
    assert body["generationConfig"]["responseModalities"] == ["IMAGE"]


def test_parameters_reach_the_generation() -> None:
    with served() as server:
        ask(opened(server, "gemini-3-pro-image?image_size=2K&aspect_ratio=3:2&temperature=0.5"))
    ((call, body),) = server.asked
    assert call == "gemini-3-pro-image:generateContent"
    assert body["generationConfig"]["imageConfig"] == {"imageSize": "2K", "aspectRatio": "3:2"}
    assert body["generationConfig"]["temperature"] == 0.5


def test_a_parameter_that_gemini_does_not_have_is_named() -> None:
    with served() as server, pytest.raises(Misconfigured, match="guidance"):
        ask(opened(server, "gemini?guidance=3"))
    assert server.asked == []


def test_words_and_drafts_before_the_picture_are_passed_over() -> None:
    with served("thoughtful") as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded


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
        ("refused", Refused, "IMAGE_SAFETY: I cannot draw"),
        ("blocked", Refused, "PROHIBITED_CONTENT"),
        ("bad_input_image", Refused, "Unable to process input image"),
        ("no_image", BadOutput, "NO_IMAGE"),
        ("words_only", BadOutput, "Which ball do you mean?"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("server_error", Unavailable, "503: Overloaded"),
        ("truncated", NoReply, "connection lost"),
        ("not_json", NoReply, "cut short"),
        ("reset", NoReply, "connection lost"),
        ("unknown_model", Misconfigured, "No such model"),
    ],
)
def test_each_failure_has_its_kind_and_reason_and_is_asked_once(
    word: str, kind: type[EditError], reason: str
) -> None:
    with served(word) as server, pytest.raises(EditError) as caught:
        ask(opened(server))
    assert type(caught.value) is kind
    assert reason in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.asked) == 1


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "some-other-key")
    with served() as server, pytest.raises(Misconfigured, match="GEMINI_API_KEY") as caught:
        ask(opened(server))
    assert "some-other-key" not in str(caught.value)


def test_a_request_that_never_ends_is_given_up() -> None:
    with served("never") as server, pytest.raises(Unavailable, match="no picture after"):
        ask(GeminiEditor(opened(server).facts, deadline_seconds=SLOW_SECONDS))


def test_the_workspace_tells_attempts_and_costs(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    with served("server_error", "rate_limited", "success") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.complete == 1
    assert rows == [Row(None, None, 3, 0.039), Row(None, None, 1, 0.039)]
    assert len(server.asked) == 4


def test_the_workspace_tells_a_refusal_with_its_reason(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("success", "refused") as server:
        outcome, (_, row) = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    assert row == Row("refused", "IMAGE_SAFETY: I cannot draw this person.", 1, None)
