"""The reader of settings files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from convergebench.api import Settings
from convergebench.errors import WrongUse
from convergebench.settings_file import path_field, path_or_name_field, read_settings, settings_from

pytest.importorskip("yaml")


@dataclass(frozen=True)
class Party:
    guests: tuple[str, ...]
    rooms: int = 1
    budget: float | None = None
    music: Literal["loud", "soft"] = "soft"
    outside: bool = False
    extras: Mapping[str, Any] = field(default_factory=dict)
    photos: str = path_field("photos")
    cake: str = path_or_name_field()


def read(folder: Path, text: str, **instead: Any) -> Party:
    (folder / "party.yaml").write_text(text)
    return read_settings(Party, folder / "party.yaml", "party", instead)


def test_a_file_gives_every_type_of_field(tmp_path: Path) -> None:
    found = read(
        tmp_path, "{guests: [ann, bob], rooms: 2, budget: 3, music: loud, outside: true, extras: {hats: 4}}"
    )
    photos = str(tmp_path / "photos")
    assert found == Party(("ann", "bob"), 2, 3, "loud", True, {"hats": 4}, photos)


def test_one_text_is_a_list_of_one_and_nothing_is_the_default(tmp_path: Path) -> None:
    found = read(tmp_path, "guests: ann\nrooms:\n")
    assert (found.guests, found.rooms) == (("ann",), 1)


def test_paths_are_relative_to_the_file_and_names_stay_names(tmp_path: Path) -> None:
    assert read(tmp_path, "{guests: ann, cake: bakery/cake}").cake == "bakery/cake"
    (tmp_path / "bakery").mkdir()
    (tmp_path / "bakery" / "cake").touch()
    assert read(tmp_path, "{guests: ann, cake: bakery/cake}").cake == str(tmp_path / "bakery/cake")
    assert read(tmp_path, "{guests: ann, photos: /elsewhere}").photos == "/elsewhere"


def test_what_is_given_beside_the_file_overrides_it_as_it_is(tmp_path: Path) -> None:
    found = read(tmp_path, "{guests: ann, rooms: 2, photos: mine}", rooms=5, photos="here")
    assert (found.rooms, found.photos) == (5, "here")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rooms: 2", "a party needs guests; add what is missing"),
        ("{guests: a, romms: 2}", "there is no party setting 'romms'; did you mean rooms?"),
        ("{guests: a, rooms: '2'}", "rooms must be a whole number, not '2'"),
        ("{guests: a, rooms: true}", "rooms must be a whole number, not True"),
        ("{guests: a, budget: dear}", "budget must be a number, not 'dear'"),
        ("{guests: a, outside: 1}", "outside must be true or false, not 1"),
        ("{guests: a, music: none}", "music must be one of loud, soft, not 'none'"),
        ("{guests: 3}", "guests must be a list, not 3"),
        ("{guests: a, extras: [x]}", "extras must be keys and values, not ['x']"),
        ("{guests: a, photos: 3}", "photos must be a text, not 3"),
        ("just text", "must be a mapping"),
        ("{guests: [a", "is not valid YAML"),
    ],
)
def test_a_mistake_is_explained_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(WrongUse) as caught:
        read(tmp_path, text)
    assert sentence in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"cannot read .*party.yaml: No such file"):
        read_settings(Party, tmp_path / "party.yaml", "party")


def test_the_settings_of_a_run_can_be_read_too() -> None:
    content = {"models": "jpeg", "rounds": 3, "device": "cpu", "max_cost_usd": 1, "clip": None}
    assert settings_from(Settings, content, "run") == Settings(
        ("jpeg",), rounds=3, device="cpu", max_cost_usd=1
    )
