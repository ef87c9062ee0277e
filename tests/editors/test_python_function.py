"""A user's own functions, from a module in the working folder."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import pytest

from convergebench.editors import open_editor
from convergebench.editors.python_function import function_editor
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

def exhausted(image, instruction, seed):
    return next(iter([]))

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


def test_a_function_runs_in_the_context_of_its_run() -> None:
    """A notebook shows what is printed below the cell that its context names."""
    cell = ContextVar("cell", default="another")
    seen = []
    token = cell.set("this one")
    edit_once(function_editor(lambda image, instruction, seed: seen.append(cell.get()) or image), request())
    cell.reset(token)
    assert seen == ["this one"]


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


HANGS_ONCE = """
import asyncio, threading
import numpy as np
from convergebench.editors.python_function import function_editor
from convergebench.picture import Picture
from convergebench.types import EditRequest

def edit(image, instruction, seed):
    if instruction == "Hang.":
        threading.Event().wait()
    return image

async def main():
    editor, picture = function_editor(edit), Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))
    try:
        async with asyncio.timeout(0.1):
            await editor.edit(EditRequest((picture,), "Hang.", 0))
    except TimeoutError:
        await editor.edit(EditRequest((picture,), "Add a hat.", 0))
        print("edited")
    await editor.close()

asyncio.run(main())
"""


def test_a_call_that_hangs_keeps_neither_the_next_nor_the_end_waiting() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HANGS_ONCE], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout == "edited\n"


def test_an_exception_that_no_future_can_hold_is_a_crash() -> None:
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        edit_once(open_editor(spec("exhausted")), request())


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
