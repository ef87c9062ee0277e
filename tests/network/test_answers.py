"""Every answer has a largest size and pictures come from public addresses, for every provider."""

from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from convergebench.editors._http import Web
from convergebench.errors import WrongUse
from convergebench.network import AddressPolicy, BoundedBody, NetworkSettings, network_settings
from convergebench.types import BadOutput, EditError, UnusableAnswer
from faults.hostile_provider import FileHost, bomb, deep, drip, endless
from network.test_keys import EDITORS, JUDGES, editor_at, judged, keys  # noqa: F401 (a fixture)
from servers.asking import RESULT, ask
from servers.base import Handler, LoopbackServer


class Harmful(LoopbackServer):
    """Gives one answer to everything."""

    def __init__(self, answer: Handler) -> None:
        super().__init__()
        self.requests = 0
        self._answer = answer

    def routes(self) -> list[web.RouteDef]:
        return [web.route("*", "/{rest:.*}", self._handle)]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        await request.read()
        return await self._answer(request)


@pytest.fixture
def small_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "convergebench.toml").write_text("[network]\nanswer_mb = 2\n")


@pytest.mark.parametrize("answer", [bomb, endless], ids=["bomb", "endless"])
@pytest.mark.parametrize("provider", EDITORS)
def test_an_editors_answer_that_is_too_large_is_bad_output(
    provider: str, answer: Handler, small_limit: None
) -> None:
    with Harmful(answer) as server, pytest.raises(UnusableAnswer, match="larger than 2 MB") as caught:
        ask(editor_at(provider, server.url))
    assert caught.value.kind == "bad_output"


@pytest.mark.parametrize("answer", [bomb, endless], ids=["bomb", "endless"])
@pytest.mark.parametrize("provider", JUDGES)
def test_a_judges_answer_that_is_too_large_is_bad_output(
    provider: str, answer: Handler, small_limit: None
) -> None:
    with Harmful(answer) as server, pytest.raises(UnusableAnswer, match="larger than 2 MB"):
        asyncio.run(judged(provider, server.url))


@pytest.fixture
def short_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "convergebench.toml").write_text("[network]\nanswer_seconds = 0.3\n")


@pytest.mark.parametrize("provider", EDITORS)
def test_an_editors_answer_that_comes_drop_by_drop_is_bad_output(provider: str, short_time: None) -> None:
    with Harmful(drip) as server, pytest.raises(UnusableAnswer, match="not complete after") as caught:
        ask(editor_at(provider, server.url))
    assert caught.value.kind == "bad_output" and server.requests == 1


@pytest.mark.parametrize("provider", JUDGES)
def test_a_judges_answer_that_comes_drop_by_drop_is_bad_output(provider: str, short_time: None) -> None:
    with Harmful(drip) as server, pytest.raises(UnusableAnswer, match="not complete after"):
        asyncio.run(judged(provider, server.url))


def test_a_picture_that_comes_drop_by_drop_is_bad_output(short_time: None) -> None:
    with FileHost() as files, pytest.raises(UnusableAnswer, match="not complete after"):
        fetched(Web(files.url), files.url + "/drip")


@pytest.mark.parametrize("provider", EDITORS)
def test_an_answer_that_is_nested_too_deeply_is_an_error_of_the_provider(provider: str) -> None:
    with Harmful(deep) as server, pytest.raises(EditError):
        ask(editor_at(provider, server.url))


@given(st.binary(max_size=5000), st.integers(1, 700), st.sampled_from(["gzip", "deflate", "raw", "identity"]))
def test_a_compressed_body_is_what_zlib_says_however_it_is_cut(data: bytes, cut: int, how: str) -> None:
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(data), "deflate": zlib.compress(data),
        "raw": raw.compress(data) + raw.flush(), "identity": data,
    }[how]  # fmt: skip
    body = BoundedBody("deflate" if how == "raw" else how, 5000)
    # A headerless stream is told apart by its first two bytes.
    cut = max(cut, 2) if how == "raw" else cut
    pieces = [body.pieces(packed[at : at + cut]) for at in range(0, len(packed), cut)]
    assert b"".join(piece for some in pieces for piece in some) == data


