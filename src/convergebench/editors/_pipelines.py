"""The editing pipelines of diffusers as data: their arguments, and whether they serve batches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from convergebench.types import EditRequest, Parameter

if TYPE_CHECKING:
    import torch
    from PIL import Image as PILImage

Layout = Literal["one", "references", "nested"]


@dataclass(frozen=True)
class Kind:
    """How one pipeline class is called."""

    steps: int
    guidance: float
    guidance_argument: str = "guidance_scale"
    """Empty where the pipeline takes no guidance."""
    takes_pairs: bool = False
    """Whether one call serves N pictures with a prompt and a generator each, with the same results as N
    calls."""
    max_inputs: int = 1
    layout: Layout = "one"
    """How a request's pictures are passed: a single picture, a list, or a list per prompt."""
    image_argument: str = "image"
    picture_tag: str = ""
    """The placeholder in the prompt for the picture with this number."""
    side_multiple: int | None = 16
    """Sides are rounded down to a multiple of this; None if the pipeline takes no size."""
    area_argument: str | None = None
    """The argument for the area to which the pipeline rescales pictures, if it does."""
    fixed: Mapping[str, Parameter] = field(default_factory=dict)
    prompt_key: str = ""
    """Where the prompt is a JSON object: the key for the instruction."""
    needs_negative_prompt: bool = False
    """Whether guidance is silently off without a negative prompt."""
    own_sizes: str = ""
    """The sizes of its results, where it does not make a picture of the size that it is given."""


_TRUE_CFG: Mapping[str, Parameter] = {"negative_prompt": " "}
"""Without a negative prompt, the Qwen pipelines silently disable guidance."""

KINDS: Mapping[str, Kind] = {
    "StableDiffusionInstructPix2PixPipeline": Kind(
        100, 7.5, takes_pairs=True, side_multiple=None, fixed={"image_guidance_scale": 1.5}
    ),
    "StableDiffusionXLInstructPix2PixPipeline": Kind(
        100, 5.0, takes_pairs=True, side_multiple=8, fixed={"image_guidance_scale": 1.5}
    ),
    "FluxKontextPipeline": Kind(
        28, 3.5, takes_pairs=True, area_argument="max_area", fixed={"_auto_resize": False}
    ),
    "QwenImageEditPipeline": Kind(
        50, 4.0, "true_cfg_scale", takes_pairs=True, fixed=_TRUE_CFG, needs_negative_prompt=True
    ),
    "QwenImageEditPlusPipeline": Kind(
        40, 4.0, "true_cfg_scale", max_inputs=3, layout="references", fixed=_TRUE_CFG,
        needs_negative_prompt=True,
    ),
    "QwenImage21Pipeline": Kind(
        40, 1.0, "true_cfg_scale", max_inputs=3, layout="references", side_multiple=32,
        needs_negative_prompt=True,
    ),
    "Flux2Pipeline": Kind(50, 4.0, max_inputs=10, layout="references"),
    "Flux2KleinPipeline": Kind(50, 4.0, max_inputs=4, layout="references"),
    # Distilled: it takes no guidance.
    "Flux2KleinKVPipeline": Kind(4, 1.0, "", max_inputs=4, layout="references"),
    "BriaFiboEditPipeline": Kind(
        30, 5.0, max_inputs=4, layout="references", side_multiple=32, prompt_key="edit_instruction",
        fixed={"_auto_resize": False},
    ),
    "BriaFibo2Pipeline": Kind(30, 5.0, max_inputs=5, layout="references"),
    "DreamLitePipeline": Kind(30, 3.5, fixed={"image_guidance_scale": 1.5}),
    # A short film from the picture to its edit: the last frame is the result. Five frames are its shortest.
    "ChronoEditPipeline": Kind(50, 5.0, fixed={"num_frames": 5}),
    "Kandinsky5I2IPipeline": Kind(
        50, 3.5, side_multiple=None, own_sizes="the nearest of seven sizes of about one megapixel"
    ),
    # It takes a list of prompts, but encodes only the first.
    "LongCatImageEditPipeline": Kind(50, 4.5, side_multiple=None, own_sizes="about one megapixel"),
    "OmniGenPipeline": Kind(
        50, 2.5, takes_pairs=True, max_inputs=3, layout="nested", image_argument="input_images",
        picture_tag="<img><|image_{number}|></img>", fixed={"img_guidance_scale": 1.6},
    ),
    # It takes pairs, but samples all prior tokens of a call with the first seed.
    "GlmImagePipeline": Kind(50, 1.5, max_inputs=4, layout="references", side_multiple=32),
    # It resizes every picture to the nearest of its own sizes.
    "JoyImageEditPipeline": Kind(
        40, 4.0, takes_pairs=True, side_multiple=None, own_sizes="the nearest of its own sizes"
    ),
    # It resizes what it is given to the nearest of its own sizes, and makes a picture of the size asked for.
    "JoyImageEditPlusPipeline": Kind(
        30, 4.0, max_inputs=6, layout="references", image_argument="images",
        own_sizes="a picture that it saw in the nearest of its own sizes",
    ),
    # Its encoder works in bfloat16 alone, which is the default.
    "ZImageOmniPipeline": Kind(50, 5.0, max_inputs=4, layout="references"),
}  # fmt: skip


