"""The described editor: providers that have an adapter too, against the same loopback servers."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from convergebench.editors import open_editor
from convergebench.editors._http import data_uri
from convergebench.editors._http_description import read_description
from convergebench.editors.http_editor import HttpEditor
from convergebench.errors import WrongUse
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
from servers.asking import RESULT, SEED, SOURCE, Row, ask, round_trip_rows
from servers.base import KEY, LoopbackServer
from servers.bfl import BflServer
from servers.fal import FalServer
from servers.openai_images import OpenAIServer
from servers.xai import XaiServer

DESCRIPTIONS = Path(__file__).with_name("http_descriptions")


@dataclass(frozen=True)
class Described:
    server: type[LoopbackServer]
    path: str
    cost_usd: float | None


PROVIDERS = {
    "bfl": Described(BflServer, "", 0.05),
    "xai": Described(XaiServer, "/v1", 0.022),
    "fal": Described(FalServer, "", 0.02),
    "openai": Described(OpenAIServer, "/v1", None),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BFL_API_KEY", "XAI_API_KEY", "FAL_KEY", "SERVER_API_KEY"):
        monkeypatch.setenv(name, KEY)


def served(name: str, *script: str) -> LoopbackServer:
    return PROVIDERS[name].server(script or ("success",), RESULT.encoded)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., HttpEditor]:
    """The provider's description, asked at the server, without the pauses between two looks at a job."""

    def build(name: str, server: LoopbackServer, query: str = "") -> HttpEditor:
        text = (DESCRIPTIONS / f"{name}.toml").read_text().replace("seconds = 0.", "seconds = 0.0")
        file = tmp_path / f"{name}.toml"
        file.write_text(text)
        editor = open_editor(f"http:{file}?base={server.url}{PROVIDERS[name].path}{query}")
        assert isinstance(editor, HttpEditor)
        return editor

    return build


Opened = Callable[..., HttpEditor]


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_picture_comes_back_as_it_was_given_at_its_cost(name: str, opened: Opened) -> None:
    with served(name) as server:
        edited = ask(opened(name, server))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == (pytest.approx(PROVIDERS[name].cost_usd) if name != "openai" else None)


def test_values_keep_their_types_in_the_request(opened: Opened) -> None:
    with BflServer(("success",), RESULT.encoded) as server:
        ask(opened("bfl", server, "&safety_tolerance=4&variant=flux-kontext-max"))
    assert server.submitted == [
        (
            "flux-kontext-max",
            {
                "prompt": "Add a red ball.",
                "input_image": base64.b64encode(SOURCE.encoded).decode(),
                "seed": SEED,
                "output_format": "png",
                "prompt_upsampling": False,
                "safety_tolerance": 4,
            },
        )
    ]


def test_a_parameter_that_is_switched_off_is_not_sent(opened: Opened) -> None:
    with FalServer(("success",), RESULT.encoded) as server:
        ask(opened("fal", server, "&output_format="))
    ((endpoint, sent),) = server.submitted
    assert endpoint == "fal-ai/qwen-image-edit"
    assert sent == {"prompt": "Add a red ball.", "image_url": data_uri(SOURCE), "seed": SEED}


def test_a_form_holds_the_picture_as_a_file(opened: Opened) -> None:
    with OpenAIServer(("success",), RESULT.encoded) as server:
        ask(opened("openai", server))
    (asked,) = server.asked
    assert asked.files == [("image", SOURCE.encoded, "image/png")]
    assert asked.fields["seed"] == str(SEED) and asked.authorization == f"Bearer {KEY}"


def test_truth_values_in_a_form_are_spelled_as_in_json(tmp_path: Path) -> None:
    text = (DESCRIPTIONS / "openai.toml").read_text()
    text = text.replace("[form]", 'enhance = true\n[form]\nenhance = "{enhance}"\ntold = "{enhance}, {seed}"')
    (tmp_path / "server.toml").write_text(f"{text}\ntiled = false\nstrength = 0.5\n")
    with OpenAIServer(("success",), RESULT.encoded) as server:
        ask(open_editor(f"http:{tmp_path / 'server.toml'}?base={server.url}/v1"))
    (asked,) = server.asked
    names = ("enhance", "told", "tiled", "strength")
    assert [asked.fields[name] for name in names] == ["true", f"true, {SEED}", "false", "0.5"]


