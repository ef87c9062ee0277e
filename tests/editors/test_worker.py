"""Real workers in a real foreign environment: they print, refuse, crash, hang and outlive nobody."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.editors import listings, open_editor
from convergebench.editors._worker_process import MAIN
from convergebench.editors.worker import ADAPTERS
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.types import BadOutput, Case, Edited, Editor, Failure, Misconfigured, Refused, Unavailable
from editors.engine_run import asking, edit_once, request, run_cases

MOODY = Path(__file__).with_name("moody_adapter.py")
PRESETS = (
    "step1x-v1p1",
    "step1x-v1p2",
    "janus-4o",
    "ovis-u1",
    "hidream-e1",
    "omnigen2",
    "dreamomni2",
    "bagel-local",
    "hunyuan-image-3-local",
    "emu-3.5-local",
    "uniworld-v1-local",
    "internvl-u-local",
)


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python environment without any of our packages."""
    folder = tmp_path_factory.mktemp("foreign")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    assert subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode != 0
    return python


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where workers put their folders."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes.txt"


@pytest.fixture
def moody(foreign: Path, notes: Path) -> Callable[..., Editor]:
    def build(**parameters: object) -> Editor:
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        return open_editor(f"worker:{MOODY}?python={foreign}&notes={notes}&{query}")

    return build


def starts(notes: Path) -> list[tuple[int, int, str]]:
    rows = [line.split(maxsplit=2) for line in notes.read_text().splitlines()]
    return [(int(pid), int(replica), prefix) for pid, replica, prefix in rows]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_edit_runs_in_the_foreign_environment_whatever_the_model_prints(
    moody: Callable[..., Editor], foreign: Path, notes: Path
) -> None:
    wanted = request()
    edited = edit_once(moody(), wanted)
    assert edited.picture.encoded == wanted.image.encoded
    assert edited.cost_usd == 0.0
    ((pid, _, prefix),) = starts(notes)
    assert Path(prefix) == foreign.parent.parent
    assert not is_alive(pid)


