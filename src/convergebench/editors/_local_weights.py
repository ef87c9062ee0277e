"""Weights on this machine, shared by the editors that run under torch here."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.errors import WrongUse
from convergebench.model_imports import model_imports
from convergebench.types import EditorFacts, Misconfigured

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "bfloat16", "float16")

# transformers changes torch's default dtype while it loads, for all threads.
_loading = threading.Lock()


def chosen(facts: EditorFacts, parameter: str, allowed: Collection[str]) -> str:
    """The value of a parameter with a closed set of values; raises WrongUse for any other."""
    value = str(facts.parameters[parameter])
    if value not in allowed:
        raise WrongUse(f"{facts.name}: {parameter} must be one of {', '.join(allowed)}, not {value}")
    return value


def is_folder(model: str) -> bool:
    return Path(model).expanduser().is_dir()


def class_named_in(folder: Path, file: str) -> str | None:
    """`_class_name` of a configuration file as diffusers writes it; None if there is no such file."""
    try:
        return str(json.loads((folder / file).read_text())["_class_name"])
    except (OSError, ValueError, KeyError):
        return None


def found_device(name: str) -> torch.device:
    """The device of this name; `auto` is the first GPU if there is one."""
    import torch

    if name == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise Misconfigured(f"device {name} is not available: try device=cpu") from error
    return device


def load(model: str, loader: Callable[..., Any], **options: Any) -> Any:
    """`loader(model, **options)`, one at a time in this process; raises Misconfigured if that fails. A folder
    is read without access to the hub."""
    import torch

    here = is_folder(model)
    source = str(Path(model).expanduser()) if here else model
    with _loading, _no_progress_bars():
        try:
            return loader(source, local_files_only=here, **options)
        except torch.OutOfMemoryError as error:
            raise Misconfigured(f"{model} does not fit into memory: try offload=model") from error
        except Exception as error:  # every format has its own errors
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise Misconfigured(
                f"{model} cannot be loaded ({reason}): give a folder with its weights, or a hub id that "
                "this machine may download"
            ) from error


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Disable progress bars while loading, because they would disturb the run's own."""
    with model_imports:
        import diffusers.utils.logging as of_diffusers
        import transformers.utils.logging as of_transformers

    both: tuple[Any, ...] = (of_diffusers, of_transformers)
    shown = [one for one in both if one.is_progress_bar_enabled()]
    for one in shown:
        one.disable_progress_bar()
    try:
        yield
    finally:
        for one in shown:
            one.enable_progress_bar()