@pytest.mark.parametrize(
    ("name", "word", "kind", "reason"),
    [
        ("bfl", "request_moderated", Refused, "Request Moderated"),
        ("bfl", "content_moderated", Refused, "Violence"),
        ("bfl", "submit_error", Unavailable, "500"),
        ("bfl", "submit_reset", NoReply, "lost"),
        ("bfl", "submit_truncated", NoReply, "cut off"),
        ("bfl", "job_error", Unavailable, "the worker died"),
        ("bfl", "lost_job", Unavailable, "Task not found"),
        ("bfl", "not_a_picture", BadOutput, "not a picture"),
        ("bfl", "no_credit", Misconfigured, "Insufficient credits"),
        ("bfl", "unknown_model", Misconfigured, "Not Found"),
        ("bfl", "wrong_parameter", Misconfigured, "valid integer"),
        ("bfl", "rate_limited", RateLimited, "Too many active tasks"),
        ("xai", "violation", Refused, "guidelines"),
        ("xai", "rejected_picture", Refused, "moderation"),
        ("xai", "moderated", Refused, "does not respect the content policy"),
        ("xai", "empty", Refused, "the reply has no picture"),
        ("xai", "no_credit", Misconfigured, "credits"),
        ("xai", "unknown_model", Misconfigured, "does not exist"),
        ("xai", "server_error", Unavailable, "503"),
        ("xai", "rate_limited", RateLimited, "Too many requests"),
        ("xai", "not_base64", BadOutput, "not base64"),
        ("xai", "not_a_picture", BadOutput, "not a picture"),
        ("xai", "truncated", NoReply, "cut off"),
        ("xai", "reset", NoReply, "lost"),
        ("fal", "refused", Refused, "content checker"),
        ("fal", "too_small", Refused, "too small"),
        ("fal", "nsfw", Refused, "safety checker"),
        ("fal", "no_media", BadOutput, "No media"),
        ("fal", "not_a_picture", BadOutput, "not a picture"),
        ("fal", "empty", BadOutput, "no images.0.url"),
        ("fal", "wrong_parameter", Misconfigured, "should be a number"),
        ("fal", "no_credit", Misconfigured, "Exhausted balance"),
        ("fal", "unknown_endpoint", Misconfigured, "Application not found"),
        ("fal", "job_error", Unavailable, "Runner disconnected"),
        ("fal", "submit_error", Unavailable, "500"),
        ("fal", "rate_limited", RateLimited, "Too many requests"),
    ],
)
def test_each_failure_has_its_kind_and_reason(
    name: str, word: str, kind: type[EditError], reason: str, opened: Opened
) -> None:
    with served(name, word) as server, pytest.raises(EditError) as caught:
        ask(opened(name, server))
    assert type(caught.value) is kind
    assert reason in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("bfl", "slow"), ("bfl", "poll_once_error"), ("bfl", "poll_once_missing"), ("bfl", "poll_out"),
        ("bfl", "file_once_truncated"), ("bfl", "file_out"), ("fal", "slow"), ("fal", "status_out"),
        ("fal", "result_once_502"), ("fal", "file_out"), ("fal", "success_inline"),
    ],
)  # fmt: skip
def test_a_job_that_is_paid_for_is_waited_for_and_not_submitted_again(
    name: str, word: str, opened: Opened
) -> None:
    with served(name, word) as server:
        assert ask(opened(name, server)).picture.encoded == RESULT.encoded
        submitted = server.submitted  # type: ignore[attr-defined]
    assert len(submitted) == 1


@pytest.mark.parametrize(
    ("name", "word", "cost_usd"),
    [
        ("bfl", "not_a_picture", 0.05),
        ("bfl", "content_moderated", 0.05),
        ("bfl", "job_error", 0.0),
        ("bfl", "submit_error", None),
        ("xai", "moderated", 0.022),
        ("xai", "violation", None),
        ("fal", "not_a_picture", 0.02),
        ("fal", "refused", 0.0),
    ],
)
def test_a_failure_costs_what_was_charged_before_it(
    name: str, word: str, cost_usd: float | None, opened: Opened
) -> None:
    with served(name, word) as server, pytest.raises(EditError) as caught:
        ask(opened(name, server))
    assert caught.value.cost_usd == (None if cost_usd is None else pytest.approx(cost_usd))


