"""A user's own functions, from a module in the working folder."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from convergebench.editors import open_editor
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.types import BadOutput, Case, Failure, Refused
from editors.engine_run import edit_once, request, run_cases

MODULE = "functions_of_a_user"
SOURCE = """
import asyncio, threading, time
import numpy as np
from convergebench.types import Refused

seen, at_once, most = [], 0, 0

def darker(image, instruction, seed):
    seen.append((image.mode, image.size, instruction, seed))
    return image.point(lambda level: level // 2)

def as_array(image, instruction, seed):
    return np.asarray(image)[:, ::-1]

async def awaited(image, instruction, seed):
    await asyncio.sleep(0)
    return image

def counted(image, instruction, seed):
    global at_once, most
    at_once += 1
    most = max(most, at_once)
    time.sleep(0.02)
    at_once -= 1
    return image

def gray(image, instruction, seed):
    return image.convert("L")

def nothing(image, instruction, seed):
    return None

def floats(image, instruction, seed):
    return np.asarray(image) / 255

def unwilling(image, instruction, seed):
    raise Refused("I do not draw hats")

def transparent(image, instruction, seed):
    image.putalpha(0)
    return image

def quitting(image, instruction, seed):
    raise SystemExit(5)

def careless(image, instruction, seed):
    return image.no_such_method()
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / f"{MODULE}.py"
    file.write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield file
    sys.modules.pop(MODULE, None)


def spec(function: str) -> str:
    return f"python:{MODULE}:{function}"


def test_a_function_gets_picture_instruction_and_seed_and_its_picture_is_kept() -> None:
    wanted = request("Add a hat.", seed=11)
    edited = edit_once(open_editor(spec("darker")), wanted)
    assert sys.modules[MODULE].seen == [("RGB", wanted.image.size, "Add a hat.", 11)]
    assert (edited.picture.pixels == wanted.image.pixels // 2).all()
    assert edited.cost_usd is None


def test_transparency_is_laid_on_white() -> None:
    assert (edit_once(open_editor(spec("transparent")), request()).picture.pixels == 255).all()


def test_a_function_that_ends_the_program_ends_its_edit_alone(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run_cases(workspace, open_editor(spec("quitting")), make_case())
    outcome = workspace.steps(1)[0].outcome
    assert isinstance(outcome, Failure)
    assert "sys.exit(5)" in outcome.reason


def test_arrays_async_functions_and_gray_pictures_are_taken_too() -> None:
    pixels = request().image.pixels
    assert (edit_once(open_editor(spec("as_array")), request()).picture.pixels == pixels[:, ::-1]).all()
    assert (edit_once(open_editor(spec("awaited")), request()).picture.pixels == pixels).all()
    gray = edit_once(open_editor(spec("gray")), request()).picture.pixels
    assert np.ptp(gray, axis=2).max() == 0


@pytest.mark.parametrize(("function", "says"), [("nothing", "NoneType"), ("floats", "float64")])
def test_what_is_no_picture_is_bad_output(function: str, says: str) -> None:
    with pytest.raises(BadOutput, match=says):
        edit_once(open_editor(spec(function)), request())


def test_two_pictures_are_refused() -> None:
    with pytest.raises(Refused, match="takes one picture, got 2"):
        edit_once(open_editor(spec("darker")), request(pictures=2))


def test_an_ordinary_function_is_called_once_at_a_time() -> None:
    editor = open_editor(spec("counted"))

    async def edit_many() -> None:
        await asyncio.gather(*(editor.edit(request(seed=n)) for n in range(5)))

    asyncio.run(edit_many())
    assert sys.modules[MODULE].most == 1
    assert (editor.facts.at_once, open_editor(spec("awaited")).facts.at_once) == (1, None)


def test_a_changed_file_is_another_editor(module: Path) -> None:
    before = open_editor(spec("darker")).facts
    assert open_editor(spec("darker")).facts.fingerprint == before.fingerprint
    module.write_text(SOURCE + "\n# changed\n")
    after = open_editor(spec("darker")).facts
    assert after.name == before.name
    assert after.fingerprint != before.fingerprint


def test_functions_run_through_the_engine_and_their_failures_are_rows(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    assert run_cases(workspace, open_editor(spec("darker")), make_case(), rounds=2).complete == 1
    run_cases(workspace, open_editor(spec("unwilling")), make_case())
    run_cases(workspace, open_editor(spec("careless")), make_case())
    (refused,), (crashed,) = workspace.steps(2), workspace.steps(3)
    assert refused.outcome == Failure("refused", "I do not draw hats")
    assert isinstance(crashed.outcome, Failure)
    assert crashed.outcome.kind == "crashed"
    assert "no_such_method" in crashed.outcome.reason
    assert (refused.attempts, crashed.attempts) == (1, 1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("python:nothing_of_that_name:edit", "cannot import nothing_of_that_name"),
        (f"python:{MODULE}:edit", "has no function edit"),
        (f"python:{MODULE}", "names no function"),
    ],
)
def test_a_wrong_name_says_what_to_write(wrong: str, says: str) -> None:
    with pytest.raises(WrongUse, match=says):
        open_editor(wrong)


def test_a_module_that_fails_says_why(module: Path) -> None:
    module.write_text("1 / 0")
    with pytest.raises(WrongUse, match="ZeroDivisionError"):
        open_editor(spec("darker"))
