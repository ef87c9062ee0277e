from __future__ import annotations

import pytest

from convergebench.engine.judging import judge_images
from convergebench.engine.judging.judge_images import JudgeImageCache
from convergebench.judges.rubric import PictureLimits
from convergebench.picture import Picture
from convergebench.store import Workspace
from made_pictures import textured

LIMITS = PictureLimits()


def kept(workspace: Workspace, seed: int) -> Picture:
    picture = Picture.from_pixels(textured(seed=seed))
    workspace.pictures.put(picture)
    return picture


def test_a_plain_picture_within_the_limits_is_shown_byte_for_byte(workspace: Workspace) -> None:
    picture = kept(workspace, 1)
    assert JudgeImageCache(workspace.pictures)(picture.digest, LIMITS).encoded == picture.encoded


def test_a_picture_in_several_questions_is_read_and_put_into_letters_once(workspace: Workspace) -> None:
    picture, show = kept(workspace, 1), JudgeImageCache(workspace.pictures)
    first = show(picture.digest, LIMITS)
    workspace.pictures.path(picture.facts).unlink()
    assert show(picture.digest, LIMITS).base64 is first.base64


@pytest.mark.parametrize("limits", [LIMITS, PictureLimits(32)])
def test_a_picture_that_was_just_stored_is_shown_without_reading_it(
    limits: PictureLimits, workspace: Workspace
) -> None:
    picture, show = kept(workspace, 1), JudgeImageCache(workspace.pictures)
    read = JudgeImageCache(workspace.pictures)(picture.digest, limits)
    show.keep([picture])
    workspace.pictures.path(picture.facts).unlink()
    assert show(picture.digest, limits).encoded == read.encoded


def test_other_limits_are_another_picture(workspace: Workspace) -> None:
    picture, show = kept(workspace, 1), JudgeImageCache(workspace.pictures)
    small = show(picture.digest, PictureLimits(32))
    assert (small.size, show(picture.digest, LIMITS).size) == ((32, 24), (64, 48))


def test_no_more_is_kept_than_there_is_room_for(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = kept(workspace, 1), kept(workspace, 2)
    monkeypatch.setattr(judge_images, "CACHE_BYTES", len(old.encoded) + len(new.encoded) - 1)
    show = JudgeImageCache(workspace.pictures)
    first, second = show(old.digest, LIMITS), show(new.digest, LIMITS)
    assert show(new.digest, LIMITS) is second
    assert show(old.digest, LIMITS) is not first
