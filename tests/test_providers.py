from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from convergebench.errors import WrongUse
from convergebench.providers import LONGEST_REASON, check_no_secret, error_for, key_in, one_line, seconds_in
from convergebench.types import Misconfigured, RateLimited, Refused, Unavailable


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Misconfigured), (401, Misconfigured), (404, Misconfigured), (408, Unavailable),
        (413, Refused), (425, Unavailable), (429, RateLimited), (500, Unavailable), (529, Unavailable),
    ],
)  # fmt: skip
def test_a_status_says_whether_to_ask_again_to_go_on_or_to_give_up(status: int, kind: type) -> None:
    assert type(error_for(status, "said", key_name="KEY")) is kind


def test_what_counts_as_refused_is_for_the_caller_to_say() -> None:
    assert isinstance(error_for(422, "said", key_name="KEY", refused=(400, 422)), Refused)


def test_what_comes_with_a_401_is_not_repeated_since_some_quote_the_key() -> None:
    assert "sk-secret" not in str(error_for(401, "wrong key sk-secret", key_name="KEY"))


def test_a_rate_limit_carries_the_hint_when_to_ask_again() -> None:
    error = error_for(429, "slow down", key_name="KEY", after_seconds=3.0)
    assert isinstance(error, RateLimited)
    assert error.after_seconds == 3.0


def test_a_providers_words_are_one_short_line_without_the_key() -> None:
    assert one_line("no\n such  key: sk-secret", "sk-secret") == "no such key: [key]"
    assert len(one_line("long " * 1000, None)) == LONGEST_REASON
    assert one_line("half a hat: \ud83d", None) == "half a hat: \ufffd"


def test_the_first_key_that_is_set_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRST_KEY", "")
    monkeypatch.setenv("SECOND_KEY", "two")
    assert key_in(["FIRST_KEY", "SECOND_KEY"]) == "two"
    assert key_in(["FIRST_KEY"]) is None


def test_a_line_end_behind_a_key_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", " sk-secret\r\n")
    assert key_in(["SOME_KEY"]) == "sk-secret"
    monkeypatch.setenv("SOME_KEY", "\n")
    assert key_in(["SOME_KEY"]) is None


@pytest.mark.parametrize("key", ["sk-secret“", "sk-secreté", "sk-\nsecret", "sk-secret\x01", "sk secret"])
def test_a_key_that_no_request_can_carry_is_named_and_not_quoted(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(Misconfigured, match="key in SOME_KEY contains an invalid character") as caught:
        key_in(["SOME_KEY"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["key", "api_key", "apikey", "API-Key", "x_api_key", "token", "access_token", "client_secret", "password",
     "Authorization"],
)  # fmt: skip
def test_a_parameter_that_looks_like_a_key_is_refused_unquoted(name: str) -> None:
    with pytest.raises(WrongUse, match=f"{name} looks like an API key.*environment variable") as raised:
        check_no_secret(name, "sk-hush")
    assert "sk-hush" not in str(raised.value)


@pytest.mark.parametrize(
    "address", ["http://user:sk-hush@host/v1", "https://sk-hush@host", "s3://a:sk-hush@b"]
)
def test_an_address_with_a_login_in_it_is_refused_unquoted(address: str) -> None:
    with pytest.raises(WrongUse, match="the address in base_url contains a login") as raised:
        check_no_secret("base_url", address)
    assert "sk-hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [("max_tokens", "2048"), ("base_url", "http://host:8000/v1/@me"), ("keyframes", "3"), ("author", "me@x")],
)
def test_other_parameters_pass(name: str, text: str) -> None:
    check_no_secret(name, text)


@pytest.mark.parametrize("header", [None, "", "soon", "-1", "inf", "nan", "Sun, 15 Nov"])
def test_what_is_neither_seconds_nor_a_date_is_no_hint(header: str | None) -> None:
    assert seconds_in(header) is None


@pytest.mark.parametrize("usegmt", [True, False])
def test_a_date_says_how_long_to_wait(usegmt: bool) -> None:
    then = datetime.now(UTC) + timedelta(minutes=5)
    seconds = seconds_in(format_datetime(then, usegmt=usegmt))
    assert seconds is not None and 290 < seconds <= 300


def test_a_date_that_is_over_says_to_ask_at_once() -> None:
    assert seconds_in("Sun, 06 Nov 1994 08:49:37 GMT") == seconds_in("Sun, 06 Nov 1994 08:49:37 -0000") == 0
