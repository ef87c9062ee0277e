"""The pipelines of 2026 with tiny weights, loaded from a folder as a user's would be."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tiny_pipelines
import tiny_pipelines_2026
from convergebench.editors.registry import open_editor
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Case, Edited, EditRequest, Misconfigured
from editors.engine_run import run_cases
from late_import import diffusers, torch
from made_pictures import textured

pytestmark = pytest.mark.skipif(
    not (find_spec("diffusers") and find_spec("ftfy")), reason="needs the extra diffusers"
)

ALL = (
    "flux2_klein_kv", "bria_fibo_edit", "chrono_edit", "kandinsky5_i2i", "bria_fibo2", "dream_lite",
    "joy_image_edit_plus", "z_image_omni",
)  # fmt: skip
SHORT = {
    "flux2_klein_kv": "&max_sequence_length=64",
    "bria_fibo_edit": "&max_sequence_length=64",
    "chrono_edit": "&max_sequence_length=32",
    "z_image_omni": "&max_sequence_length=64",
}
HALF = ("z_image_omni",)
"""Pipelines that work in bfloat16 alone."""
REFERENCES = ("flux2_klein_kv", "bria_fibo_edit", "bria_fibo2", "joy_image_edit_plus", "z_image_omni")
SIZE = (64, 96)
BY_HAND: dict[str, dict[str, Any]] = {
    "flux2_klein_kv": {"width": 64, "height": 96, "max_sequence_length": 64},
    "bria_fibo_edit": {"width": 64, "height": 96, "max_sequence_length": 64, "guidance_scale": 5.0},
    "chrono_edit": {"width": 64, "height": 96, "num_frames": 5, "max_sequence_length": 32},
    "kandinsky5_i2i": {},
    "bria_fibo2": {"width": 64, "height": 96},
    "dream_lite": {"width": 64, "height": 96},
    "joy_image_edit_plus": {"width": 64, "height": 96},
    "z_image_omni": {"width": 64, "height": 96, "max_sequence_length": 64},
}

Spec = Callable[[str], str]


@pytest.fixture(scope="module", autouse=True)
def small_sizes() -> Iterator[None]:
    """Kandinsky makes pictures of seven sizes, and JoyImage and Fibo 2 read them in some, all large; here in
    a small one."""
    from diffusers.pipelines.joyimage import image_processor

    def with_size(pipeline: Any, name: str, value: Any) -> Any:
        whole = pipeline.__init__

        @functools.wraps(whole)
        def small(self: Any, *arguments: Any, **parts: Any) -> None:
            whole(self, *arguments, **parts)
            setattr(self, name, value)

        return small

    with pytest.MonkeyPatch.context() as patch:
        for pipeline, name, value in (
            (diffusers.Kandinsky5I2IPipeline, "resolutions", [SIZE]),
            (diffusers.BriaFibo2Pipeline, "default_sample_size", 16),
        ):
            patch.setattr(pipeline, "__init__", with_size(pipeline, name, value))
        patch.setattr(image_processor, "BUCKETS", {key: [SIZE[::-1]] for key in image_processor.BUCKETS})
        yield


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    base, saved = tmp_path_factory.mktemp("pipelines"), {}

    def of(name: str) -> str:
        if name not in saved:
            saved[name] = tiny_pipelines.save(getattr(tiny_pipelines_2026, name), base / name)
        dtype = "bfloat16" if name in HALF else "float32"
        return f"diffusers:{saved[name]}?dtype={dtype}&device=cpu&steps=2&batch=2{SHORT.get(name, '')}"

    return of


def asked(seed: int = 7, pictures: int = 1) -> EditRequest:
    images = tuple(Picture.from_pixels(textured(width=64, height=96, seed=n)) for n in range(pictures))
    return EditRequest(images, "Add a red ball.", seed)


_opened: dict[str, Any] = {}


@pytest.fixture(scope="module", autouse=True)
def closed_at_the_end() -> Iterator[None]:
    yield
    for editor in _opened.values():
        asyncio.run(editor.close())
    _opened.clear()


def edits(spec: str, *requests: EditRequest) -> list[Any]:
    """By an editor that stays open for the other tests: loading takes longer than editing."""
    if spec not in _opened:
        _opened[spec] = open_editor(spec)
    return list(asyncio.run(_opened[spec].edit_batch(requests)))


@pytest.mark.parametrize("name", ALL)
def test_an_edit_is_what_the_pipeline_called_by_hand_gives(name: str, spec: Spec) -> None:
    first, again, other = edits(spec(name), asked(), asked(), asked(seed=8))
    assert isinstance(first, Edited), first
    assert first.picture.size == SIZE
    assert np.array_equal(first.picture.pixels, again.picture.pixels)
    assert not np.array_equal(first.picture.pixels, other.picture.pixels)
    assert np.array_equal(first.picture.pixels, _by_hand(name, Path(spec(name)[10:].partition("?")[0])))


def _by_hand(name: str, folder: Path) -> Any:
    dtype = torch.bfloat16 if name in HALF else torch.float32
    pipeline = diffusers.DiffusionPipeline.from_pretrained(folder, torch_dtype=dtype)
    prompt = '{"edit_instruction": "Add a red ball."}' if name == "bria_fibo_edit" else "Add a red ball."
    picture = Image.fromarray(asked().image.pixels)
    options = {"_auto_resize": False} if name == "bria_fibo_edit" else {}
    given = {"images" if name.startswith("joy") else "image": [picture] if name in REFERENCES else picture}
    made = pipeline(
        **given,
        prompt=prompt,
        num_inference_steps=2,
        generator=torch.Generator("cpu").manual_seed(7),
        output_type="np",
        **BY_HAND[name],
        **options,
    )
    values = (
        made.frames[0][-1] if hasattr(made, "frames") else (made.image if name[0] == "k" else made.images)[0]
    )
    return (values * 255).round().astype(np.uint8)


@pytest.mark.parametrize("name", ALL)
def test_each_is_the_same_editor_whenever_it_is_opened_and_takes_no_pairs(name: str, spec: Spec) -> None:
    first, again = open_editor(spec(name)), open_editor(spec(name))
    assert first.facts == again.facts
    assert first.batch_size == 1, "no batches are asked for"  # type: ignore[attr-defined]


def test_references_are_taken_by_those_that_take_several_pictures(spec: Spec) -> None:
    for name in REFERENCES:
        (outcome,) = edits(spec(name), asked(pictures=2))
        assert isinstance(outcome, Edited), outcome


@pytest.mark.parametrize("name", ["flux2_klein_kv", "kandinsky5_i2i"])  # the second makes sizes of its own
def test_a_run_is_resumed_without_editing_twice(
    name: str, spec: Spec, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case(width=64, height=64)
    assert run_cases(workspace, open_editor(spec(name)), case).edits == 2
    resumed = run_cases(workspace, open_editor(spec(name)), case, rounds=2)
    assert (resumed.edits, resumed.replayed) == (2, 2)


def test_a_class_without_an_entry_is_named_with_what_it_would_need(tmp_path: Path) -> None:
    for named, said in (
        ("Cosmos3OmniPipeline", r"has no entry in KINDS.*its call takes prompt, negative_prompt, image"),
        ("FutureEditPipeline", rf"diffusers {version('diffusers')} does not have: install a version"),
    ):
        (tmp_path / "model_index.json").write_text(f'{{"_class_name": "{named}"}}')
        with pytest.raises(Misconfigured, match=said):
            edits(f"diffusers:{tmp_path}?device=cpu&dtype=float32", asked())


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("qwen-image-2.1-local?guidance=4", ("leaves guidance out without a negative prompt",)),
        ("qwen-image-2.1-local?guidance=4&negative_prompt=blurry", ()),
        ("qwen-image-edit-local", ()),
        ("qwen-image-edit-local?negative_prompt=", ("leaves guidance out without a negative prompt",)),
        ("diffusers:black-forest-labs/FLUX.2-klein-4B?guidance=2", ()),
        ("kandinsky5-local", ("does not keep the size of the picture",)),
    ],
)
def test_what_a_pipeline_ignores_is_known_before_it_is_loaded(model: str, said: tuple[str, ...]) -> None:
    warnings = open_editor(model).facts.warnings
    assert len(warnings) == len(said)
    assert all(part in warning for part, warning in zip(said, warnings, strict=True))
