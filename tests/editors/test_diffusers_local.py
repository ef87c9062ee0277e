"""Real pipelines of diffusers with tiny weights, loaded from a folder as a user's would be."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tiny_pipelines
from convergebench.editors.registry import open_editor
from convergebench.engine import Plan, RunLimits, RunOutcome, run_plan
from convergebench.errors import WrongUse
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import (
    Case,
    Crashed,
    Edited,
    EditError,
    EditRequest,
    Misconfigured,
    PictureFacts,
    Pixels,
    Refused,
)
from late_import import diffusers, torch
from made_pictures import textured

pytestmark = pytest.mark.skipif(find_spec("diffusers") is None, reason="needs the extra diffusers")

TINY = "dtype=float32&device=cpu&steps=2&batch=4"
ALL = ("instruct_pix2pix", "flux_kontext", "qwen_image_edit", "qwen_image_edit_plus", "flux2_klein")
TAKE_PAIRS = ("instruct_pix2pix", "flux_kontext", "qwen_image_edit")
SHORT = {"flux_kontext": "&max_sequence_length=32", "flux2_klein": "&max_sequence_length=64"}

Folder = Callable[[str], Path]


@pytest.fixture(scope="module", autouse=True)
def small_conditions() -> Iterator[None]:
    """The Qwen pipelines look at a megapixel of every picture; here at as little as they are given."""
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit, pipeline_qwenimage_edit_plus

    with pytest.MonkeyPatch.context() as patch:
        whole = pipeline_qwenimage_edit.calculate_dimensions
        patch.setattr(
            pipeline_qwenimage_edit, "calculate_dimensions", lambda area, ratio: whole(64 * 64, ratio)
        )
        patch.setattr(pipeline_qwenimage_edit_plus, "VAE_IMAGE_SIZE", 64 * 64)
        patch.setattr(pipeline_qwenimage_edit_plus, "CONDITION_IMAGE_SIZE", 64 * 64)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    base, saved = tmp_path_factory.mktemp("pipelines"), {}

    def of(name: str) -> Path:
        if name not in saved:
            saved[name] = tiny_pipelines.save(getattr(tiny_pipelines, name), base / name)
        return saved[name]

    return of


@pytest.fixture(scope="module")
def edited(folder: Folder) -> Iterator[Callable[..., list[Edited | EditError]]]:
    """Edits with a tiny pipeline; the same settings are loaded once."""
    opened: dict[str, Any] = {}

    def edit(name: str, requests: Sequence[EditRequest], more: str = "") -> list[Edited | EditError]:
        spec = f"diffusers:{folder(name)}?{TINY}{SHORT.get(name, '')}{more}"
        if spec not in opened:
            opened[spec] = open_editor(spec)
        return list(asyncio.run(opened[spec].edit_batch(requests)))

    yield edit
    for editor in opened.values():
        asyncio.run(editor.close())


def instruct_pix2pix() -> Any:
    """The pipeline's class."""
    return diffusers.StableDiffusionInstructPix2PixPipeline


def asked(instruction: str = "Add a red ball.", seed: int = 7, **shape: int) -> EditRequest:
    return EditRequest(
        (Picture.from_pixels(textured(**({"width": 64, "height": 80} | shape))),), instruction, seed
    )


def different(number: int, **shape: int) -> list[EditRequest]:
    return [asked(f"Add {n} red balls.", seed=n, **shape) for n in range(number)]