@pytest.mark.parametrize(
    ("instruction", "error", "says"),
    [
        ("refuse", Refused, "not this one"),
        ("raise", Unavailable, "ValueError: out of luck"),
        ("crash", Unavailable, "killed by SIGABRT.*about to crash"),
        ("exit", Unavailable, "exit code 5"),
        ("write nothing", BadOutput, "no picture was written"),
        ("write nonsense", BadOutput, "unknown picture format"),
    ],
)
def test_each_way_to_fail_has_its_own_error(
    moody: Callable[..., Editor], instruction: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        edit_once(moody(), request(instruction))


def test_nothing_is_left_behind_but_the_log_of_a_worker_that_had_trouble(
    moody: Callable[..., Editor], temporary: Path
) -> None:
    edit_once(moody(), request())
    assert list(temporary.iterdir()) == []
    with pytest.raises(Unavailable):
        edit_once(moody(), request("crash"))
    (log,) = [file for file in temporary.rglob("*") if file.is_file()]
    assert "about to crash" in log.read_text()


def test_keys_in_the_environment_do_not_get_into_error_texts(
    moody: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789")
    with pytest.raises(Unavailable, match=r"about to exit with \(SOME_API_KEY\)") as caught:
        edit_once(moody(), request("exit with sk-0123456789"))
    assert "0123456789" not in str(caught.value)


def test_two_pictures_are_refused(moody: Callable[..., Editor]) -> None:
    with pytest.raises(Refused, match="takes one picture, got 2"):
        edit_once(moody(), request(pictures=2))


def test_a_worker_that_crashes_twice_is_started_again_and_the_edit_gets_done(
    moody: Callable[..., Editor], notes: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    outcome = run_cases(workspace, moody(), asking(make_case(), "crash twice"))
    assert outcome.complete == 1
    assert [step.attempts for step in workspace.steps(1)] == [3, 1]
    assert len(starts(notes)) == 3


def test_a_worker_that_hangs_is_ended_and_started_again(
    moody: Callable[..., Editor], notes: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    outcome = run_cases(workspace, moody(timeout=10), asking(make_case(), "hang once"))
    assert outcome.complete == 1
    assert [step.attempts for step in workspace.steps(1)] == [2, 1]
    assert [is_alive(pid) for pid, _, _ in starts(notes)] == [False, False]


def test_an_edit_that_always_crashes_is_left_out_after_three_restarts_and_the_others_are_done(
    moody: Callable[..., Editor], notes: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    deadly, harmless = asking(make_case("one"), "crash"), make_case("two", seed=1)
    outcome = run_cases(workspace, moody(), deadly, harmless)
    (step,) = workspace.steps(1)
    assert isinstance(step.outcome, Failure)
    assert step.outcome.kind == "unavailable"
    assert "ended 4 times on this edit" in step.outcome.reason
    assert (outcome.complete, outcome.failures["unavailable"], outcome.unusable) == (1, 1, {})
    assert len(starts(notes)) <= 1 + 3 + 1


def test_a_worker_that_crashes_on_every_edit_is_given_up(
    moody: Callable[..., Editor], notes: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    cases = [asking(make_case(f"case{n}", seed=n), "crash") for n in range(6)]
    editor = moody()
    outcome = run_cases(workspace, editor, *cases)
    assert "8 times in a row" in outcome.unusable[editor.facts.name]
    assert len(starts(notes)) < 12


def test_a_worker_that_cannot_load_its_model_is_misconfigured_with_its_last_words(
    moody: Callable[..., Editor],
) -> None:
    with pytest.raises(Misconfigured, match=r"does not start.*the weights are not there"):
        edit_once(moody(broken="true"), request())


def test_an_interpreter_that_is_none_is_misconfigured(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no Python here >&2\nexit 9\n")
    broken.chmod(0o755)
    with pytest.raises(Misconfigured, match="exit code 9: no Python here"):
        edit_once(open_editor(f"worker:echo?python={broken}"), request())


def test_replicas_edit_at_the_same_time_and_know_their_numbers(
    moody: Callable[..., Editor], notes: Path
) -> None:
    editor = moody(replicas=2)

    async def edit_two() -> list[Edited]:
        try:
            return await asyncio.gather(*(editor.edit(request("meet", seed=n)) for n in range(2)))
        finally:
            await editor.close()

    assert len(asyncio.run(edit_two())) == 2
    assert sorted(replica for _, replica, _ in starts(notes)) == [0, 1]


def test_an_edit_that_nobody_waits_for_does_not_answer_the_next(
    moody: Callable[..., Editor], notes: Path
) -> None:
    editor = moody()

    async def drop_one() -> Edited:
        await editor.edit(request())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await editor.edit(request("hang", seed=1))
        edited = await editor.edit(request("again"))
        await editor.close()
        return edited

    assert asyncio.run(drop_one()).picture.encoded == request().image.encoded
    assert len(starts(notes)) == 2


def test_giving_up_while_the_model_loads_does_not_start_it_again(
    foreign: Path, notes: Path, tmp_path: Path
) -> None:
    slow, loaded = tmp_path / "slow.py", tmp_path / "loaded"
    waiting = f"import time, os.path\nwhile not os.path.exists({str(loaded)!r}): time.sleep(0.01)\n"
    slow.write_text(waiting + MOODY.read_text())
    editor = open_editor(f"worker:{slow}?python={foreign}&notes={notes}")

    async def impatient() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await editor.edit(request())
        loaded.touch()
        await editor.edit(request())
        await editor.close()

    asyncio.run(impatient())
    assert len(starts(notes)) == 1


def test_a_worker_dies_with_its_parent(foreign: Path, notes: Path, temporary: Path) -> None:
    program = textwrap.dedent(f"""
        import asyncio
        from convergebench.editors import open_editor
        from editors.engine_run import request
        editor = open_editor("worker:{MOODY}?python={foreign}&notes={notes}")
        asyncio.run(editor.edit(request("hang")))
    """)
    environment = {**os.environ, "PYTHONPATH": str(MOODY.parent.parent), "TMPDIR": str(temporary)}
    parent = subprocess.Popen([sys.executable, "-c", program], env=environment)
    wait_until(lambda: notes.exists() and notes.read_text().endswith("\n"))
    ((pid, _, _),) = starts(notes)
    assert is_alive(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: not is_alive(pid))


def test_a_worker_ends_with_its_input_in_the_middle_of_an_edit(foreign: Path, notes: Path) -> None:
    process = subprocess.Popen(
        [foreign, MAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None

    def send(**content: object) -> None:
        process.stdin.write(json.dumps(content) + "\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]

    send(adapter=str(MOODY), parameters={"notes": str(notes), "replica": 0})
    hello = json.loads(process.stdout.readline())
    assert (hello["adapter"], hello["model"], hello["version"]) == ("moody_adapter", "moody", "7")
    send(image="none", instruction="hang", seed=0, output="none")
    while process.stderr.readline() != "about to hang\n":
        assert process.poll() is None
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    process.stdout.close()
    process.stderr.close()


def test_what_runs_in_a_foreign_environment_is_python_3_8_and_imports_only_what_comes_with_it() -> None:
    for file in [MAIN, *ADAPTERS.glob("*.py")]:
        tree = ast.parse(file.read_text(), feature_version=(3, 8))
        at_top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {
            name.split(".")[0]
            for node in at_top
            for name in (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            )
        }
        assert names <= sys.stdlib_module_names, file


def test_replicas_interpreter_and_deadline_are_not_part_of_a_models_identity(foreign: Path) -> None:
    plain = open_editor("worker:echo").facts
    elsewhere = open_editor(f"worker:echo?python={foreign}&replicas=3&timeout=9").facts
    assert elsewhere.fingerprint == plain.fingerprint
    assert (plain.at_once, elsewhere.at_once) == (1, 3)


def test_an_adapter_of_ones_own_may_be_called_like_one_of_ours(tmp_path: Path) -> None:
    mine = tmp_path / "janus.py"
    mine.write_text("A = 1")
    assert "weights" not in open_editor(f"worker:{mine}").facts.parameters


def test_a_changed_adapter_of_ones_own_is_another_editor(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("A = 1")
    before = open_editor(f"worker:{mine}").facts.fingerprint
    mine.write_text("A = 2")
    assert open_editor(f"worker:{mine}").facts.fingerprint != before


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_asks_for_its_interpreter_and_takes_it_by_parameter_or_environment(
    preset: str, foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (listing,) = [one for one in listings() if one.name == preset]
    adapter = str(listing.parameters["model"])
    variable = f"CONVERGEBENCH_PYTHON_{adapter.upper()}"
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(WrongUse, match=f"python=.*{variable}"):
        open_editor(preset)
    by_parameter = open_editor(f"{preset}?python={foreign}").facts
    monkeypatch.setenv(variable, str(foreign))
    assert open_editor(preset).facts == by_parameter
    assert by_parameter.name == preset
    assert str(by_parameter.parameters["weights"]).count("/") == 1


def test_an_adapter_by_its_name_has_the_parameters_of_its_preset(foreign: Path) -> None:
    facts = open_editor(f"worker:janus?python={foreign}&temperature=0.5").facts
    assert facts.parameters["weights"] == "FreedomIntelligence/Janus-4o-7B"
    assert facts.parameters["temperature"] == 0.5


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("worker:nobody", "unknown adapter nobody.*echo"),
        ("worker:missing/adapter.py", "there is no file .*missing/adapter.py"),
        ("worker:echo?replicas=0", "replicas must be at least 1"),
        ("worker:echo?python=/nowhere/python", "is not a Python"),
    ],
)
def test_a_wrong_name_says_what_to_write(spec: str, says: str) -> None:
    with pytest.raises(WrongUse, match=says):
        open_editor(spec)
