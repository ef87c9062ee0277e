from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convergebench._version import __version__
from convergebench.errors import WorkspaceError
from convergebench.store import DATABASE, IS_NEWEST, Enrolment, Workspace
from convergebench.store.schema import VERSION
from convergebench.types import Case, EditorFacts, Failure, Measurement, PictureFacts, Step

EDITOR = EditorFacts("jpeg", "1", {"quality": 75})


def enrolment(case: Case, editor: EditorFacts = EDITOR, rounds: int = 10, seed: int = 0) -> Enrolment:
    return Enrolment("round_trip", "tiny@0", editor, case, seed, rounds)


def step(position: int, outcome: PictureFacts | Failure, **changes: object) -> Step:
    values = {"role": "forward", "round": 1, "instruction": "Add", "seed": 3, "inputs": ("ab",),
              "seconds": 0.5, "cost_usd": 0.02, "attempts": 2} | changes  # fmt: skip
    return Step(position=position, outcome=outcome, **values)  # type: ignore[arg-type]


def begun(workspace: Workspace, case: Case, digest: str) -> int:
    """The case's trajectory, which goes on with a picture of this digest."""
    (identity,) = workspace.enrol([enrolment(case)], fresh=False)
    run = workspace.start_run({}, "0")
    workspace.record_step(identity, run, step(0, PictureFacts(digest, 8, 8, "image/png"))).result()
    return identity


