"""`folder:PATH?suffix=_primary.png`: a picture for each case, called by the case's id."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from convergebench.editors import open_editor
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.types import EditRequest, Refused, StepContext
from made_pictures import textured

SOURCE = Picture.from_pixels(textured(seed=0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, name in enumerate(("causal/007_primary.png", "causal/007_refined.png", "007_primary.png")):
        path = tmp_path / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Picture.from_pixels(textured(seed=place + 1)).encoded)
    return tmp_path / "made"


def edited(spec: str, case: str, role: str = "edit", round: int = 1) -> Picture:
    request = EditRequest((SOURCE,), "Add a kitten.", 0, StepContext(case, 0, role, round, 0))
    return asyncio.run(open_editor(spec).edit(request)).picture


def test_it_is_found_by_the_whole_id_and_by_nothing_less(folder: Path) -> None:
    found = edited(f"folder:{folder}?suffix=_primary.png", "causal/007")
    assert found.encoded == (folder / "causal" / "007_primary.png").read_bytes()
    with pytest.raises(Refused, match="no picture for physical/007"):
        edited(f"folder:{folder}?suffix=_primary.png", "physical/007")


def test_another_suffix_gives_what_refined_it(folder: Path) -> None:
    found = edited(f"folder:{folder}?suffix=_refined.png", "causal/007", "refined")
    assert found.encoded == (folder / "causal" / "007_refined.png").read_bytes()


def test_it_is_no_picture_for_the_way_back(folder: Path) -> None:
    with pytest.raises(Refused):
        edited(f"folder:{folder}?suffix=_primary.png", "causal/007", "backward")


def test_a_folder_without_such_pictures_is_wrong_use(folder: Path) -> None:
    with pytest.raises(WrongUse, match=r"like CASE_edited\.png"):
        open_editor(f"folder:{folder}?suffix=_edited.png")
