"""The rendered portraits are asked for edits of a face, so the built-in editor has to find one in them."""

from __future__ import annotations

import pytest

from convergebench.editors.classical import edit_pixels
from convergebench.editors.classical.faces import find_face
from convergebench.picture import Picture
from convergebench.suites.catalogue import CataloguedPicture, RenderedFile, pictures
from convergebench.types import Pixels, Refused

PEOPLE = [one for one in pictures() if one.kind == "portrait" and isinstance(one.file, RenderedFile)]
FACES = [one for one in PEOPLE if "glasses_add_remove" in one.edits]


def pixels_of(picture: CataloguedPicture) -> Pixels:
    assert isinstance(picture.file, RenderedFile)
    return Picture.from_file(picture.file.path).pixels


@pytest.mark.parametrize("picture", FACES, ids=lambda picture: picture.id)
def test_the_eyes_of_a_rendered_person_are_found_in_the_upper_half_of_the_picture(
    picture: CataloguedPicture,
) -> None:
    width, height = picture.size
    face = find_face(pixels_of(picture))
    assert 0.25 * width < face.x < 0.75 * width
    assert 0.15 * height < face.y < 0.5 * height
    assert face.size > 0.15 * width


def test_glasses_on_a_rendered_person_change_the_face_and_nothing_far_from_it() -> None:
    pixels = pixels_of(FACES[0])
    face = find_face(pixels)
    changed = (edit_pixels(pixels, "Add a pair of glasses to the person.") != pixels).any(axis=2)
    rows = changed.any(axis=1).nonzero()[0]
    assert rows.size > 0
    assert abs(rows.mean() - face.y) < 0.5 * face.size


def test_hands_without_a_face_are_refused_glasses() -> None:
    (hands,) = [one for one in PEOPLE if one not in FACES]
    with pytest.raises(Refused, match="no face found"):
        edit_pixels(pixels_of(hands), "Add a pair of glasses to the person.")
