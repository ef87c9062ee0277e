from __future__ import annotations

from dataclasses import replace

import pytest

from convergebench.judges import Rubric, Subject, rubric
from convergebench.judges.asking import key_of, lacking, pictures_sent, question, texts_sent, within
from convergebench.judges.base import JudgeImage
from convergebench.judges.rubric import PictureLimits
from convergebench.picture import Picture
from made_pictures import textured

SC = rubric("gedit_sc")
ONE = Subject({"source": ("aa",), "result": ("bb",)}, {"instruction": "Add a hat.", "hint": "A red hat."})


def shown(digest: str, limits: PictureLimits) -> JudgeImage:
    return JudgeImage.of(Picture.from_pixels(textured(seed=len(digest))))


def texts(which: Rubric, subject: Subject) -> str:
    return "\n".join(part for part in question(which, subject, shown).parts if isinstance(part, str))


def test_a_question_shows_each_picture_under_its_name_and_says_how_to_reply() -> None:
    asked = question(SC, ONE, shown)
    kinds = ["picture" if not isinstance(part, str) else part.splitlines()[0] for part in asked.parts]
    assert kinds[2:6] == ["The source picture:", "picture", "The edited picture:", "picture"]
    assert "Add a hat." in texts(SC, ONE)
    assert '"edit_success": a number from 0 to 10' in texts(SC, ONE)


def test_a_rubric_sees_only_what_it_names() -> None:
    assert "A red hat." not in texts(SC, ONE)
    assert "A red hat." in texts(rubric("wiseedit_if"), ONE)
    assert "Add a hat." not in texts(rubric("wiseedit_vq"), ONE)
    assert pictures_sent(rubric("gedit_pq"), ONE) == (("result", "bb"),)


def test_several_source_pictures_get_their_own_prompt_and_numbers() -> None:
    two = replace(ONE, pictures={"source": ("aa", "cc"), "result": ("bb",)})
    assert rubric("wiseedit_dp").prompt in texts(rubric("wiseedit_dp"), ONE)
    assert rubric("wiseedit_dp").prompt_for_several in texts(rubric("wiseedit_dp"), two)
    assert "The source picture, number 2:" in texts(rubric("wiseedit_dp"), two)


def test_what_a_rubric_must_see_and_a_subject_lacks_is_named() -> None:
    assert lacking(SC, ONE) is None
    assert lacking(SC, replace(ONE, texts={})) == "instruction"
    assert lacking(SC, replace(ONE, pictures={"result": ("bb",)})) == "source"


def test_the_key_changes_with_judge_rubric_picture_text_and_repeat_and_with_nothing_else() -> None:
    def key(judge: str = "j", which: Rubric = SC, subject: Subject = ONE, repeat: int = 0) -> str:
        return key_of(judge, which, pictures_sent(which, subject), texts_sent(which, subject), repeat)

    others = [
        key(judge="k"),
        key(which=replace(SC, version=2)),
        key(which=replace(SC, prompt="Look!")),
        key(subject=replace(ONE, pictures={"source": ("aa",), "result": ("cc",)})),
        key(subject=replace(ONE, pictures={"source": ("bb",), "result": ("aa",)})),
        key(subject=replace(ONE, texts={"instruction": "Add a cap."})),
        key(repeat=1),
    ]
    assert len({key(), *others}) == 1 + len(others)
    assert key(subject=replace(ONE, texts={"instruction": "Add a hat.", "hint": "unseen"})) == key()


@pytest.mark.parametrize(("width", "height", "size"), [(640, 320, (512, 256)), (100, 1024, (50, 512))])
def test_a_picture_is_shrunk_to_fit_and_keeps_its_shape(
    width: int, height: int, size: tuple[int, int]
) -> None:
    picture = Picture.from_pixels(textured(width, height))
    fitted = within(picture, PictureLimits(512, "jpeg", 90))
    again = Picture.from_bytes(fitted.encoded)
    assert fitted.size == again.size == size
    assert fitted.facts == again.facts
    assert again.facts.media_type == "image/jpeg"


def test_a_picture_that_fits_is_sent_as_it_is() -> None:
    picture = Picture.from_pixels(textured(64, 48))
    assert within(picture, PictureLimits(64, "png")) is picture
    assert within(picture, PictureLimits(512, "jpeg")).facts.media_type == "image/jpeg"
