"""Your own function: `python:module:function`, called as function(image, instruction, seed).

The image is a PIL image, and so is what it returns, or a numpy array of height × width × 3 bytes. An async
function is awaited, many at a time; an ordinary one runs on a thread, one call at a time, as models want it.
Raise `convergebench.types.Refused` for what it will not do. The module is looked for in the working folder
too. Its file is part of the fingerprint; files that it imports are not.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.editors._exchange import only_picture
from convergebench.editors._file_version import version_with
from convergebench.editors.registry import provider
from convergebench.errors import WrongUse
from convergebench.types import BadOutput, Edited, EditorFacts, EditRequest, Share

if TYPE_CHECKING:
    from PIL.Image import Image

    from convergebench.picture import Picture

Function = Callable[["Image", str, int], Any]


@provider("python", summary="your own Python function, as python:module:function", version="1", price_usd=0.0)
def python_function(facts: EditorFacts) -> PythonFunction:
    module_name, colon, name = str(facts.parameters["model"]).partition(":")
    if not (module_name and colon and name):
        raise WrongUse(f"{facts.name} names no function; write python:module:function")
    module = _imported(module_name)
    function = getattr(module, name, None)
    if not callable(function):
        raise WrongUse(f"{module_name} has no function {name}; write python:module:function")
    if module.__file__:
        facts = version_with(facts, Path(module.__file__))
    if not inspect.iscoroutinefunction(function):
        facts = replace(facts, provider=facts.name, at_once=1)
    return PythonFunction(facts, function)


def _imported(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as error:  # a user's module may fail in any way
        raise WrongUse(f"cannot import {name} ({type(error).__name__}: {error}); is it in {here}?") from error


class PythonFunction:
    share = Share()

    def __init__(self, facts: EditorFacts, function: Function) -> None:
        self.facts = facts
        self._function = function
        self._turn = asyncio.Lock()

    async def edit(self, request: EditRequest) -> Edited:
        image = await asyncio.to_thread(_as_image, only_picture(request))
        if inspect.iscoroutinefunction(self._function):
            result = await self._function(image, request.instruction, request.seed)
        else:
            async with self._turn:
                result = await asyncio.to_thread(_called, self._function, image, request)
        return Edited(await asyncio.to_thread(_as_picture, result))

    async def close(self) -> None:
        pass


def _called(function: Function, image: Image, request: EditRequest) -> Any:
    try:
        return function(image, request.instruction, request.seed)
    except SystemExit as error:  # the function was cancelled, not the run
        raise RuntimeError(f"the function called sys.exit({error.code})") from error


def _as_image(picture: Picture) -> Image:
    from PIL import Image

    return Image.fromarray(picture.pixels)


def _as_picture(result: Any) -> Picture:
    import numpy as np
    from PIL import Image

    from convergebench.picture import Picture, upright_rgb

    if isinstance(result, Image.Image):
        result = np.asarray(upright_rgb(result))
    if not isinstance(result, np.ndarray):
        raise BadOutput(f"the function returned {type(result).__name__}, not a picture")
    if result.dtype != np.uint8 or result.ndim != 3 or result.shape[2] != 3 or not result.size:
        raise BadOutput(
            f"the function returned an array of {result.dtype} with shape {result.shape}, "
            "not height × width × 3 of uint8"
        )
    return Picture.from_pixels(result)
