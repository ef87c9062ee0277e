from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.editors import Listing, editor, listings, open_editor, parse
from convergebench.editors.registry import facts_of
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.types import Edited, EditorFacts, EditRequest, Parameter
from made_pictures import textured


def facts(spec: str) -> EditorFacts:
    return facts_of(*parse(spec))


def changed(value: Parameter) -> Parameter:
    if isinstance(value, bool):
        return not value
    return f"{value}x" if isinstance(value, str) else value + 1


def test_every_listing_tells_what_it_is() -> None:
    assert {"identity", "classical", "jpeg"} <= {one.name for one in listings()}
    for one in listings():
        assert one.summary
        assert facts(one.name).name == one.name
        assert facts(one.name).parameters == one.parameters


def test_a_name_tells_only_the_parameters_that_differ_in_one_order() -> None:
    assert open_editor("jpeg?quality=75").facts.name == "jpeg"
    assert open_editor("shift?dy=2&dx=3").facts.name == "shift?dx=3.0&dy=2.0"
    assert facts("shift?dx=3&dy=2") == facts("shift?dy=2&dx=3")


@given(st.integers(1, 100), st.integers(1, 100))
def test_the_fingerprint_is_equal_exactly_when_the_parameters_are(one: int, other: int) -> None:
    first, second = (facts(f"jpeg?quality={quality}") for quality in (one, other))
    assert (first.fingerprint == second.fingerprint) == (one == other)


@pytest.mark.parametrize("one", listings(), ids=lambda one: one.name)
def test_every_parameter_changes_the_fingerprint(one: Listing) -> None:
    for key, value in one.parameters.items():
        assert facts(f"{one.name}?{key}={changed(value)}").fingerprint != facts(one.name).fingerprint


def test_the_price_is_no_part_of_the_fingerprint_and_the_version_is() -> None:
    jpeg = facts("jpeg")
    assert replace(jpeg, price_usd=0.04).fingerprint == jpeg.fingerprint
    assert replace(jpeg, version="2").fingerprint != jpeg.fingerprint


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("jpg", "no model 'jpg'; did you mean jpeg?"),
        ("clasical", "did you mean classical?"),
        ("qqq", "see: convergebench models"),
        ("", "no model ''"),
        ("jpeg?nope=1", "jpeg has no parameter nope; it takes quality"),
        ("identity?x=1", "it takes no parameters"),
        ("jpeg?quality=abc", "must be a whole number, not abc"),
        ("jpeg?quality=7.5", "must be a whole number, not 7.5"),
        ("blur?sigma=much", "must be a number, not much"),
        ("nowhere:model", "no provider 'nowhere'"),
        ("qwen?api_key=sk-x", "api_key looks like an API key"),
        ("server:m?base_url=http://me:sk-x@host/v1", "the address in base_url contains a login"),
    ],
)
def test_a_wrong_name_is_answered_in_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(WrongUse) as raised:
        open_editor(spec)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "name"),
    [("qwen", "FAL_KEY"), ("server:m?base_url=http://127.0.0.1:9/v1", "SERVER_API_KEY")],
)
def test_a_key_that_no_request_can_carry_is_said_before_anything_is_asked(
    spec: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "sk-secret“")
    with pytest.raises(
        WrongUse, match=f"cannot be used yet: the API key in {name} contains an invalid character"
    ) as raised:
        open_editor(spec)
    assert "sk-secret" not in str(raised.value)


def test_parameters_have_the_type_of_their_defaults() -> None:
    assert parse("jpeg?quality=60")[1] == {"quality": 60}
    assert parse("shift?dx=2")[1] == {"dx": 2.0, "dy": 0.0}


def test_a_name_can_be_taken_once() -> None:
    def build(_: EditorFacts) -> None: ...

    with pytest.raises(ValueError, match="two editors are called jpeg"):
        editor("jpeg", summary="another", version="1")(build)  # type: ignore[arg-type]


PLUG_IN = """
    from convergebench.editors import editor
    from convergebench.editors.pixel import PixelEditor

    @editor("negative", summary="inverts", version="3", price_usd=0.01, parameters={"strength": 255})
    def negative(facts):
        return PixelEditor(facts, lambda pixels, instruction, seed: facts.parameters["strength"] - pixels)
"""


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    """Another package as pip would install it, with an editor of its own."""
    (tmp_path / "negative_editor.py").write_text(textwrap.dedent(PLUG_IN))
    info = tmp_path / "negative_editor-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: negative-editor\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[convergebench.editors]\nnegative = negative_editor\n")
    return tmp_path


def test_an_editor_from_another_package_is_listed_and_edits(plug_in: Path) -> None:
    picture = plug_in / "before.png"
    picture.write_bytes(Picture.from_pixels(textured()).encoded)
    code = f"""
        import asyncio, json, sys
        sys.path.insert(0, {str(plug_in)!r})
        from pathlib import Path
        from convergebench.editors import listings, open_editor
        from convergebench.picture import Picture
        from convergebench.types import EditRequest
        request = EditRequest((Picture.from_file(Path({str(picture)!r})),), "", 0)
        after = asyncio.run(open_editor("negative").edit(request)).picture.pixels
        found = [[one.name, one.version, one.price_usd] for one in listings() if one.name == "negative"]
        print(json.dumps([found, after[0, 0].tolist()]))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, check=True)
    found, corner = json.loads(done.stdout)
    assert found == [["negative", "3", 0.01]]
    assert corner == (255 - textured()[0, 0]).tolist()


def test_an_edit_costs_nothing_and_says_so() -> None:
    request = EditRequest((Picture.from_pixels(textured()),), "Add a hat.", 0)
    edited = asyncio.run(open_editor("jpeg").edit(request))
    assert isinstance(edited, Edited)
    assert edited.cost_usd == 0


def test_weights_of_the_hub_are_told_of_and_keep_nobody_from_using_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    listing, parameters = parse("instruct-pix2pix")
    assert listing.missing(parameters) is None
    assert listing.lacking() == "weights not downloaded: fetched from the hub on first use"
    (tmp_path / "models--timbrooks--instruct-pix2pix").mkdir()
    assert listing.lacking() is None
