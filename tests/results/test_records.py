from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import pytest

import convergebench
from convergebench.errors import WorkspaceError
from convergebench.report.page.page_results import page_results
from convergebench.results import Records, load_results
from convergebench.results.chain_steps import ChainSteps
from convergebench.results.refinements import refinements
from convergebench.store import DATABASE, Enrolment, Workspace
from convergebench.store.schema import APPLICATION_ID, MIGRATIONS
from convergebench.store.visibility import hide
from convergebench.types import Case, EditorFacts, Failure, PictureFacts, Step


def enrol(workspace: Workspace, case: Case, editor: EditorFacts, *, fresh: bool = False) -> int:
    (identity,) = workspace.enrol([Enrolment("round_trip", "tiny@0", editor, case, 0, 2)], fresh=fresh)
    return identity


def test_a_workspace_is_read_once_until_something_is_written(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    enrol(workspace, make_case(), EditorFacts("jpeg", "1"))
    records = Records.of(workspace)
    assert Records.of(workspace) is records
    assert Records.of(records) is records
    assert [one.model for one in records.trajectories] == ["jpeg"]
    enrol(workspace, make_case(), EditorFacts("jpeg", "2"))
    later = Records.of(workspace)
    assert len({one.model for one in later.trajectories}) == 2
    assert [one.model for one in records.trajectories] == ["jpeg"]


def test_models_on_two_servers_have_labels_without_addresses_and_either_name_selects_them(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    names = [f"server:m?base_url=http://10.0.0.{host}:8000/v1&size=512" for host in (5, 6)]
    facts = [EditorFacts(name, "1", parameters={"base_url": name}) for name in names]
    for one in facts:
        enrol(workspace, make_case(), one)
    editors = [Records.of(workspace).editors[one.fingerprint] for one in facts]
    assert [one.label for one in editors] == [f"server:m?size=512@{one.fingerprint[:6]}" for one in facts]
    assert [one.is_one_of([names[0]]) for one in editors] == [True, False]
    assert all(one.is_one_of(["server:m?size=512"]) for one in editors)


def test_the_last_word_on_a_position_counts_and_what_failed_before_it_is_paid_for(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    trajectory = enrol(workspace, make_case(), EditorFacts("jpeg", "1"))
    run = workspace.start_run({}, "test")
    for reason, cost in (("too dark", 0.25), ("too bright", 0.5)):
        failure = Failure("unavailable", reason)
        step = Step(0, "forward", 1, "Add a hat.", 0, ("a" * 64,), failure, 1.0, cost, 1)
        workspace.record_step(trajectory, run, step).result()
    (step,) = Records.of(workspace).steps
    assert (step.reason, step.cost_usd, step.spent_usd, step.inputs) == ("too bright", 0.5, 0.75, ("a" * 64,))


def test_the_steps_of_a_trajectory_are_the_same_read_as_columns_and_as_records(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run, hidden = workspace.start_run({}, "test"), workspace.start_run({}, "test")
    trajectories = [enrol(workspace, make_case(), EditorFacts("jpeg", str(number))) for number in range(4)]
    failure, third = Failure("unavailable", 'said "no",\nand ["a"]'), 1 / 3  # has no exact decimals
    plain, retried, branched, half_hidden = (
        [(run, 0, "s", "a"), (run, 1, "a", "b"), (run, 2, "b", "c")],
        [(run, 0, "s", failure), (run, 0, "s", "a2"), (run, 1, "a2", failure), (run, 1, "a2", failure)],
        [(run, 0, "sr", "a3"), (run, 1, "s", "b3"), (run, 2, "b3", "c3")],
        [(run, 0, "s", "a4"), (hidden, 1, "a4", "b4"), (run, 2, "b4", "c4")],
    )
    for trajectory, steps in zip(trajectories, (plain, retried, branched, half_hidden), strict=True):
        for by, position, given, made in steps:
            outcome = made if isinstance(made, Failure) else PictureFacts(made, 8, 8, "image/png")
            step = Step(
                position, ("forward", "backward")[position % 2], 1, 'Add a "hat", please.', 0,
                tuple(given) if given == "sr" else (given,), outcome, third,
                None if by == hidden else third, 1,
            )  # fmt: skip
            workspace.record_step(trajectory, by, step).result()
    hide(workspace, [], [hidden])
    as_columns = list(Records(workspace).each_chain())
    records = Records(workspace)
    assert len(records.steps) == 3 + 2 + 3 + 1
    as_records = list(records.each_chain())
    names = [field.name for field in fields(ChainSteps)]
    assert [[_plain(getattr(one, name)) for name in names] for one in as_columns] == [
        [_plain(getattr(one, name)) for name in names] for one in as_records
    ]


def _plain(column: object) -> object:
    return list(column) if isinstance(column, Sequence) else column


def test_a_case_of_two_suites_has_its_trajectory_in_both(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case, editor = make_case(), EditorFacts("jpeg", "1")
    enrolments = [Enrolment("round_trip", suite, editor, case, 0, 2) for suite in ("whole@1", "part@1")]
    first, second = workspace.enrol(enrolments, fresh=False)
    assert first == second
    assert [one.case.suite for one in Records.of(workspace).newest[first]] == ["part@1", "whole@1"]


def test_some_trajectories_are_read_as_they_are_among_all(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case, editors, run = make_case(), [EditorFacts("jpeg", one) for one in "123"], workspace.start_run({})
    step = Step(0, "forward", 1, "Add a hat.", 0, ("a" * 64,), Failure("refused", "no"), 1.0, None, 1)
    begun = []
    for editor, fresh in ((editors[0], False), (editors[1], False), (editors[2], False), (editors[2], True)):
        begun.append(enrol(workspace, case, editor, fresh=fresh))
        workspace.record_step(begun[-1], run, step).result()
    old, _, restarted, _ = begun
    some, all_of_them = Records(workspace, only=[old, restarted]), Records.of(workspace)
    assert [one.is_newest for one in some.trajectories] == [True, False]
    assert some.trajectories == [one for one in all_of_them.trajectories if one.id in (old, restarted)]
    assert some.steps == [one for one in all_of_them.steps if one.trajectory in (old, restarted)]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_workspace_of_an_older_version_can_be_read_as_it_is(version: int, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / DATABASE) as db:
        for script in MIGRATIONS[:version]:
            db.executescript(script)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {version}")
    with Workspace.existing(tmp_path) as workspace:
        records = Records.of(workspace)
        assert not (records.judgements or records.judges or records.rubrics or records.imported_labels)
        assert not (records.steps or records.runs or refinements(records))
        assert page_results(records).returns == ()
        with pytest.raises(WorkspaceError, match="has no results yet"):
            load_results(workspace)


def test_nothing_outside_the_store_and_the_read_model_speaks_sql() -> None:
    package = Path(convergebench.__file__).parent
    sql = re.compile(r"sqlite3|\.query\(|\.each_row\(|\bSELECT\b.*\bFROM\b", re.DOTALL)
    speaking = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if sql.search(path.read_text(encoding="utf-8"))
    }
    assert speaking == {"results", "store"}
