from __future__ import annotations

import pytest

from convergebench.cli.exit_codes import DONE, ERROR, INCOMPLETE, INTERRUPTED, exit_code, judging_exit_code
from convergebench.engine import RunOutcome
from convergebench.engine.judging.tasks import JudgingOutcome
from convergebench.judges import Verdict

OK, MISSING = Verdict("ok", 1.0), Verdict("refused", missing="no")


@pytest.mark.parametrize(
    ("verdicts", "interrupted", "code", "of_judging"),
    [
        ([], False, DONE, ERROR),
        ([OK, OK], False, DONE, DONE),
        ([OK, MISSING], False, INCOMPLETE, INCOMPLETE),
        ([MISSING, None], False, INCOMPLETE, ERROR),
        ([None], True, INTERRUPTED, INTERRUPTED),
    ],
)
def test_the_exit_code_says_whether_verdicts_are_missing(
    verdicts: list[Verdict | None], interrupted: bool, code: int, of_judging: int
) -> None:
    judged = JudgingOutcome(verdicts=verdicts, interrupted=interrupted)
    assert (exit_code(None, judged), judging_exit_code(judged)) == (code, of_judging)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (RunOutcome(trajectories=2, complete=2), DONE),
        (RunOutcome(trajectories=2, complete=1), INCOMPLETE),
        (RunOutcome(trajectories=2, complete=1, interrupted=True), INTERRUPTED),
    ],
)
def test_the_exit_code_says_whether_trajectories_are_complete(outcome: RunOutcome, code: int) -> None:
    assert exit_code(outcome) == code
    assert judging_exit_code(None, outcome) == code
