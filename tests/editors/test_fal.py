"""fal's editor: the real client against a server that speaks the queue's protocol."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace

import pytest

from convergebench.editors import open_editor
from convergebench.editors._short_names import short_names
from convergebench.editors.fal import Fal
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
from made_pictures import textured
from servers.asking import RESULT, SEED, SOURCE, Row, ask, ask_and_wait_in_vain, round_trip_rows
from servers.base import KEY
from servers.fal import FalServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAL_KEY", KEY)
    monkeypatch.setattr("convergebench.editors.fal.POLL_SECONDS", 0.01)


def served(*script: str) -> FalServer:
    return FalServer(script or ("success",), RESULT.encoded)


def opened(server: FalServer, spec: str = "qwen") -> Fal:
    editor = open_editor(f"{spec}{'&' if '?' in spec else '?'}base_url={server.url}")
    assert isinstance(editor, Fal)
    return editor


def data_uri(picture: Picture, media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(picture.encoded).decode()}"


def failure(*script: str, spec: str = "qwen") -> EditError:
    with served(*script) as server, pytest.raises(EditError) as caught:
        ask(opened(server, spec))
    assert KEY not in str(caught.value)
    return caught.value


def test_the_picture_comes_back_as_it_was_given_at_the_presets_price() -> None:
    with served() as server:
        edited = ask(opened(server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == 0.02


def test_the_endpoint_gets_picture_prompt_seed_and_the_wish_for_png() -> None:
    with served() as server:
        ask(opened(server))
    assert server.submitted == [
        (
            "fal-ai/qwen-image-edit",
            {
                "prompt": "Add a red ball.",
                "image_url": data_uri(SOURCE),
                "seed": SEED,
                "output_format": "png",
            },
        )
    ]


def test_the_key_is_not_sent_to_the_host_of_the_finished_file() -> None:
    with served() as server:
        ask(opened(server))
    (headers,) = server.file_headers
    assert KEY not in str(headers)


def test_a_picture_inside_the_answer_is_taken_as_well() -> None:
    with served("success_inline") as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded
    assert server.file_headers == []


ONE_PICTURE = {"qwen", "flux-dev", "flux-pro", "flux-max", "joyai", "chrono-edit", "bagel", "reve"}


@pytest.mark.parametrize("name", short_names("fal"))
def test_every_preset_sends_the_picture_under_one_name_and_expands_no_prompt(name: str) -> None:
    with served() as server:
        ask(opened(server, name))
    ((endpoint, sent),) = server.submitted
    single = name in ONE_PICTURE
    assert endpoint == short_names("fal")[name].model
    assert sent.get("image_url") == (data_uri(SOURCE) if single else None)
    assert sent.get("image_urls") == (None if single else [data_uri(SOURCE)])
    assert sent["output_format"] == "png"
    assert ("seed" in sent) == (name not in ("grok", "seedream-v5-lite"))
    assert not sent.get("enhance_prompt") and not sent.get("enable_prompt_expansion")


@pytest.mark.parametrize(
    "endpoint", ["bytedance/seedream/v5/lite/edit", "fal-ai/bytedance/seedream/v5/lite/edit"]
)
def test_what_is_known_of_an_endpoint_holds_under_each_of_its_ids(endpoint: str) -> None:
    with served() as server:
        ask(opened(server, f"fal:{endpoint}"))
    ((asked, sent),) = server.submitted
    assert asked == endpoint
    assert "seed" not in sent and "image_urls" in sent


def test_an_endpoint_that_wants_the_picture_in_another_field_says_what_to_add() -> None:
    error = failure("other_field")
    assert isinstance(error, Misconfigured)
    assert "add ?image_field=image_url" in str(error)


def test_any_other_endpoint_takes_a_list_or_the_field_it_is_told() -> None:
    with served() as server:
        ask(opened(server, "fal:someone/some-model/edit?strength=0.5"))
        ask(opened(server, "fal:someone/some-model/edit?image_field=picture_url&output_format="))
    (first, told) = [arguments for _, arguments in server.submitted]
    assert (first["image_urls"], first["strength"]) == ([data_uri(SOURCE)], 0.5)
    assert told["picture_url"] == data_uri(SOURCE)
    assert "output_format" not in told and "image_field" not in told and "base_url" not in told


def test_several_pictures_go_where_a_list_is_taken_and_are_refused_elsewhere() -> None:
    other = Picture.from_pixels(textured(seed=5))
    with served() as server:
        ask(opened(server, "nano-banana-edit"), SOURCE, other)
        with pytest.raises(Refused, match="takes one picture, got 2"):
            ask(opened(server, "flux-pro"), SOURCE, other)
    ((_, sent),) = server.submitted
    assert sent["image_urls"] == [data_uri(SOURCE), data_uri(other)]


def test_a_slow_job_is_waited_for() -> None:
    with served("slow") as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded


@pytest.mark.parametrize("at", ["status", "result", "file"])
@pytest.mark.parametrize("way", ["reset", "truncated", "429", "502", "503"])
def test_a_lost_look_at_the_queue_or_the_file_does_not_lose_the_job(at: str, way: str) -> None:
    with served(f"{at}_once_{way}") as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded
    assert len(server.submitted) == 1


@pytest.mark.parametrize("word", ["status_out", "file_out"])
def test_an_outage_while_a_job_is_under_way_is_waited_out(word: str) -> None:
    with served(word) as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded
    assert len(server.submitted) == 1


@pytest.mark.parametrize(
    "word", ["status_once_404", "status_once_500", "status_once_a_web_page", "file_once_404"]
)
def test_whatever_is_said_while_the_job_is_under_way_does_not_lose_it(word: str) -> None:
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
        ("refused", Refused, "flagged by a content checker"),
        ("nsfw", Refused, "safety checker"),
        ("too_small", Refused, "Image is too small"),
        ("submit_error", Unavailable, "500"),
        ("job_error", Unavailable, "Runner disconnected"),
        ("submit_reset", NoReply, "connection lost"),
        ("submit_truncated", NoReply, "connection lost"),
        ("not_a_picture", BadOutput, "not a picture"),
        ("empty", BadOutput, "no picture"),
        ("no_media", BadOutput, "No media"),
        ("no_credit", Misconfigured, "Exhausted balance"),
        ("unknown_endpoint", Misconfigured, "Application not found"),
        ("wrong_parameter", Misconfigured, "should be a number"),
    ],
)
def test_each_failure_has_its_kind_and_reason(word: str, kind: type[EditError], reason: str) -> None:
    error = failure(word)
    assert type(error) is kind
    assert reason in str(error)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("result_reset", "connection lost"),
        ("result_truncated", "connection lost"),
    ],
)
def test_what_stays_lost_is_given_up_at_the_deadline_with_the_reason(word: str, reason: str) -> None:
    said = f"no picture after 300 seconds; the last time: {reason}"
    with served(word) as server, pytest.raises(Unavailable, match=said):
        ask_and_wait_in_vain(opened(server), server, ending="job-1")


def test_a_picture_that_stays_missing_is_given_up_without_waiting_for_the_deadline() -> None:
    with served("file_gone") as server, pytest.raises(UnusableAnswer, match="could not be fetched: 404"):
        ask(Fal(opened(server).facts))


def test_a_wrong_key_is_said_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAL_KEY", "some-other-key")
    error = failure("success")
    assert isinstance(error, Misconfigured)
    assert "FAL_KEY" in str(error) and "some-other-key" not in str(error)


def test_a_key_from_a_file_is_used_without_its_line_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAL_KEY", f"{KEY}\n")
    with served() as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded


def test_an_answer_that_is_not_in_form_is_told_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def unfit(*_: object) -> str:
        raise ValueError(f"Illegal header value b'Key {KEY}'")

    monkeypatch.setattr("fal_client.AsyncClient.submit", unfit)
    assert "[key]" in str(failure("success"))


def test_a_job_that_never_ends_is_given_up_and_cancelled_at_fal() -> None:
    with served("stays_queued") as server, pytest.raises(Unavailable, match=r"no picture after 300 seconds"):
        ask_and_wait_in_vain(opened(server), server)
    assert server.cancelled == ["job-1"]


def test_a_server_that_says_nothing_cannot_hang_an_edit() -> None:
    with served("submit_never") as server, pytest.raises(Unavailable, match="no picture after"):
        ask(Fal(opened(server).facts, deadline_seconds=2))


def test_the_workspace_tells_attempts_and_costs(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    with served("submit_error", "rate_limited", "success") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.complete == 1
    assert rows == [Row(None, None, 3, 0.02), Row(None, None, 1, 0.02)]
    assert len(server.submitted) == 4


def test_the_workspace_tells_a_refusal_with_fals_reason(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("success", "refused") as server:
        outcome, (_, row) = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.failures == {"refused": 1}
    said = "The content could not be processed because it was flagged by a content checker."
    assert row == Row("refused", said, 1, None)


def test_what_changes_the_answer_is_in_the_fingerprint() -> None:
    with served() as server:
        plain, other = opened(server), opened(server, "qwen?guidance_scale=2.5")
    assert plain.facts.fingerprint != other.facts.fingerprint
    assert plain.facts.fingerprint == replace(plain.facts, max_inputs=3).fingerprint