def arguments_for(
    kind: Kind, requests: Sequence[EditRequest], settings: Mapping[str, Parameter]
) -> dict[str, Any]:
    """The arguments of one call. The requests' pictures are of one size; only a kind that takes pairs can
    have more than one request. `steps` and `guidance` are called so for all; other settings go in by name."""
    from PIL import Image

    settings = dict(settings)
    arguments: dict[str, Any] = {
        "num_inference_steps": settings.pop("steps", kind.steps),
        "output_type": "np",
        **_size(kind, requests[0]),
        **kind.fixed,
    }
    guidance = settings.pop("guidance", kind.guidance)
    if kind.guidance_argument:
        arguments[kind.guidance_argument] = guidance
    arguments |= settings
    if arguments.get("negative_prompt") == "":  # switched off
        del arguments["negative_prompt"]
    pictures = [[Image.fromarray(picture.pixels) for picture in request.images] for request in requests]
    each: dict[str, list[Any]] = {
        "prompt": [_prompt(kind, request) for request in requests],
        "generator": _generators(requests),
    }
    if "negative_prompt" in arguments:
        each["negative_prompt"] = [arguments["negative_prompt"]] * len(requests)
    for name, values in each.items():
        arguments[name] = values if kind.takes_pairs else values[0]
    return {**arguments, kind.image_argument: _laid_out(kind, pictures)}


def pictures_in(made: Any) -> Sequence[Any]:
    """The results of a call; of a film, its last frame."""
    for name in ("images", "image"):
        if hasattr(made, name):
            found: Sequence[Any] = getattr(made, name)
            return found
    return [frames[-1] for frames in made.frames]


def pipeline_warnings(kind: Kind, settings: Mapping[str, Parameter]) -> tuple[str, ...]:
    """What the pipeline silently ignores or changes with these settings."""
    found = []
    guidance = float(settings.get("guidance", kind.guidance))
    if "guidance" in settings and not kind.guidance_argument:
        found.append("takes no guidance: guidance has no effect")
    negative = settings.get("negative_prompt", kind.fixed.get("negative_prompt", ""))
    if kind.needs_negative_prompt and guidance > 1 and negative == "":
        found.append("leaves guidance out without a negative prompt: add negative_prompt")
    if kind.own_sizes:
        found.append(f"does not keep the size of the picture: it returns {kind.own_sizes}")
    return tuple(found)


def _size(kind: Kind, request: EditRequest) -> dict[str, int]:
    """The picture's own size, because pipelines otherwise resize to about one megapixel."""
    if kind.side_multiple is None:
        return {}
    multiple = kind.side_multiple
    width, height = (max(side // multiple, 1) * multiple for side in request.image.size)
    area = {kind.area_argument: width * height} if kind.area_argument else {}
    return {"width": width, "height": height, **area}


def _prompt(kind: Kind, request: EditRequest) -> str:
    tags = [kind.picture_tag.format(number=number + 1) for number in range(len(request.images))]
    prompt = " ".join(filter(None, [*tags, request.instruction]))
    return json.dumps({kind.prompt_key: prompt}, ensure_ascii=False) if kind.prompt_key else prompt


def _generators(requests: Sequence[EditRequest]) -> list[torch.Generator]:
    """Always on the CPU, so that a seed gives the same noise on every device."""
    import torch

    return [torch.Generator("cpu").manual_seed(request.seed) for request in requests]


def _laid_out(kind: Kind, pictures: list[list[PILImage.Image]]) -> Any:
    if kind.layout == "nested":
        return pictures
    if kind.layout == "references":
        return pictures[0]
    return [of_one[0] for of_one in pictures] if kind.takes_pairs else pictures[0][0]
