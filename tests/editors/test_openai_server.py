"""Any OpenAI-style server, with a key and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench.editors import open_editor
from convergebench.editors.needs import EditorKey
from convergebench.editors.openai_images import OpenAIImages
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.types import Case, Misconfigured, Unavailable
from servers.asking import RESULT, SEED, SOURCE, Row, ask, round_trip_rows
from servers.base import KEY
from servers.openai_images import OpenAIServer


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERVER_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "for-openai-only")


def served(*script: str, needs_key: bool = False) -> OpenAIServer:
    return OpenAIServer(script or ("no_usage",), RESULT.encoded, needs_key=needs_key)


def opened(server: OpenAIServer, more: str = "") -> OpenAIImages:
    editor = open_editor(f"server:Qwen/Qwen-Image-Edit-2511?base_url={server.url}/v1{more}")
    assert isinstance(editor, OpenAIImages)
    return editor


def test_a_server_without_a_key_gets_picture_prompt_seed_and_every_parameter() -> None:
    with served() as server:
        edited = ask(opened(server, "&num_inference_steps=40&true_cfg_scale=4.0"))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd is None
    (asked,) = server.asked
    assert asked.files == [("image", SOURCE.encoded, "image/png")]
    assert asked.fields == {
        "model": "Qwen/Qwen-Image-Edit-2511",
        "prompt": "Add a red ball.",
        "seed": str(SEED),
        "output_format": "png",
        "response_format": "b64_json",
        "num_inference_steps": "40",
        "true_cfg_scale": "4.0",
    }


def test_the_key_for_openai_never_reaches_another_server() -> None:
    with served() as server:
        ask(opened(server))
    assert "for-openai-only" not in server.asked[0].authorization


def test_a_server_with_a_key_gets_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER_API_KEY", KEY)
    with served(needs_key=True) as server:
        assert ask(opened(server)).picture.encoded == RESULT.encoded


def test_a_missing_key_is_asked_for_by_name() -> None:
    with served(needs_key=True) as server, pytest.raises(Misconfigured, match="SERVER_API_KEY"):
        ask(opened(server))


def test_without_an_address_it_says_what_to_add() -> None:
    with pytest.raises(WrongUse, match=r"server:mine does not say where it is; add \?base_url="):
        open_editor("server:mine")


def test_nobody_at_the_address_is_a_lost_connection() -> None:
    with served() as server:
        editor = opened(server)
    with pytest.raises(Unavailable, match="connection lost"):
        ask(editor)


def test_a_model_that_the_server_does_not_serve_stops_the_run_with_its_words(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    with served("model_mismatch") as server:
        outcome, (row,) = round_trip_rows(workspace, opened(server), make_case())
    assert row == Row("misconfigured", row.reason, 1, None)
    assert "serves another" in next(iter(outcome.unusable.values()))


def test_a_server_that_says_nothing_is_given_up() -> None:
    with served("never") as server, pytest.raises(Unavailable, match="no picture after"):
        ask(OpenAIImages(opened(server).facts, EditorKey("SERVER_API_KEY"), deadline_seconds=0.2))


def test_the_workspace_tells_attempts(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    with served("reset", "server_error", "no_usage") as server:
        outcome, rows = round_trip_rows(workspace, opened(server), make_case())
    assert outcome.complete == 1
    assert rows == [Row(None, None, 3, None), Row(None, None, 1, None)]
