"""Your own function: `python:module:function`, called as function(image, instruction, seed).

The image is a PIL image, and so is what it returns, or a numpy array of height × width × 3 bytes. An async
function is awaited, many at a time; an ordinary one runs on a thread, one call at a time, as models want it.
Raise `convergebench.types.Refused` for what it will not do. The module is looked for in the working folder
too. Its file is part of the fingerprint; files that it imports are not. `function_editor` takes the function
itself, as the Python API does.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.editors._call_thread import CallThread
from convergebench.editors._exchange import only_picture
from convergebench.editors._file_version import version_with
from convergebench.editors.function_identity import function_digest
from convergebench.editors.registry import facts_of, open_editor, parse, provider
from convergebench.errors import WrongUse
from convergebench.types import BadOutput, Edited, Editor, EditorFacts, EditRequest, Share

if TYPE_CHECKING:
    from PIL.Image import Image

    from convergebench.picture import Picture

EditFunction = Callable[["Image", str, int], Any]


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
    return PythonFunction(_one_at_a_time(facts, function), function)


def function_spec(function: EditFunction, label: str = "") -> str:
    """The name of a function as a model: `python:module:function`, after `label=` if one is given."""
    inner = getattr(function, "func", function)  # of functools.partial
    name = getattr(inner, "__qualname__", type(inner).__qualname__)
    spec = f"python:{getattr(inner, '__module__', None) or '__main__'}:{name}"
    return f"{label}={spec}" if label else spec


def function_editor(function: EditFunction, label: str = "") -> Editor:
    """The function itself as an editor.

    One that can be imported is the same model as `python:module:function` on the command line. Any other, as
    in a notebook, is identified by its code and the simple values that it uses; see `function_identity`.
    """
    spec = function_spec(function, label)
    listing, parameters = parse(spec)
    if is_importable(function):
        return open_editor(spec)
    facts = facts_of(listing, parameters, label)
    facts = replace(facts, version=f"{facts.version}+{function_digest(function)}")
    return PythonFunction(_one_at_a_time(facts, function), function)


def is_importable(function: EditFunction) -> bool:
    """Whether another process finds the same function by its name."""
    module = sys.modules.get(getattr(function, "__module__", None) or "__main__")
    found = getattr(module, getattr(function, "__qualname__", ""), None)
    return found is function and module is not None and module.__name__ != "__main__"


def _one_at_a_time(facts: EditorFacts, function: EditFunction) -> EditorFacts:
    """An ordinary function has a lane of its own; an async one may run many times at once."""
    if inspect.iscoroutinefunction(function):
        return facts
    return replace(facts, provider=facts.name, at_once=1)


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

    def __init__(self, facts: EditorFacts, function: EditFunction) -> None:
        self.facts = facts
        self._function = function
        self._turn = asyncio.Lock()
        self._thread = CallThread()

    async def edit(self, request: EditRequest) -> Edited:
        image = await asyncio.to_thread(_as_image, only_picture(request))
        if inspect.iscoroutinefunction(self._function):
            result = await self._function(image, request.instruction, request.seed)
        else:
            async with self._turn:
                result = await self._thread.run(partial(_called, self._function, image, request))
        return Edited(await asyncio.to_thread(_as_picture, result))

    async def close(self) -> None:
        self._thread.close()


def _called(function: EditFunction, image: Image, request: EditRequest) -> Any:
    try:
        return function(image, request.instruction, request.seed)
    except SystemExit as error:  # the function was cancelled, not the run
        raise RuntimeError(f"the function called sys.exit({error.code})") from error
    except StopIteration as error:  # a future cannot hold it, so that nobody would hear of it
        raise RuntimeError("the function raised StopIteration") from error


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
