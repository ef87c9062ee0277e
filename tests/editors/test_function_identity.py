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
from pathlib import Path

STRENGTH = 3
SETTINGS = {"pipeline": object(), "steps": 20}
SIZE = (64, 48)
WEIGHTS = Path("first")

def helper(x):
    return x + 1

def edit(image, instruction, seed, scale=2):
    return helper(image) * STRENGTH * scale, SETTINGS, SIZE, WEIGHTS
"""
CLASS = """
class Editor:
    steps = 20

    def helper(self, image):
        return image

    def __call__(self, image, instruction, seed):
        return self.helper(image)

edit = Editor()
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
    [
        ("STRENGTH = 3", "STRENGTH = 4"),
        ('"steps": 20', '"steps": 30'),
        ("(64, 48)", "(64, 64)"),
        ('"first"', '"second"'),
        ("x + 1", "x + 2"),
        ("scale=2", "scale=5"),
        ("* scale", "- scale"),
    ],
    ids=[
        "a global value",
        "a setting",
        "a size",
        "a path",
        "a function that it calls",
        "a default",
        "its own code",
    ],
)
def test_a_change_makes_another_model(before: str, after: str) -> None:
    assert function_digest(defined(MODULE)) != function_digest(defined(MODULE.replace(before, after)))


@pytest.mark.parametrize(
    ("before", "after"), [("return image", "return image + 1"), ("helper(image)", "helper(2)"), ("20", "30")]
)
def test_a_change_of_an_object_without_source_makes_another_model(before: str, after: str) -> None:
    """As in a notebook, which has no source of classes."""
    edit, changed = defined(CLASS), defined(CLASS.replace(before, after))
    assert function_digest(edit) == function_digest(defined(CLASS)) != function_digest(changed)


def test_what_it_has_collected_changes_nothing() -> None:
    seen: list[int] = []

    def edit(image: Any, instruction: str, seed: int) -> Any:
        seen.append(seed)
        return image

    before = function_digest(edit)
    edit(None, "", 1)
    assert function_digest(edit) == before


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
