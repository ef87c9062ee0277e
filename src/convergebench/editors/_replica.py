"""One pipeline of diffusers on one device, used by one thread."""

from __future__ import annotations

import asyncio
import gc
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from convergebench.editors._local_weights import found_device, load
from convergebench.editors._pipelines import KINDS, Kind, arguments_for, pictures_in
from convergebench.model_imports import model_imports
from convergebench.types import (
    Crashed,
    Edited,
    EditError,
    EditRequest,
    Misconfigured,
    Parameter,
    Pixels,
    Refused,
)

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

OFFLOADS = ("none", "model", "sequential")
NOT_OF_THE_CALL = ("model", "dtype", "revision", "batch")
T = TypeVar("T")


@dataclass(frozen=True)
class Made:
    """A pipeline's output for one request; it is encoded elsewhere while the device continues."""

    values: NDArray[np.float32]
    flagged: bool
    seconds: float
    """The duration of the call, which other requests may have shared."""

    def pixels(self) -> Pixels | EditError:
        """An error for a black picture, from a safety checker or an overflow."""
        import numpy as np

        if self.flagged:
            return Refused("the pipeline's safety checker withheld the picture")
        if not np.isfinite(self.values).all():
            return Crashed("the pipeline's values overflowed: try dtype=bfloat16 or dtype=float32")
        return (self.values * 255).round().astype(np.uint8)


def finished(outcomes: Sequence[Made | EditError]) -> list[Edited | EditError]:
    """With the pictures of a batch, which are encoded together."""
    from convergebench.picture import Picture

    found = [one.pixels() if isinstance(one, Made) else one for one in outcomes]
    pictures = iter(Picture.all_from_pixels([one for one in found if not isinstance(one, EditError)]))
    edited: list[Edited | EditError] = []
    for outcome, one in zip(outcomes, found, strict=True):
        if isinstance(one, EditError):
            edited.append(one)
        else:
            assert isinstance(outcome, Made)
            edited.append(Edited(next(pictures), cost_usd=0.0, seconds=outcome.seconds))
    return edited