def pixels(outcome: Edited | EditError) -> Pixels:
    assert isinstance(outcome, Edited), outcome
    return outcome.picture.pixels


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many prompts each call of InstructPix2Pix was given."""
    sizes: list[int] = []
    real = instruct_pix2pix().__call__

    def counted(self: Any, **arguments: Any) -> Any:
        sizes.append(len(arguments["prompt"]))
        return real(self, **arguments)

    monkeypatch.setattr(instruct_pix2pix(), "__call__", counted)
    return sizes


BY_HAND: dict[str, dict[str, Any]] = {
    "instruct_pix2pix": {"guidance_scale": 7.5, "image_guidance_scale": 1.5},
    "flux_kontext": {"guidance_scale": 3.5, "height": 80, "width": 64, "max_area": 64 * 80,
                     "_auto_resize": False, "max_sequence_length": 32},
    "qwen_image_edit": {"true_cfg_scale": 4.0, "negative_prompt": " ", "height": 80, "width": 64},
    "qwen_image_edit_plus": {"true_cfg_scale": 4.0, "negative_prompt": " ", "height": 80, "width": 64},
    "flux2_klein": {"guidance_scale": 4.0, "height": 80, "width": 64, "max_sequence_length": 64},
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_an_edit_is_what_the_pipeline_called_by_hand_gives(
    name: str, folder: Folder, edited: Callable[..., list[Edited | EditError]]
) -> None:
    request = asked()
    pipeline = diffusers.DiffusionPipeline.from_pretrained(folder(name))
    pipeline.set_progress_bar_config(disable=True)
    expected = pipeline(
        image=Image.fromarray(request.image.pixels),
        prompt=request.instruction,
        generator=torch.Generator().manual_seed(7),
        num_inference_steps=2,
        **BY_HAND[name],
    ).images[0]
    (outcome,) = edited(name, [request])
    assert expected.size == (64, 80)
    np.testing.assert_array_equal(pixels(outcome), np.asarray(expected))


@pytest.mark.parametrize("name", ALL)
def test_a_batched_edit_equals_the_single_one(
    name: str, edited: Callable[..., list[Edited | EditError]]
) -> None:
    requests = [*different(2), asked("Make it blue.", 11, width=80, height=64), *different(3)[2:]]
    together = [pixels(outcome) for outcome in edited(name, requests)]
    for request, batched in zip(requests, together, strict=True):
        single = pixels(edited(name, [request])[0])
        assert batched.shape == request.image.pixels.shape
        assert np.abs(batched.astype(int) - single.astype(int)).max() <= 1
    assert (together[0] != together[1]).any()


def test_requests_of_one_size_go_into_one_call(
    edited: Callable[..., list[Edited | EditError]], calls: list[int]
) -> None:
    edited("instruct_pix2pix", [*different(3), *different(2, width=80)])
    assert calls == [3, 2]


def test_a_pipeline_that_takes_no_pairs_is_called_once_for_each(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[Any] = []
    real = diffusers.Flux2KleinPipeline.__call__

    def noted(self: Any, **arguments: Any) -> Any:
        prompts.append(arguments["prompt"])
        return real(self, **arguments)

    monkeypatch.setattr(diffusers.Flux2KleinPipeline, "__call__", noted)
    edited("flux2_klein", different(3))
    assert prompts == ["Add 0 red balls.", "Add 1 red balls.", "Add 2 red balls."]


def test_only_editors_of_pairs_are_asked_for_batches(folder: Folder) -> None:
    sizes = {name: open_editor(f"diffusers:{folder(name)}?batch=8").batch_size for name in ALL}  # type: ignore[attr-defined]
    assert sizes == {name: 8 if name in TAKE_PAIRS else 1 for name in ALL}


def test_out_of_memory_halves_the_batch_and_does_the_work_again(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [pixels(outcome) for outcome in edited("instruct_pix2pix", different(6))]
    sizes: list[int] = []
    real = instruct_pix2pix().__call__

    def cramped(self: Any, **arguments: Any) -> Any:
        sizes.append(len(arguments["prompt"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, **arguments)

    monkeypatch.setattr(instruct_pix2pix(), "__call__", cramped)
    outcomes = edited("instruct_pix2pix", different(6), "&batch=6")
    for outcome, wanted in zip(outcomes, expected, strict=True):
        assert np.abs(pixels(outcome).astype(int) - wanted.astype(int)).max() <= 1
    assert sizes == [6, 3, 2, 1, 2, 1]
    sizes.clear()
    edited("instruct_pix2pix", different(4), "&batch=6")
    assert sizes == [2, 2]


def test_a_picture_too_large_for_the_memory_is_a_failure_that_says_what_to_do(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, **arguments: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(instruct_pix2pix(), "__call__", full)
    (outcome,) = edited("instruct_pix2pix", [asked()], "&batch=3")
    assert isinstance(outcome, Crashed)
    assert str(outcome) == "out of memory on cpu with one picture of 64 × 80: try offload=model"


def test_a_request_that_breaks_the_pipeline_does_not_take_the_others_with_it(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = instruct_pix2pix().__call__

    def choosy(self: Any, **arguments: Any) -> Any:
        if "Add 2 red balls." in arguments["prompt"]:
            raise ValueError("two is too many")
        return real(self, **arguments)

    monkeypatch.setattr(instruct_pix2pix(), "__call__", choosy)
    outcomes = edited("instruct_pix2pix", different(4))
    assert [type(outcome) for outcome in outcomes] == [Edited, Edited, Crashed, Edited]
    assert "two is too many" in str(outcomes[2])


def test_what_a_safety_checker_blackens_is_refused(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        instruct_pix2pix(), "run_safety_checker", lambda self, image, device, dtype: (image, [False, True])
    )
    fine, withheld = edited("instruct_pix2pix", different(2))
    assert isinstance(fine, Edited)
    assert isinstance(withheld, Refused)


def test_values_that_overflow_are_no_picture(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        diffusers.AutoencoderKL, "decode", lambda self, latents, **_: (torch.full((1, 3, 80, 64), torch.nan),)
    )
    (outcome,) = edited("instruct_pix2pix", [asked()])
    assert isinstance(outcome, Crashed)
    assert "overflowed" in str(outcome)


@pytest.mark.parametrize(("name", "kept"), [("instruct_pix2pix", (64, 72)), ("flux_kontext", (64, 64))])
def test_sides_that_the_pipeline_cannot_make_are_rounded_down_once(
    name: str, kept: tuple[int, int], edited: Callable[..., list[Edited | EditError]]
) -> None:
    (first,) = edited(name, [asked(width=70, height=77)])
    assert isinstance(first, Edited)
    assert first.picture.size == kept
    (second,) = edited(name, [EditRequest((first.picture,), "Remove it.", 8)])
    assert isinstance(second, Edited)
    assert second.picture.size == kept


def test_replicas_share_the_work_and_change_nothing(
    edited: Callable[..., list[Edited | EditError]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [pixels(outcome) for outcome in edited("instruct_pix2pix", different(4))]
    threads: list[str] = []
    real = instruct_pix2pix().__call__

    def noted(self: Any, **arguments: Any) -> Any:
        threads.append(threading.current_thread().name)
        return real(self, **arguments)

    monkeypatch.setattr(instruct_pix2pix(), "__call__", noted)
    outcomes = edited("instruct_pix2pix", different(4), "&devices=cpu,cpu")
    for outcome, wanted in zip(outcomes, expected, strict=True):
        assert np.abs(pixels(outcome).astype(int) - wanted.astype(int)).max() <= 1
    assert len(threads) == 2 and threading.main_thread().name not in threads


def test_a_pipeline_of_references_takes_several_pictures(
    edited: Callable[..., list[Edited | EditError]],
) -> None:
    one = asked()
    two = EditRequest((one.image, Picture.from_pixels(textured(64, 64, seed=3))), one.instruction, one.seed)
    alone, with_reference = edited("qwen_image_edit_plus", [one, two])
    assert (pixels(alone) != pixels(with_reference)).any()


def test_more_pictures_than_a_pipeline_takes_are_refused(
    edited: Callable[..., list[Edited | EditError]],
) -> None:
    one = asked()
    (outcome,) = edited("instruct_pix2pix", [EditRequest((one.image, one.image), one.instruction, one.seed)])
    assert isinstance(outcome, Refused)
    assert str(outcome) == "takes one picture, was given 2"


def test_the_number_of_pictures_is_known_before_anything_is_loaded(folder: Folder) -> None:
    assert open_editor(f"diffusers:{folder('qwen_image_edit_plus')}").facts.max_inputs == 3
    assert open_editor(f"diffusers:{folder('instruct_pix2pix')}").facts.max_inputs == 1
    assert open_editor("flux2-dev-local").facts.max_inputs > 1


def test_a_pipeline_that_does_not_edit_is_named_with_those_that_do(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "StableDiffusionPipeline"}))
    with pytest.raises(Misconfigured, match=r"is a StableDiffusionPipeline, .* FluxKontextPipeline"):
        asyncio.run(open_editor(f"diffusers:{tmp_path}?{TINY}").edit(asked()))


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"cannot be loaded .* give a folder"):
        asyncio.run(open_editor(f"diffusers:{tmp_path / 'nothing'}?{TINY}").edit(asked()))


def test_a_device_that_is_not_there_is_said_so(folder: Folder) -> None:
    spec = f"diffusers:{folder('instruct_pix2pix')}?dtype=float32&device=cuda:99"
    with pytest.raises(Misconfigured, match="device cuda:99 is not available"):
        asyncio.run(open_editor(spec).edit(asked()))


def test_a_parameter_that_the_pipeline_does_not_take_is_named(folder: Folder) -> None:
    spec = f"diffusers:{folder('instruct_pix2pix')}?{TINY}&sharpness=3"
    with pytest.raises(Misconfigured, match=r"has no parameter sharpness; it takes .*image_guidance_scale"):
        asyncio.run(open_editor(spec).edit(asked()))


@pytest.mark.parametrize("wrong", ["dtype=int8", "offload=disk"])
def test_wrong_settings_are_found_before_anything_is_loaded(wrong: str) -> None:
    with pytest.raises(WrongUse, match="must be one of"):
        open_editor(f"diffusers:somewhere?{wrong}")


def test_offloading_needs_a_gpu(folder: Folder) -> None:
    spec = f"diffusers:{folder('instruct_pix2pix')}?{TINY}&offload=model"
    with pytest.raises(Misconfigured, match="needs a GPU"):
        asyncio.run(open_editor(spec).edit(asked()))


def test_where_it_runs_is_no_part_of_what_it_is(folder: Folder) -> None:
    spec = f"diffusers:{folder('instruct_pix2pix')}?steps=2"
    plain, placed = open_editor(spec).facts, open_editor(f"{spec}&devices=cpu,cpu&offload=none").facts
    assert (plain.name, plain.fingerprint) == (placed.name, placed.fingerprint)
    assert plain.name == spec


@pytest.mark.parametrize("more", ["steps=3", "batch=2", "dtype=float16"])
def test_what_changes_the_picture_is_part_of_what_it_is(more: str) -> None:
    plain, changed = open_editor("diffusers:somewhere"), open_editor(f"diffusers:somewhere?{more}")
    assert plain.facts.fingerprint != changed.facts.fingerprint


def run(workspace: Workspace, spec: str, cases: Sequence[Case], rounds: int) -> RunOutcome:
    plan = Plan("tiny@0", round_trip(rounds), tuple(cases), (open_editor(spec),), (0,))
    number = workspace.start_run({"suite": "tiny@0"}, "test")
    return asyncio.run(run_plan(plan, workspace, MetricSet(["psnr"]), run=number, limits=RunLimits(4)))


@pytest.mark.parametrize("name", ALL)
def test_a_pipeline_is_the_same_editor_whenever_and_wherever_it_is_opened(name: str, folder: Folder) -> None:
    spec = f"diffusers:{folder(name)}?{TINY}{SHORT.get(name, '')}"
    here, elsewhere = open_editor(spec).facts, open_editor(f"{spec}&devices=cpu,cpu").facts
    assert (here.name, here.fingerprint) == (elsewhere.name, elsewhere.fingerprint)


@pytest.mark.parametrize("name", ["flux_kontext", "qwen_image_edit_plus"])
def test_a_run_is_kept_and_goes_on_without_editing_twice(
    name: str, folder: Folder, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    cases = [make_case(f"case{n}", width=64, height=64, seed=n) for n in range(2)]
    spec = f"diffusers:{folder(name)}?{TINY}{SHORT.get(name, '')}"
    first = run(workspace, spec, cases, rounds=1)
    again = run(workspace, spec + "&devices=cpu,cpu", cases, rounds=1)
    longer = run(workspace, spec, cases, rounds=2)
    assert (first.complete, first.edits) == (2, 4)
    assert (again.complete, again.edits, again.replayed) == (2, 0, 4)
    assert (longer.complete, longer.edits, longer.replayed) == (2, 4, 4)
    steps = workspace.steps(1)
    assert [(step.attempts, step.cost_usd) for step in steps] == [(1, 0.0)] * 4
    assert all(isinstance(step.outcome, PictureFacts) and step.outcome.width == 64 for step in steps)
