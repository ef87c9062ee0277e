"""What a failure has cost, at each provider: nothing before a job is accepted, its price from then on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergebench.editors import open_editor
from convergebench.store import Workspace
from convergebench.types import Case, EditError
from servers.asking import RESULT, Row, ask, ask_and_wait_in_vain, round_trip_rows
from servers.base import KEY, LoopbackServer
from servers.bfl import BflServer
from servers.dashscope import DashScopeServer
from servers.fal import FalServer
from servers.gemini import GeminiServer
from servers.openai_images import OpenAIServer
from servers.xai import XaiServer

PROVIDERS: dict[str, tuple[type[LoopbackServer], str]] = {
    "qwen": (FalServer, ""),
    "kontext-pro": (BflServer, ""),
    "qwen-image-edit-plus": (DashScopeServer, "/api/v1"),
    "grok-imagine": (XaiServer, "/v1"),
    "gemini": (GeminiServer, ""),
    "gpt-image-2": (OpenAIServer, "/v1"),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FAL", "BFL_API", "DASHSCOPE_API", "XAI_API", "GOOGLE_API", "OPENAI_API"):
        monkeypatch.setenv(f"{name}_KEY", KEY)
    for editor in ("fal", "bfl"):
        monkeypatch.setattr(f"convergebench.editors.{editor}.POLL_SECONDS", 0.01)


@pytest.mark.parametrize(
    ("model", "word", "cost_usd"),
    [
        ("qwen", "not_a_picture", 0.02),
        ("qwen", "nsfw", 0.02),
        ("qwen", "empty", 0.02),
        ("qwen", "submit_error", None),
        ("qwen", "refused", None),
        ("kontext-pro", "not_a_picture", 0.05),
        ("kontext-pro", "content_moderated", 0.05),
        ("kontext-pro", "job_error", 0.0),
        ("kontext-pro", "submit_error", None),
        ("qwen-image-edit-plus", "not_a_picture", 0.03),
        ("qwen-image-edit-plus", "refused", None),
        ("grok-imagine", "not_base64", 0.022),
        ("grok-imagine", "moderated", 0.022),
        ("grok-imagine", "violation", None),
        ("gemini", "not_a_picture", 0.039),
        ("gemini", "words_only", 0.039),
        ("gemini", "blocked", None),
        ("gpt-image-2", "not_a_picture", pytest.approx(0.03596)),
        ("gpt-image-2", "no_data", pytest.approx(0.03596)),
        ("gpt-image-2", "a_web_page", None),
    ],
)
def test_a_failure_costs_what_was_charged_before_it(model: str, word: str, cost_usd: float | None) -> None:
    serve, path = PROVIDERS[model]
    with serve([word], RESULT.encoded) as server, pytest.raises(EditError) as caught:
        ask(open_editor(f"{model}?base_url={server.url}{path}"))
    assert caught.value.cost_usd == cost_usd


def test_a_job_that_is_given_up_is_counted_as_charged() -> None:
    with FalServer(["stays_queued"]) as server, pytest.raises(EditError) as caught:
        ask_and_wait_in_vain(open_editor(f"qwen?base_url={server.url}"), server)
    assert caught.value.cost_usd == 0.02
    with BflServer(["stays_pending"]) as jobs, pytest.raises(EditError) as caught:
        ask_and_wait_in_vain(open_editor(f"kontext-pro?base_url={jobs.url}"), jobs)
    assert caught.value.cost_usd == 0.05


def test_an_edit_costs_what_all_its_attempts_cost(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    script = ["not_a_picture", "submit_error", "success", "nsfw"]
    with FalServer(script, RESULT.encoded) as server:
        outcome, rows = round_trip_rows(workspace, open_editor(f"qwen?base_url={server.url}"), make_case())
    withheld = "fal's safety checker withheld the picture (has_nsfw_concepts)"
    assert rows == [Row(None, None, 3, 0.04), Row("refused", withheld, 1, 0.02)]
    assert outcome.spent_usd == pytest.approx(0.06)
