"""What editors that speak plain HTTP share, against a loopback server that stands in for a proxy."""

from __future__ import annotations

import pytest

from convergebench.editors import open_editor
from servers.asking import RESULT, ask
from servers.base import KEY
from servers.xai import XaiServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XAI_API_KEY", KEY)


def test_a_proxy_of_the_environment_is_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    with XaiServer(("success",), RESULT.encoded) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        ask(open_editor("grok-imagine?base_url=http://models.invalid/v1"))
    assert len(proxy.asked) == 1


def test_hosts_that_the_environment_excepts_are_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.invalid:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with XaiServer(("success",), RESULT.encoded) as server:
        ask(open_editor(f"grok-imagine?base_url={server.url}/v1"))
    assert len(server.asked) == 1
