"""A function is another model exactly if its code or a simple value that it uses has changed."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from convergebench.editors.function_identity import function_digest

MODULE = """
STRENGTH = 3

def helper(x):
    return x + 1

def edit(image, instruction, seed, scale=2):
    return helper(image) * STRENGTH * scale
"""

DIGEST_WITHOUT_SOURCE = """
from convergebench.editors.function_identity import function_digest

def edit(image, instruction, seed):
    return image if instruction in {"red", "green", "blue", "grey"} else None

print(function_digest(edit))
"""


def defined(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": "notebook"}
    exec(source, names)
    edit: Callable[..., Any] = names["edit"]
    return edit


def test_the_same_code_is_the_same_model() -> None:
    assert function_digest(defined(MODULE)) == function_digest(defined(MODULE))


def test_a_function_without_source_is_the_same_model_in_every_process() -> None:
    """A resumed run hashes texts with another seed."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST_WITHOUT_SOURCE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(digests) == 1


def test_another_set_of_texts_makes_another_model() -> None:
    red, blue = (defined(f"def edit(i, text, s): return text in {{'{one}', 'x'}}") for one in ("red", "blue"))
    assert function_digest(red) != function_digest(blue)


@pytest.mark.parametrize(
    ("before", "after"),
    [("STRENGTH = 3", "STRENGTH = 4"), ("x + 1", "x + 2"), ("scale=2", "scale=5"), ("* scale", "- scale")],
    ids=["a global value", "a function that it calls", "a default", "its own code"],
)
def test_a_change_makes_another_model(before: str, after: str) -> None:
    assert function_digest(defined(MODULE)) != function_digest(defined(MODULE.replace(before, after)))


def test_what_it_does_not_use_changes_nothing() -> None:
    assert function_digest(defined(MODULE)) == function_digest(defined(MODULE + "\nOTHER = 1\n"))


def test_bound_arguments_and_attributes_are_part_of_it() -> None:
    class Editor:
        def __init__(self, steps: int) -> None:
            self.steps = steps

        def __call__(self, image: Any, instruction: str, seed: int) -> Any:
            return image

    edit = defined(MODULE)
    assert function_digest(functools.partial(edit, scale=1)) != function_digest(
        functools.partial(edit, scale=2)
    )
    assert function_digest(Editor(4)) != function_digest(Editor(8))
    assert function_digest(Editor(4).__call__) != function_digest(Editor(8).__call__)
    assert function_digest(Editor(4)) == function_digest(Editor(4))
