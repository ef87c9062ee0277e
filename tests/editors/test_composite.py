"""`?paste=footprint` and `?size=…` around any editor."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.editors import known_editor, open_editor
from convergebench.editors._composite import Composition, composed, size_for
from convergebench.editors._paste_back import footprint, pasted_back
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.types import BatchEditor, Edited, EditError, EditorFacts, EditRequest, Pixels, Refused
from made_pictures import textured
from servers.asking import ask

SOURCE = cv2.GaussianBlur(textured(width=256, height=192, seed=4), (0, 0), 3)


def with_ball(pixels: Pixels) -> Pixels:
    drawn = pixels.copy()
    cv2.circle(drawn, (90, 100), 24, (200, 20, 20), -1)
    return drawn


def worn(pixels: Pixels) -> Pixels:
    """As an encoder and decoder leave it: a little softer, warmer and noisier."""
    noise = np.random.default_rng(1).normal(0, 3, pixels.shape)
    return np.clip(cv2.GaussianBlur(pixels, (0, 0), 1) + noise + (4, 0, -4), 0, 255).astype(np.uint8)


def test_what_was_not_edited_is_the_input_bit_for_bit_and_the_edit_is_the_models() -> None:
    edited = worn(with_ball(SOURCE))
    composite = pasted_back(SOURCE, edited)
    far = np.s_[:, 160:]
    assert np.array_equal(composite[far], SOURCE[far])
    assert np.array_equal(composite[95:105, 85:95], edited[95:105, 85:95])


def test_the_edge_of_the_edit_is_soft() -> None:
    """No step between neighbours is larger than in the model's own picture and in the input."""
    bright = np.full_like(SOURCE, 120)
    edited = with_ball(bright)
    edited = np.clip(edited.astype(int) + 12, 0, 255).astype(np.uint8)  # and a cast over everything
    composite = pasted_back(bright, edited)
    row = composite[20:60, 90].astype(int)  # from the untouched rest towards the ball, outside it
    assert np.abs(np.diff(row, axis=0)).max() <= 6


def test_a_change_of_the_whole_picture_is_the_models_as_it_is() -> None:
    for result in (SOURCE[:, ::-1].copy(), np.rot90(SOURCE).copy(), np.full_like(SOURCE, 7)):
        assert np.array_equal(pasted_back(SOURCE, result), result)


def test_an_edit_that_changes_nothing_gives_the_input() -> None:
    assert np.array_equal(pasted_back(SOURCE, worn(SOURCE)), SOURCE)


def test_a_result_of_another_size_is_laid_on_the_input() -> None:
    larger = cv2.resize(with_ball(SOURCE), (512, 384), interpolation=cv2.INTER_CUBIC)
    composite = pasted_back(SOURCE, larger)
    assert composite.shape == SOURCE.shape
    assert np.array_equal(composite[:, 160:], SOURCE[:, 160:])
    assert composite[100, 90].tolist() == pytest.approx([200, 20, 20], abs=3)


def test_the_footprint_covers_the_edit_and_little_else() -> None:
    found = footprint(SOURCE, worn(with_ball(SOURCE)))
    changed = (with_ball(SOURCE) != SOURCE).any(axis=2)
    assert not (changed & ~found).any()
    assert found.sum() < 2 * changed.sum()


@given(st.integers(16, 4096), st.integers(16, 4096), st.integers(64, 4096))
def test_a_size_keeps_proportions_and_gives_multiples_of_sixteen(width: int, height: int, side: int) -> None:
    made = size_for((width, height), str(side))
    assert all(one % 16 == 0 and one > 0 for one in made)
    assert abs(max(made) - side) <= 8
    scale = side / max(width, height)
    assert all(abs(one - now * scale) <= 16 for one, now in zip(made, (width, height), strict=True))


@dataclass
class Recorder:
    """Edits in batches, and remembers the sizes that it was given; a blue picture is refused."""

    facts: EditorFacts
    batch_size: int = 4

    def __post_init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []

    async def edit(self, request: EditRequest) -> Edited:
        (outcome,) = await self.edit_batch([request])
        assert isinstance(outcome, Edited)
        return outcome

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        self.sizes += [request.image.size for request in requests]
        return [Refused("blue") if one.instruction == "blue" else Edited(one.image) for one in requests]

    async def close(self) -> None:
        pass


