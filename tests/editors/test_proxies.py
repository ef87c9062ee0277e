"""Proxies of the configuration file: another address and another key for a known protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from convergebench.editors import known_editor, open_editor, parse, providers
from convergebench.errors import WrongUse
from convergebench.types import Misconfigured
from servers.asking import RESULT, SEED, ask
from servers.base import KEY
from servers.fal import FalServer
from servers.openai_images import OpenAIServer


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "convergebench.toml"
    file.write_text("")
    monkeypatch.setenv("CONVERGEBENCH_CONFIG", str(file))
    monkeypatch.setenv("GATEWAY_KEY", KEY)
    for name in ("FAL_KEY", "OPENAI_API_KEY", "SERVER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("convergebench.editors.fal.POLL_SECONDS", 0.01)
    return file


def configure(file: Path, like: str, url: str, key: str = "GATEWAY_KEY") -> None:
    file.write_text(f'[providers.gateway]\nlike = "{like}"\nbase_url = "{url}"\nkey = "{key}"\n')


@pytest.mark.parametrize(("like", "takes_seed"), [("openai", False), ("server", True)])
def test_an_openai_compatible_proxy_is_asked_with_its_own_key(
    like: str, takes_seed: bool, config: Path
) -> None:
    with OpenAIServer(["success"], RESULT.encoded) as server:
        configure(config, like, f"{server.url}/v1")
        editor = open_editor("gateway:some-model")
        assert ask(editor).picture.encoded == RESULT.encoded
    assert editor.facts.name == "gateway:some-model"
    assert server.asked[0].authorization == f"Bearer {KEY}"
    assert server.asked[0].fields.get("seed") == (str(SEED) if takes_seed else None)


def test_a_fal_compatible_proxy_is_asked_beside_fal_itself(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAL_KEY", KEY)
    with FalServer(["success"], RESULT.encoded) as proxy, FalServer(["success"], RESULT.encoded) as fal:
        configure(config, "fal", proxy.url)
        through_proxy, direct = open_editor("gateway:some/endpoint"), open_editor(f"qwen?base_url={fal.url}")
        ask(through_proxy)
        ask(direct)
    assert [endpoint for endpoint, _ in proxy.submitted] == ["some/endpoint"]
    assert [endpoint for endpoint, _ in fal.submitted] == ["fal-ai/qwen-image-edit"]


def test_a_proxy_without_a_key_needs_none(config: Path) -> None:
    with OpenAIServer(["success"], RESULT.encoded, needs_key=False) as server:
        configure(config, "server", f"{server.url}/v1", key="")
        assert ask(open_editor("gateway:m")).picture.encoded == RESULT.encoded


def test_the_name_of_the_key_is_no_part_of_the_identity_and_the_address_is(config: Path) -> None:
    def fingerprint(url: str, key: str) -> str:
        configure(config, "server", url, key)
        return open_editor("gateway:m").facts.fingerprint

    first = fingerprint("http://127.0.0.1:1/v1", "GATEWAY_KEY")
    assert fingerprint("http://127.0.0.1:1/v1", "") == first
    assert fingerprint("http://127.0.0.1:2/v1", "GATEWAY_KEY") != first


def test_a_proxy_is_listed_and_its_missing_key_is_named(config: Path) -> None:
    configure(config, "openai", "http://127.0.0.1:1/v1", key="NOT_SET_ANYWHERE")
    assert "gateway" in {one.name for one in providers()}
    listing, parameters = parse("gateway:m")
    assert listing.missing(parameters) == "no key: set NOT_SET_ANYWHERE"
    with pytest.raises(Misconfigured, match="NOT_SET_ANYWHERE"):
        ask(known_editor("gateway:m"))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('like = "gemini"\nbase_url = "http://h"', "like must be one of openai, server, fal"),
        ('base_url = "http://h"', "needs like and base_url"),
        ('like = "fal"\nbase_url = "http://me:pw@h"', "contains a login"),
        ('like = "fal"\nbase_url = "http://h"\nkeys = "X"', "did you mean key?"),
    ],
)
def test_a_wrong_entry_is_answered_in_one_sentence(table: str, said: str, config: Path) -> None:
    config.write_text(f"[providers.gateway]\n{table}\n")
    with pytest.raises(WrongUse) as caught:
        open_editor("gateway:m")
    assert said in str(caught.value)
