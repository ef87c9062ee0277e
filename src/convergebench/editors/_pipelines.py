"""The editing pipelines of diffusers as data: their arguments, and whether they serve batches."""

from __future__ import annotations

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
    "QwenImageEditPipeline": Kind(50, 4.0, "true_cfg_scale", takes_pairs=True, fixed=_TRUE_CFG),
    "QwenImageEditPlusPipeline": Kind(
        40, 4.0, "true_cfg_scale", max_inputs=3, layout="references", fixed=_TRUE_CFG
    ),
    "QwenImage21Pipeline": Kind(
        40, 1.0, "true_cfg_scale", max_inputs=3, layout="references", side_multiple=32
    ),
    "Flux2Pipeline": Kind(50, 4.0, max_inputs=10, layout="references"),
    "Flux2KleinPipeline": Kind(50, 4.0, max_inputs=4, layout="references"),
    # It takes a list of prompts, but encodes only the first.
    "LongCatImageEditPipeline": Kind(50, 4.5, side_multiple=None),
    "OmniGenPipeline": Kind(
        50, 2.5, takes_pairs=True, max_inputs=3, layout="nested", image_argument="input_images",
        picture_tag="<img><|image_{number}|></img>", fixed={"img_guidance_scale": 1.6},
    ),
    # It takes pairs, but samples all prior tokens of a call with the first seed.
    "GlmImagePipeline": Kind(50, 1.5, max_inputs=4, layout="references", side_multiple=32),
    # It resizes every picture to the nearest of its own sizes.
    "JoyImageEditPipeline": Kind(40, 4.0, takes_pairs=True, side_multiple=None),
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
        kind.guidance_argument: settings.pop("guidance", kind.guidance),
        "output_type": "np",
        **_size(kind, requests[0]),
        **kind.fixed,
        **settings,
    }
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
    return " ".join(filter(None, [*tags, request.instruction]))


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