def test_the_editor_works_at_the_size_and_the_result_has_that_of_the_input() -> None:
    inner = Recorder(EditorFacts("recorder", "1"))
    editor = composed(inner, Composition(size="512"))
    picture = Picture.from_pixels(SOURCE)
    assert isinstance(editor, BatchEditor) and editor.batch_size == 4
    asked = [EditRequest((picture,), word, 0) for word in ("red", "blue")]
    first, second = asyncio.run(editor.edit_batch(asked))  # type: ignore[func-returns-value]
    assert inner.sizes == [(512, 384)] * 2
    assert isinstance(first, Edited) and first.picture.size == (256, 192)
    assert isinstance(second, Refused)


@dataclass
class SizedModel:
    """Returns what it is given at a size of its own."""

    facts: EditorFacts
    size: tuple[int, int]

    async def edit(self, request: EditRequest) -> Edited:
        return Edited(Picture.from_pixels(cv2.resize(request.image.pixels, self.size)))

    async def close(self) -> None:
        pass


LYING, STANDING = (256, 192), (192, 256)


@pytest.mark.parametrize(
    ("asked", "size", "made", "given"),
    [
        (LYING, "512", (512, 512), LYING),
        (STANDING, "512", (512, 512), STANDING),
        (LYING, "512x512", (512, 512), LYING),
        (STANDING, "512x384", (512, 384), STANDING),
        (STANDING, "512x384", (384, 512), LYING),
        (LYING, "512", (384, 512), STANDING),
    ],
)
def test_a_result_is_turned_only_where_the_model_turned_what_it_was_sent(
    asked: tuple[int, int], size: str, made: tuple[int, int], given: tuple[int, int]
) -> None:
    picture = Picture.from_pixels(textured(width=asked[0], height=asked[1]))
    model = composed(SizedModel(EditorFacts("sized", "1"), made), Composition(size=size))
    assert ask(model, picture).picture.size == given


@pytest.mark.parametrize("source", [SOURCE, np.rot90(SOURCE).copy()], ids=["lying", "standing"])
def test_a_square_result_is_laid_on_its_input(source: Pixels) -> None:
    composite = pasted_back(source, cv2.resize(source, (512, 512)))
    assert np.array_equal(composite, source)


def test_an_editor_without_batches_has_none_inside_a_composition() -> None:
    assert not isinstance(open_editor("jpeg?paste=footprint"), BatchEditor)


def test_it_is_a_model_of_its_own_with_both_in_name_and_fingerprint() -> None:
    plain, pasted = open_editor("jpeg?quality=40").facts, open_editor("jpeg?paste=footprint&quality=40").facts
    sized = open_editor("jpeg?size=128&quality=40&paste=footprint").facts
    assert pasted.name == "jpeg?paste=footprint&quality=40"
    assert sized.name == "jpeg?paste=footprint&quality=40&size=128"
    assert len({plain.fingerprint, pasted.fingerprint, sized.fingerprint}) == 3


def test_a_model_that_cannot_be_used_yet_has_the_same_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XAI_API_KEY", raising=False)
    before = known_editor("grok-imagine?paste=footprint&size=512").facts
    monkeypatch.setenv("XAI_API_KEY", "some-key")
    assert open_editor("grok-imagine?paste=footprint&size=512").facts.fingerprint == before.fingerprint


def test_jpeg_damage_outside_an_edit_is_undone_by_pasting() -> None:
    picture = Picture.from_pixels(SOURCE)
    pasted = ask(open_editor("jpeg?quality=30&paste=footprint"), picture).picture
    assert np.array_equal(pasted.pixels, SOURCE)


def test_the_smallest_and_the_largest_size_are_taken() -> None:
    for size in ("64", "10000", "20000x5000"):
        assert open_editor(f"jpeg?size={size}").facts.parameters["size"] == size


def test_a_size_that_is_the_models_own_parameter_goes_to_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    assert open_editor("gpt-image-2?size=1024x1024").facts.parameters["size"] == "1024x1024"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("jpeg?paste=mask", "paste must be footprint"),
        ("jpeg?size=large", "size must be the longer side"),
        ("jpeg?size=-5", "size must be the longer side"),
        ("jpeg?size=0", "size=0 is too small; give sides of 64 pixels or more"),
        ("jpeg?size=63", "size=63 is too small"),
        ("jpeg?size=1024x8", "size=1024x8 is too small"),
        ("jpeg?size=10017", "could make pictures of 10016 × 10016; stay below 100 megapixels"),
        ("jpeg?size=20000x5008", "size=20000x5008 could make pictures of 20000 × 5008"),
        (f"jpeg?size={10**40}", "size must be the longer side"),
    ],
)
def test_a_wrong_composition_is_answered_in_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        open_editor(spec)
