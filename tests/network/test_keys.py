"""A key goes to one host: every provider that takes one, editor or judge, against servers that redirect."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_args

import pytest
from aiohttp import web

from convergebench.editors import open_editor
from convergebench.editors._proxies import Protocol
from convergebench.editors.needs import EditorKey
from convergebench.editors.registry import listings, providers
from convergebench.judges import Question
from convergebench.judges.base import JudgeImage
from convergebench.judges.registry import PROVIDERS, open_judge
from convergebench.network import KeyOrigin
from convergebench.types import EditError, Editor, Misconfigured, UnusableAnswer
from faults.hostile_provider import Recorder, Redirector
from servers.asking import SOURCE, ask
from servers.base import KEY
from servers.bfl import BflServer
from servers.fal import FalServer

NOT_ON_THE_NETWORK = {"vllm", "local"}
"""Judges that run on this machine."""
PATHS = {"openai": "/v1", "server": "/v1", "xai": "/v1", "dashscope": "/api/v1"}
EDITORS = sorted(
    {
        listing.name
        for listing in providers()
        if any(isinstance(need, EditorKey) for need in listing.needs) and "base_url" in listing.parameters
    }
    | {"server"}
)
DESCRIPTIONS = Path(__file__).parent.parent / "editors" / "http_descriptions"
JUDGES = sorted(set(PROVIDERS) - NOT_ON_THE_NETWORK)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    names = [
        name
        for listing in (*listings(), *providers())
        for need in listing.needs
        if isinstance(need, EditorKey)
        for name in need.names
    ]
    for name in {*names, "SERVER_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DASHSCOPE_API_KEY"}:
        monkeypatch.setenv(name, KEY)
    monkeypatch.setattr("convergebench.editors.bfl.POLL_SECONDS", 0.01)


def editor_at(provider: str, url: str) -> Editor:
    model = "owner/name" if provider == "replicate" else "model"
    return open_editor(f"{provider}:{model}?base_url={url}{PATHS.get(provider, '')}")


async def judged(provider: str, url: str) -> None:
    judge = open_judge(f"{provider}:model?base_url={url}{PATHS.get(provider, '')}")
    await judge.start()
    try:
        schema = {"type": "object", "properties": {}}
        await judge.ask(Question("system", ("look", JudgeImage.of(SOURCE)), schema))
    finally:
        await judge.close()


def test_every_provider_with_a_key_is_tried() -> None:
    assert {"bfl", "dashscope", "fal", "gemini", "openai", "replicate", "server", "xai"} <= set(EDITORS)
    assert {"anthropic", "gemini", "openai"} <= set(JUDGES)
    with_key = [one for one in listings() if any(isinstance(need, EditorKey) for need in one.needs)]
    assert len(with_key) > 50
    assert {one.provider for one in with_key} <= set(EDITORS), "a short name is one of these providers"


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("provider", EDITORS)
def test_an_editor_follows_no_redirect_to_another_host(provider: str, status: int) -> None:
    with Recorder() as other, Redirector(other.url, status) as server:
        with pytest.raises(Misconfigured, match="redirects to"):
            ask(editor_at(provider, server.url))
        assert server.requests == 1
        assert other.requests == []


@pytest.mark.parametrize("description", sorted(DESCRIPTIONS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_described_api_follows_no_redirect_to_another_host(description: Path) -> None:
    with Recorder() as other, Redirector(other.url) as server:
        with pytest.raises(Misconfigured, match="redirects to"):
            ask(open_editor(f"http:{description}?base={server.url}"))
        assert server.requests == 1
        assert other.requests == []


@pytest.mark.parametrize("like", get_args(Protocol))
def test_a_proxy_follows_no_redirect_to_another_host(
    like: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CONFIG", str(tmp_path / "convergebench.toml"))
    with Recorder() as other, Redirector(other.url) as server:
        (tmp_path / "convergebench.toml").write_text(
            f'[providers.gateway]\nlike = "{like}"\nbase_url = "{server.url}"\nkey = "OPENAI_API_KEY"\n'
        )
        with pytest.raises(Misconfigured, match="redirects to"):
            ask(open_editor("gateway:model"))
        assert server.requests == 1
        assert other.requests == []


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("provider", JUDGES)
def test_a_judge_follows_no_redirect_to_another_host(provider: str, status: int) -> None:
    with Recorder() as other, Redirector(other.url, status) as server:
        with pytest.raises(Misconfigured, match="redirects to"):
            asyncio.run(judged(provider, server.url))
        assert server.requests == 1
        assert other.requests == []


def test_a_polling_address_at_another_host_gets_no_key() -> None:
    with Recorder() as other, BflServer(["success"], SOURCE.encoded) as server:
        editor, server.url = editor_at("bfl", server.url), other.url
        with pytest.raises(UnusableAnswer, match="a key is sent to one host only") as caught:
            ask(editor)
        assert caught.value.cost_usd == 0.05, "the job was accepted"
        assert other.requests == []


class RedirectingPoll(BflServer):
    target = ""

    async def _poll(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": f"{self.target}/v1/get_result"})


def test_a_polling_address_that_redirects_takes_no_key_along() -> None:
    with Recorder() as other, RedirectingPoll(["success"], SOURCE.encoded) as server:
        server.target = other.url
        with pytest.raises(Misconfigured, match="redirects to") as caught:
            ask(editor_at("bfl", server.url))
        assert caught.value.cost_usd == 0.05
        assert other.requests == []


def test_fals_addresses_of_a_job_at_another_host_get_no_key() -> None:
    with Recorder() as other, FalServer(["success"], SOURCE.encoded) as server:
        editor, server.url = editor_at("fal", server.url), other.url
        with pytest.raises(UnusableAnswer, match="a key is sent to one host only"):
            ask(editor)
        assert other.requests == []


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://api.bfl.ai/v1", True),
        ("https://API.bfl.ai:443/x", True),
        ("https://api.us1.bfl.ai/x", True),
        ("https://api.bfl.ai@evil.example/x", False),
        ("https://api.bfl.ai.evil.example/x", False),
        ("https://evilbfl.ai/x", False),
        ("http://api.bfl.ai/v1", False),
        ("https://api.bfl.ai:8443/v1", False),
        ("//evil.example/x", False),
        ("file:///etc/passwd", False),
        ("https://api.bfl.ai:99999/", False),
        ("not an address", False),
    ],
)
def test_where_a_key_may_go(address: str, allowed: bool) -> None:
    assert KeyOrigin("https://api.bfl.ai", sites=("bfl.ai",)).allows(address) is allowed


def test_a_redirect_on_the_same_host_is_followed() -> None:
    origin = KeyOrigin("http://127.0.0.1:8000/v1")
    origin.check_redirect("http://127.0.0.1:8000/v1/edits", "/v2/edits")
    with pytest.raises(EditError):
        origin.check_redirect("http://127.0.0.1:8000/v1/edits", "https://127.0.0.1:8000/v1/edits")