def test_a_wrong_key_is_said_without_repeating_it(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("BFL_API_KEY", "XAI_API_KEY", "FAL_KEY"):
        monkeypatch.setenv(variable, "some-other-key")
    for name in ("bfl", "xai", "fal"):
        with served(name) as server, pytest.raises(Misconfigured) as caught:
            ask(opened(name, server))
        assert "key" in str(caught.value) and "some-other-key" not in str(caught.value)


def test_a_missing_key_is_named_and_the_price_is_known_all_the_same(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAL_KEY")
    with served("fal") as server:
        editor = opened("fal", server)
        assert editor.facts.price_usd == 0.02
        with pytest.raises(Misconfigured, match="no key: set FAL_KEY"):
            ask(editor)


def test_two_pictures_are_refused_where_one_is_taken(opened: Opened) -> None:
    with served("bfl") as server, pytest.raises(Refused, match="takes one picture, got 2"):
        ask(opened("bfl", server), SOURCE, RESULT)


def test_the_identity_follows_the_request_and_not_the_place_of_the_file(tmp_path: Path) -> None:
    text = (DESCRIPTIONS / "fal.toml").read_text()

    def fingerprint(name: str, content: str, query: str = "") -> str:
        file = tmp_path / name
        file.write_text(content)
        return open_editor(f"http:{file}{query}").facts.fingerprint

    first = fingerprint("one.toml", text)
    assert fingerprint("two.toml", text) == first
    assert fingerprint("two.toml", text.replace("price_usd = 0.02", "price_usd = 0.03")) == first
    assert fingerprint("two.toml", text.replace('"{seed}"', "7")) != first
    assert fingerprint("two.toml", text, "?output_format=jpeg") != first


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('url = "{base}/{endpoint}"', "", "needs url"),
        ('url = "{base}/{endpoint}"', 'url = "ftp://host"', "must begin with http"),
        ("price_usd", "prise_usd", "did you mean price_usd?"),
        ('"{seed}"', '"{sead}"', "unknown slot {sead}"),
        ('key = "FAL_KEY"', "", 'headers hold {key}; say key = "NAME"'),
        ('"{image_data_uri}"', '"x"', "no slot for the picture"),
        ('kind = "bad_output"', 'kind = "odd"', "kind must be one of refused"),
        ('url = "{reply.status_url}"', 'url = "{status_url}"', "unknown slot {status_url}"),
        ("[body]", "[body", "is not valid TOML"),
    ],
)
def test_a_wrong_description_is_answered_in_one_sentence(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = (DESCRIPTIONS / "fal.toml").read_text()
    assert old in text
    (tmp_path / "wrong.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(WrongUse) as caught:
        open_editor(f"http:{tmp_path / 'wrong.toml'}")
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ('[body]\nimage = "{image_file}"', "{image_file} is a file, which JSON cannot hold"),
        ('[[body.images]]\nimage = "{image_file}"', "{image_file} is a file, which JSON cannot hold"),
        ('[body]\nimage = "{image_base64}"\nday = 2026-01-01', "body cannot be written as JSON"),
        ('[form]\nimages = "{images_data_uri}"', "{images_data_uri} is a list, which a form cannot hold"),
        ('[form]\nimage = "file {image_file}"', "form.image must be {image_file} and nothing else"),
        ('[form]\nimage = "{image_file}"\nsizes = [1, 2]', "form.sizes must be a text, a number"),
    ],
)
def test_a_request_that_could_never_be_sent_is_refused_when_it_is_read(
    request_: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "wrong.toml").write_text(f'url = "https://host"\n{request_}\n')
    with pytest.raises(WrongUse) as caught:
        open_editor(f"http:{tmp_path / 'wrong.toml'}")
    assert said in str(caught.value)


def test_an_address_in_place_of_a_file_says_what_to_write() -> None:
    with pytest.raises(WrongUse, match=r"http:FILE\.toml names a file"):
        open_editor("http://127.0.0.1:8000/v1")


def test_a_seed_is_taken_where_the_request_has_a_slot_for_it() -> None:
    assert read_description(DESCRIPTIONS / "fal.toml").takes_seed
    assert not read_description(DESCRIPTIONS / "xai.toml").takes_seed


def test_the_workspace_tells_attempts_costs_and_the_reason_of_a_refusal(
    workspace: Workspace, make_case: Callable[..., Case], opened: Opened
) -> None:
    with served("bfl", "submit_error", "rate_limited", "success", "content_moderated") as server:
        outcome, rows = round_trip_rows(workspace, opened("bfl", server), make_case())
    assert outcome.failures == {"refused": 1}
    assert rows[0] == Row(None, None, 3, pytest.approx(0.05))
    assert rows[1].failure == "refused" and rows[1].cost_usd == pytest.approx(0.05)