def test_a_body_of_exactly_the_limit_is_taken_and_one_byte_more_is_not() -> None:
    assert BoundedBody("", 10).pieces(b"x" * 10) == [b"x" * 10]
    with pytest.raises(UnusableAnswer):
        BoundedBody("gzip", 10).pieces(gzip.compress(b"x" * 11))


def test_an_encoding_that_was_not_asked_for_is_refused() -> None:
    with pytest.raises(UnusableAnswer, match="'br'"):
        BoundedBody("br", 10)


# Where pictures are fetched from


def fetched(web_: Web, url: object) -> bytes:
    async def once() -> bytes:
        try:
            async with asyncio.timeout(60):
                return await web_.fetch(url)
        finally:
            await web_.close()

    return asyncio.run(once())


PUBLIC = "https://192.0.2.1"
"""A provider elsewhere, which is never asked in these tests."""


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.com/a.png",
        "gopher://x",
        "/a.png",
        "",
        "http://",
        "http://[",
        7,
        None,
    ],
)
def test_only_http_addresses_are_fetched(url: object) -> None:
    with pytest.raises(BadOutput):
        fetched(Web(PUBLIC), url)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "0x7f000001", "[::ffff:127.0.0.1]"])
def test_this_machine_is_not_asked_for_a_provider_elsewhere(host: str) -> None:
    with FileHost(picture=RESULT.encoded) as files, pytest.raises(UnusableAnswer, match="private address"):
        fetched(Web(PUBLIC), files.url.replace("127.0.0.1", host) + "/picture.png")


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "10.1.2.3", "192.168.0.1", "172.16.0.1", "100.64.0.1", "0.0.0.0", "[::1]",
     "[fe80::1]", "[fd00::1]", "224.0.0.1"],
)  # fmt: skip
def test_private_and_link_local_addresses_are_refused_before_anything_is_sent(address: str) -> None:
    with pytest.raises(UnusableAnswer, match="private address"):
        AddressPolicy(PUBLIC).check_url(f"http://{address}/a.png")


def test_a_redirect_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with FileHost(picture=RESULT.encoded) as files:
        inner = "http://169.254.169.254/latest/meta-data"
        with pytest.raises(UnusableAnswer, match="private address"):
            fetched(Web(files.url), f"{files.url}/to/x?url={inner}")


@pytest.mark.parametrize("path", ["/loop", "/gone", "/to/x?url=file:///etc/passwd", "/to/x?url=ftp://a/b"])
def test_an_address_that_leads_nowhere_is_bad_output_at_once(path: str) -> None:
    with FileHost(picture=RESULT.encoded) as files, pytest.raises(UnusableAnswer):
        fetched(Web(files.url), files.url + path)


def test_a_picture_at_a_host_that_does_not_exist_is_bad_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(UnusableAnswer, match="unknown host"):
        fetched(Web(PUBLIC), "http://pictures.invalid/a.png")


@pytest.mark.parametrize("path", ["/bomb", "/endless"])
def test_a_picture_that_is_too_large_is_bad_output(path: str, small_limit: None) -> None:
    with FileHost() as files, pytest.raises(UnusableAnswer, match="larger than 2 MB"):
        fetched(Web(files.url), files.url + path)


def test_the_provider_itself_may_be_on_this_machine() -> None:
    with FileHost(picture=RESULT.encoded) as files:
        assert fetched(Web("http://localhost:1/v1"), f"{files.url}/picture.png") == RESULT.encoded


def test_the_user_may_allow_private_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "convergebench.toml").write_text("[network]\nprivate_addresses = true\n")
    with FileHost(picture=RESULT.encoded) as files:
        assert fetched(Web(PUBLIC), f"{files.url}/picture.png") == RESULT.encoded


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("answer_mb = 0", "above 0"), ("answer_mb = true", "above 0"), ("answer_mb = inf", "above 0"),
        ("answer_seconds = -1", "above 0"), ("answer_seconds = '9'", "above 0"),
        ("private_addresses = 1", "true or false"), ("answers = 1", "unknown"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_meant_are_named(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert network_settings() == NetworkSettings()
    (tmp_path / "convergebench.toml").write_text(f"[network]\n{text}\n")
    with pytest.raises(WrongUse, match=said):
        network_settings()
