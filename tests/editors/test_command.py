"""Real programs: shell scripts that copy, refuse, fail and hang."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from convergebench.editors import open_editor
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.types import BadOutput, Case, EditRequest, Failure, Misconfigured, Refused, Unavailable
from editors.engine_run import asking, edit_once, request, run_cases

COPY = 'cp "$1" "$3"'


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    def write(script: str, name: str = "program") -> Path:
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    return write


def test_a_program_gets_input_prompt_output_and_seed_as_they_are(
    program: Callable[..., Path], tmp_path: Path
) -> None:
    script = program(f'printf "%s|" "$#" "$2" "$4" > "{tmp_path}/seen"; {COPY}')
    prompt = 'Add "a hat" & $(touch hacked) {seed}; rm *'
    wanted = request(prompt, seed=11)
    edited = edit_once(open_editor(f"command:{script}"), wanted)
    assert (tmp_path / "seen").read_text() == f"4|{prompt}|11|"
    assert edited.picture.encoded == wanted.image.encoded
    assert edited.cost_usd is None
    assert not Path("hacked").exists()


def test_a_picture_that_is_no_png_is_given_as_one(program: Callable[..., Path], tmp_path: Path) -> None:
    import io

    from PIL import Image

    from convergebench.picture import Picture

    buffer = io.BytesIO()
    Image.fromarray(request().image.pixels).save(buffer, "JPEG")
    jpeg = Picture.from_bytes(buffer.getvalue())
    edited = edit_once(open_editor(f"command:{program(COPY)}"), EditRequest((jpeg,), "Nothing.", 0))
    assert edited.picture.facts.media_type == "image/png"
    assert (edited.picture.pixels == jpeg.pixels).all()


def test_arguments_can_stand_in_another_order(program: Callable[..., Path]) -> None:
    script = program('[ "$1" = "--say=Add a hat." ] && [ "$2" = "two words" ] && cp "$4" "$3"')
    args = "--say={prompt} 'two words' {output} {input}"
    assert edit_once(open_editor(f"command:{script}?args={args}"), request()).picture.size == (64, 48)


@pytest.mark.parametrize(
    ("script", "error", "says"),
    [
        ("echo thinking >&2; echo no hats today >&2; exit 3", Refused, "^no hats today$"),
        ("exit 3", Refused, "did not say why"),
        ("echo out of memory >&2; exit 1", Unavailable, "exit code 1: out of memory"),
        ("exit 1", Unavailable, "exit code 1: it wrote nothing to stderr"),
        ("kill -9 $$", Unavailable, "exit code -9"),
        ("exit 0", BadOutput, "no picture was written"),
        ('echo no picture > "$3"', BadOutput, "unknown picture format"),
    ],
)
def test_each_way_to_fail_has_its_own_error(
    program: Callable[..., Path], script: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        edit_once(open_editor(f"command:{program(script)}"), request())


def test_a_program_that_hangs_is_ended_with_its_children(
    program: Callable[..., Path], tmp_path: Path
) -> None:
    child = tmp_path / "child"
    script = program(f'sleep 1000 & echo $! > "{child}"; sleep 1000')
    with pytest.raises(Unavailable, match=r"longer than 10 s"):
        edit_once(open_editor(f"command:{script}?timeout=10"), request())
    until = time.monotonic() + 60
    while Path(f"/proc/{child.read_text().strip()}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert time.monotonic() < until, "a child of the program is still there"


def test_a_program_that_cannot_be_run_any_more_is_misconfigured(program: Callable[..., Path]) -> None:
    script = program(COPY)
    editor = open_editor(f"command:{script}")
    script.unlink()
    with pytest.raises(Misconfigured, match="No such file"):
        edit_once(editor, request())


def test_a_changed_program_is_another_editor_and_a_changed_timeout_is_not(
    program: Callable[..., Path],
) -> None:
    script = program(COPY)
    before = open_editor(f"command:{script}").facts
    assert open_editor(f"command:{script}?timeout=5").facts == before
    program(COPY + " # changed")
    assert open_editor(f"command:{script}").facts.fingerprint != before.fingerprint


def test_a_program_runs_through_the_engine_and_its_failures_are_rows(
    program: Callable[..., Path], workspace: Workspace, make_case: Callable[..., Case], tmp_path: Path
) -> None:
    script = program(
        f"""case "$2" in
            "no") echo never >&2; exit 3;;
            "later") [ -e "{tmp_path}/tried" ] || {{ touch "{tmp_path}/tried"; exit 1; }};;
        esac
        {COPY}"""
    )
    cases = [asking(make_case("one"), "no"), asking(make_case("two", seed=1), "later")]
    outcome = run_cases(workspace, open_editor(f"command:{script}"), *cases)
    assert (outcome.complete, outcome.failures["refused"]) == (1, 1)
    (refused,), later = workspace.steps(1), workspace.steps(2)
    assert (refused.outcome, refused.attempts, refused.cost_usd) == (Failure("refused", "never"), 1, None)
    assert [step.attempts for step in later] == [2, 1]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("command:/nowhere/program", "not a program that can be run"),
        ("command:cp?args={input}", "must hold {input} and {output}"),
        ("command:cp?args={input} '{output}", "cannot be split"),
    ],
)
def test_a_wrong_name_says_what_to_write(spec: str, says: str) -> None:
    with pytest.raises(WrongUse, match=says):
        open_editor(spec)


def test_two_pictures_are_refused(program: Callable[..., Path]) -> None:
    wanted = request(pictures=2)
    with pytest.raises(Refused, match="takes one picture, got 2"):
        edit_once(open_editor(f"command:{program(COPY)}"), replace(wanted, seed=1))
