from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from convergebench.metrics import MetricOptions, MetricUnavailable, NotMeasurable, clip, clip_direction
from convergebench.metrics.clip_direction import Captions, ClipDirection, DirectionQuery, captions, direction
from convergebench.types import Pixels
from late_import import torch, transformers
from tiny_clip import save_tiny_clip

HAT = Captions("a picture of the person", "a picture of the person with a hat")
CAT = Captions("a picture with the cat", "a picture")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def measuring(folder: Path) -> ClipDirection:
    return clip_direction.load(loaded_clip(folder))


def loaded_clip(folder: Path) -> clip.Clip:
    loaded = clip.load(MetricOptions(clip=str(folder), device="cpu"))
    assert isinstance(loaded, clip.Clip)
    return loaded


def directly(folder: Path, edit: DirectionQuery) -> float:
    """By transformers alone: one CLIP model, its own features of both pictures and both texts."""
    model = transformers.CLIPModel.from_pretrained(folder)
    pictures = [Image.fromarray(each) for each in (edit.before, edit.after)]
    seen = transformers.CLIPImageProcessorPil.from_pretrained(folder)(images=pictures, return_tensors="pt")
    told = transformers.CLIPTokenizer.from_pretrained(folder)(
        list(edit.texts), padding=True, return_tensors="pt"
    )
    with torch.no_grad():
        found = model(**seen, **told)
    changes = [after - before for before, after in (found.image_embeds, found.text_embeds)]
    return float(torch.nn.functional.cosine_similarity(*changes, dim=0))


@pytest.mark.parametrize("texts", [HAT, CAT])
def test_the_direction_agrees_with_a_direct_call_of_transformers(
    folder: Path, measuring: ClipDirection, texts: Captions, textured: Callable[..., Pixels]
) -> None:
    edit = DirectionQuery(textured(90, 200), textured(120, 77, seed=5), texts)
    (value,) = measuring.measure([edit])
    assert value == pytest.approx(directly(folder, edit), abs=1e-4)


def test_a_batch_gives_what_single_edits_give(
    measuring: ClipDirection, textured: Callable[..., Pixels]
) -> None:
    edits = [
        DirectionQuery(textured(60, 70, seed=n), textured(60, 70, seed=50 + n), (HAT, CAT)[n % 2])
        for n in range(20)
    ]
    one_by_one = [measuring.measure([edit])[0] for edit in edits]
    assert measuring.measure(edits) == pytest.approx(one_by_one, abs=1e-4)
    assert len(set(one_by_one)) == 20


def test_undoing_an_edit_has_the_opposite_direction(
    measuring: ClipDirection, textured: Callable[..., Pixels]
) -> None:
    one, other = textured(60, 60), textured(60, 60, seed=3)
    there, back = measuring.measure([DirectionQuery(one, other, HAT), DirectionQuery(other, one, HAT)])
    assert there == pytest.approx(-back, abs=1e-5)


def test_a_picture_that_does_not_change_has_no_direction(
    measuring: ClipDirection, textured: Callable[..., Pixels]
) -> None:
    same, other = textured(60, 60), textured(60, 60, seed=3)
    unchanged, changed = measuring.measure(
        [DirectionQuery(same, same, HAT), DirectionQuery(same, other, HAT)]
    )
    assert isinstance(unchanged, NotMeasurable) and "no change between the two pictures" in str(unchanged)
    assert isinstance(changed, float)


def test_weights_without_a_tokenizer_are_refused_though_transformers_makes_one_up(tmp_path: Path) -> None:
    save_tiny_clip(tmp_path)
    for file in tmp_path.glob("tokenizer*"):
        file.unlink()
    assert len(transformers.CLIPTokenizer.from_pretrained(tmp_path)) < 5
    with pytest.raises(MetricUnavailable, match="no text half of CLIP with its tokenizer"):
        clip_direction.load(loaded_clip(tmp_path))


def test_the_model_that_a_metric_holds_can_be_had_by_its_version_and_goes_with_it(folder: Path) -> None:
    options = MetricOptions(clip=str(folder), device="cpu")
    held = clip.load(options)
    assert clip.in_use(clip.version(options)) is held
    del held
    assert clip.in_use(clip.version(options)) is None


def test_other_weights_and_other_texts_are_other_versions() -> None:
    versions = {clip_direction.version(weights, texts) for weights in ("1:a", "1:b") for texts in (HAT, CAT)}
    assert len(versions) == 4


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Add a hat to the person.", HAT),
        ("remove the cat", CAT),
        ("Add a red ball.", Captions("a picture", "a picture with a red ball")),
        ("Add a cup on the table to the image.", Captions("a picture", "a picture with a cup on the table")),
        ("Replace the cat with a dog", Captions("a picture of the cat", "a picture of a dog")),
        ("Rotate the image 90 degrees clockwise.", None),
        ("Make the sky red.", None),
        ("给人物加一顶帽子。", None),
        ("(imported: hat_add_remove)", None),
        ("Add", None),
        ("", None),
    ],
)
def test_captions_come_from_instructions_that_add_remove_or_replace(
    instruction: str, expected: Captions | None
) -> None:
    assert captions(instruction) == expected


vectors = st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4).map(lambda v: np.array(v, np.float32))


@given(vectors, vectors, vectors, vectors)
def test_a_direction_is_a_cosine_or_there_is_none(before, after, one, other):  # type: ignore[no-untyped-def]
    try:
        value = direction((before, after), (one, other))
    except NotMeasurable:
        assert min(np.linalg.norm(after - before), np.linalg.norm(other - one)) < 1e-3
        return
    assert -1 <= value <= 1
    assert direction((before, after), (other, one)) == pytest.approx(-value, abs=1e-6)