class DeviceReplica:
    """Loads once and edits in batches; if memory is exhausted, it halves the batches and retries."""

    def __init__(self, parameters: Mapping[str, Parameter], device: str, offload: str, batch: int) -> None:
        self._parameters = parameters
        self._settings = {name: value for name, value in parameters.items() if name not in NOT_OF_THE_CALL}
        self._device = device
        self._offload = offload
        self._largest = batch
        self._pipeline: Any = None
        self._kind: Kind | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"diffusers {device}")

    async def on_its_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def close(self) -> None:
        if self._pipeline is not None:
            self._pipeline._interrupt = True  # nobody waits for a call that is still running
            await self.on_its_thread(self._unload)
        self._thread.shutdown(wait=False)

    async def ready(self) -> None:
        """Load the pipeline; raises Misconfigured if that fails."""
        if self._pipeline is None:
            await self.on_its_thread(self._load)

    def _load(self) -> None:
        if self._pipeline is not None:
            return  # by an earlier request
        import torch

        with model_imports:
            from diffusers import DiffusionPipeline

        model = str(self._parameters["model"])
        revision = {"revision": str(self._parameters["revision"])} if "revision" in self._parameters else {}
        device = found_device(self._device)
        self._device = str(device)
        named = load(model, DiffusionPipeline.load_config, **revision).get("_class_name")
        kind = KINDS.get(str(named))
        if kind is None:
            raise Misconfigured(_unknown_class(model, str(named)))
        dtype = getattr(torch, str(self._parameters["dtype"]))
        pipeline = load(model, DiffusionPipeline.from_pretrained, dtype=dtype, **revision)
        _check_settings(pipeline, self._settings)
        _resize_each(pipeline)
        self._place(pipeline, device)
        pipeline.set_progress_bar_config(disable=True)
        self._kind, self._pipeline = kind, pipeline

    def edit_all(self, requests: Sequence[EditRequest]) -> list[Made | EditError]:
        """One outcome per request, in order; the pictures of all requests have the same sizes."""
        assert self._kind is not None
        given = len(requests[0].images)
        if given > self._kind.max_inputs:
            most = "one picture" if self._kind.max_inputs == 1 else f"{self._kind.max_inputs} pictures"
            return [Refused(f"takes {most}, was given {given}") for _ in requests]
        return self._in_calls(requests, self._kind.takes_pairs)

    def _in_calls(self, requests: Sequence[EditRequest], takes_pairs: bool) -> list[Made | EditError]:
        outcomes: list[Made | EditError] = []
        while len(outcomes) < len(requests):
            size = self._largest if takes_pairs else 1
            outcomes += self._edit_or_halve(requests[len(outcomes) : len(outcomes) + size])
        return outcomes

    def _edit_or_halve(self, requests: Sequence[EditRequest]) -> list[Made | EditError]:
        """A failed batch is retried in parts, so that a failure concerns a single request."""
        import torch

        half = (len(requests) + 1) // 2
        try:
            return list(self._edit(requests))
        except torch.OutOfMemoryError:
            width, height = requests[0].image.size
            failure = Crashed(
                f"out of memory on {self._device} with one picture of {width} × {height}: try offload=model"
            )
            if len(requests) > 1:
                self._largest = half  # also for later batches, which would not fit either
        except Exception as error:  # an error in the pipeline
            failure = Crashed(f"{type(error).__name__}: {error}")
        _free_memory()  # after the except clause, because the traceback keeps the tensors alive
        if len(requests) == 1:
            return [failure]
        return self._in_calls(requests[:half], True) + self._in_calls(requests[half:], True)

    def _edit(self, requests: Sequence[EditRequest]) -> list[Made]:
        assert self._kind is not None
        started = time.perf_counter()
        made = self._pipeline(**arguments_for(self._kind, requests, self._settings))
        seconds = time.perf_counter() - started
        flagged = getattr(made, "nsfw_content_detected", None) or [False] * len(requests)
        pictures = pictures_in(made)
        return [Made(values, bool(flag), seconds) for values, flag in zip(pictures, flagged, strict=True)]

    def _place(self, pipeline: Any, device: torch.device) -> None:
        import torch

        if self._offload == "none":
            try:
                pipeline.to(device)
            except torch.OutOfMemoryError as error:
                raise Misconfigured(f"the pipeline does not fit on {device}: try offload=model") from error
        elif device.type == "cpu":
            raise Misconfigured(
                f"offload={self._offload} needs a GPU to offload from: leave it out on {device}"
            )
        elif self._offload == "model":
            pipeline.enable_model_cpu_offload(device=device)
        else:
            pipeline.enable_sequential_cpu_offload(device=device)

    def _unload(self) -> None:
        self._pipeline = None
        _free_memory()


def _resize_each(pipeline: Any) -> None:
    """diffusers' image processor does not resize lists as it does single pictures: in a batch, Qwen's
    language model would see pictures of a different size."""
    processor = getattr(pipeline, "image_processor", None)
    if processor is None:
        return
    resize_one = processor.resize

    def resize(image: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(image, list):
            return [resize_one(one, *arguments, **options) for one in image]
        return resize_one(image, *arguments, **options)

    processor.resize = resize


def _unknown_class(model: str, named: str) -> str:
    """What a pipeline that is not in the table would need to be used."""
    import diffusers

    found = getattr(diffusers, named, None)
    if found is None:
        return (
            f"{model} is a {named}, which diffusers {diffusers.__version__} does not have: install a version "
            f"with it, and add its arguments to KINDS in editors/_pipelines.py"
        )
    takes = [name for name in inspect.signature(found.__call__).parameters if name != "self"]
    return (
        f"{model} is a {named}, which has no entry in KINDS of editors/_pipelines.py: that needs its steps, "
        f"its guidance and its argument for the picture; its call takes {', '.join(takes[:12])}. "
        f"Supported are {', '.join(KINDS)}"
    )


def _check_settings(pipeline: Any, settings: Mapping[str, Parameter]) -> None:
    taken = {"steps", "guidance"} | set(inspect.signature(pipeline.__call__).parameters) - {"kwargs"}
    unknown = sorted(set(settings) - taken)
    if unknown:
        raise Misconfigured(
            f"{type(pipeline).__name__} has no parameter {unknown[0]}; it takes {', '.join(sorted(taken))}"
        )


def _free_memory() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