def test_the_same_trajectory_is_enrolled_once_and_its_rounds_only_grow(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case()
    first = workspace.enrol([enrolment(case, rounds=10)], fresh=False)
    assert workspace.enrol([enrolment(case, rounds=5)], fresh=False) == first
    assert [row["rounds"] for row in workspace.query("SELECT rounds FROM trajectories")] == [10]


@pytest.mark.parametrize(
    "other",
    [
        EditorFacts("jpeg", "1", {"quality": 74}),
        EditorFacts("jpeg", "2", {"quality": 75}),
        EditorFacts("x", "1"),
    ],
)
def test_a_changed_parameter_or_version_is_another_trajectory(
    workspace: Workspace, make_case: Callable[..., Case], other: EditorFacts
) -> None:
    case = make_case()
    assert workspace.enrol([enrolment(case)], fresh=False) != workspace.enrol(
        [enrolment(case, other)], fresh=False
    )


def test_fresh_starts_beside_what_is_there_and_keeps_it(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case()
    old = begun(workspace, case, "cd")
    (new,) = workspace.enrol([enrolment(case)], fresh=True)
    assert new != old
    assert workspace.steps(new) == []
    assert len(workspace.steps(old)) == 1
    assert workspace.enrol([enrolment(case)], fresh=False) == [new]


def test_a_fresh_start_without_a_step_hides_nothing_and_is_used_by_the_next(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case()
    old = begun(workspace, case, "cd")
    (new,) = workspace.enrol([enrolment(case)], fresh=True)
    assert workspace.enrol([enrolment(case)], fresh=True) == [new]
    newest = f"SELECT t.id FROM trajectories t WHERE {IS_NEWEST}"
    assert [row["id"] for row in workspace.query(newest)] == [old]
    assert begun(workspace, case, "ef") == new
    assert [row["id"] for row in workspace.query(newest)] == [new]


def test_a_trajectory_that_was_refused_has_no_edit_left_to_do(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run = workspace.start_run({}, "0")
    (identity,) = workspace.enrol([enrolment(make_case(), rounds=3)], fresh=False)
    workspace.record_step(identity, run, step(0, Failure("refused", "never"))).result()
    (done,) = workspace.finished_edits("round_trip").values()
    assert done >= 6


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(instruction=st.text(max_size=300), reason=st.text(max_size=50), cost=st.none() | st.floats(0, 100))
def test_a_step_comes_back_as_it_was_recorded(
    workspace: Workspace, make_case: Callable[..., Case], instruction: str, reason: str, cost: float | None
) -> None:
    instruction, reason = (text.encode(errors="replace").decode() for text in (instruction, reason))
    run = workspace.start_run({}, "0")
    (identity,) = workspace.enrol([enrolment(make_case())], fresh=True)
    done = step(0, PictureFacts("cd", 8, 9, "image/png"), instruction=instruction, cost_usd=cost)
    failed = step(1, Failure("refused", reason), role="backward")
    for one in (done, failed):
        workspace.record_step(identity, run, one).result()
    assert workspace.steps(identity) == [done, failed]


def test_half_a_character_in_a_reason_does_not_lose_the_step(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run = workspace.start_run({}, "0")
    (identity,) = workspace.enrol([enrolment(make_case())], fresh=False)
    workspace.record_step(identity, run, step(0, Failure("crashed", "a hat \ud83d"))).result()
    assert workspace.steps(identity) == [step(0, Failure("crashed", "a hat \ufffd"))]


def test_a_later_success_takes_the_place_of_a_failure_and_both_stay_on_record(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run = workspace.start_run({}, "0")
    (identity,) = workspace.enrol([enrolment(make_case())], fresh=False)
    done = step(0, PictureFacts("cd", 8, 9, "image/png"))
    workspace.record_step(identity, run, step(0, Failure("unavailable", "down"))).result()
    workspace.record_step(identity, run, done).result()
    assert workspace.steps(identity) == [done]
    assert workspace.query("SELECT count(*) FROM steps")[0][0] == 2


def test_a_finished_step_cannot_be_recorded_again(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run = workspace.start_run({}, "0")
    (identity,) = workspace.enrol([enrolment(make_case())], fresh=False)
    done = step(0, PictureFacts("cd", 8, 9, "image/png"))
    workspace.record_step(identity, run, done).result()
    with pytest.raises(sqlite3.IntegrityError):
        workspace.record_step(identity, run, done).result()


def test_a_value_replaces_a_missing_one_and_is_never_replaced(workspace: Workspace) -> None:
    def record(value: float | None, missing: str | None) -> None:
        workspace.record_measurements([("ref", "pic", Measurement("clip", "1", value, missing))]).result()

    record(None, "no weights")
    record(0.9, None)
    record(None, "no weights")
    assert [tuple(row) for row in workspace.query("SELECT value, missing FROM measurements")] == [(0.9, None)]
    assert workspace.measured(["ref"], ["pic"]) == {("ref", "pic", "clip", "1"): True}


def test_a_detail_belongs_to_the_measurement_that_is_kept(workspace: Workspace) -> None:
    def detail_after(value: float | None, missing: str | None, detail: str) -> str:
        measured = Measurement("clip", "1", value, missing, detail)
        workspace.record_measurements([("ref", "pic", measured)]).result()
        return str(workspace.query("SELECT detail FROM measurement_details")[0][0])

    assert detail_after(None, "no weights", "first reason") == "first reason"
    assert detail_after(None, "too small", "second reason") == "second reason"
    assert detail_after(0.9, None, "of the value") == "of the value"
    assert detail_after(None, "too small", "third reason") == "of the value"


def test_an_infinite_value_is_kept(workspace: Workspace) -> None:
    workspace.record_measurements([("r", "p", Measurement("psnr", "1", float("inf")))]).result()
    assert workspace.query("SELECT value FROM measurements")[0][0] == float("inf")


def claims_from_another_process(folder: Path, trajectory: int) -> bool:
    code = (
        "import sys; from pathlib import Path; from convergebench.store import Workspace\n"
        "with Workspace.create(Path(sys.argv[1])) as w: sys.exit(0 if w.claim(int(sys.argv[2])) else 1)"
    )
    return subprocess.run([sys.executable, "-c", code, str(folder), str(trajectory)]).returncode == 0


def test_a_claimed_trajectory_is_refused_to_other_processes_until_released(workspace: Workspace) -> None:
    assert workspace.claim(5)
    assert not claims_from_another_process(workspace.folder, 5)
    assert claims_from_another_process(workspace.folder, 6)
    workspace.release(5)
    assert claims_from_another_process(workspace.folder, 5)


def test_a_claim_is_kept_where_its_own_process_asks_to_be_alone(workspace: Workspace) -> None:
    assert workspace.claim(5)
    with pytest.raises(WorkspaceError, match="a run is working"), workspace.alone():
        pass
    assert not claims_from_another_process(workspace.folder, 5)


def test_nothing_is_claimed_in_the_process_that_is_alone(workspace: Workspace) -> None:
    with workspace.alone():
        assert not workspace.claim(5)
        with pytest.raises(WorkspaceError, match="a run is working"), workspace.alone():
            pass
    assert workspace.claim(5)


def test_a_claimed_trajectory_is_refused_to_another_workspace_object_of_this_process(
    workspace: Workspace,
) -> None:
    with Workspace.create(workspace.folder) as other:
        assert workspace.claim(5)
        assert not other.claim(5)
    assert not claims_from_another_process(workspace.folder, 5)


def test_a_workspace_of_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    Workspace.create(tmp_path).close()
    with sqlite3.connect(tmp_path / DATABASE) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    for how in (Workspace.create, Workspace.existing):
        with pytest.raises(WorkspaceError, match="newer ConvergeBench"):
            how(tmp_path)


def test_a_corrupt_database_is_named_and_left_alone(tmp_path: Path) -> None:
    content = b"this is not a database at all" * 100
    (tmp_path / DATABASE).write_bytes(content)
    for how in (Workspace.create, Workspace.existing):
        with pytest.raises(WorkspaceError, match="damaged"):
            how(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == content


def test_a_folder_without_a_workspace_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="convergebench run"):
        Workspace.existing(tmp_path)


def test_an_open_workspace_for_reading_cannot_be_written(workspace: Workspace) -> None:
    with Workspace.existing(workspace.folder) as reader, pytest.raises(WorkspaceError, match="reading only"):
        reader.start_run({}, "0")


def test_a_run_says_how_it_ended(workspace: Workspace) -> None:
    with workspace.run({"suite": "tiny@0"}):
        pass
    with workspace.run({}) as stopped:
        stopped.ending = "interrupted"
    with pytest.raises(ZeroDivisionError), workspace.run({}):
        raise ZeroDivisionError
    rows = workspace.query("SELECT outcome, finished IS NOT NULL AS over, package FROM runs ORDER BY id")
    assert [tuple(row) for row in rows] == [
        (outcome, 1, __version__) for outcome in ("finished", "interrupted", "failed")
    ]
