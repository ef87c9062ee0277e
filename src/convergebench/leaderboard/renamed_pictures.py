"""Rows whose pictures, and with them their chains and cases, got other digests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from convergebench.leaderboard.submitted_rows import Row, Rows
from convergebench.results.step_contexts import step_contexts
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.types import Digest, PictureFacts, fingerprint_of

ROUND_TRIP = "round_trip"


def with_pictures(
    rows: Rows,
    steps: Sequence[StepRecord],
    trajectories: Mapping[int, TrajectoryRecord],
    renamed: Mapping[Digest, PictureFacts],
) -> Rows:
    """The same results of other files with the same pixels.

    What was measured along a chain is found by a digest of the chain, which changes with its pictures. A case
    of a round trip gets the fingerprint that its new source gives.
    """
    if not renamed:
        return rows
    digests = {old: facts.digest for old, facts in renamed.items()}
    moved = [
        step._replace(
            inputs=tuple(digests.get(one, one) for one in step.inputs),
            picture=step.picture and digests.get(step.picture, step.picture),
        )
        for step in steps
    ]
    before, after = step_contexts(steps, trajectories), step_contexts(moved, trajectories)
    references = digests | {before[place]: after[place] for place in before}
    cases = _new_cases(rows, moved, trajectories)
    return {
        **rows,
        "steps": [_step(row, digests, renamed) for row in rows["steps"]],
        **{
            table: _replaced(_replaced(rows[table], "reference", references), "picture", digests)
            for table in ("measurements", "measurement_details")
        },
        "case_facts": _replaced(rows["case_facts"], "fingerprint", cases),
        "suite_cases": _replaced(rows["suite_cases"], "case_fingerprint", cases),
        "trajectories": _replaced(rows["trajectories"], "case_fingerprint", cases),
    }


def _new_cases(
    rows: Rows, steps: Sequence[StepRecord], trajectories: Mapping[int, TrajectoryRecord]
) -> dict[str, str]:
    """By the old fingerprint."""
    facts = {row["fingerprint"]: row for row in rows["case_facts"]}
    found: dict[str, str] = {}
    for step in steps:
        trajectory = trajectories[step.trajectory]
        if step.position == 0 and trajectory.protocol == ROUND_TRIP:
            case = facts[trajectory.case.fingerprint]
            found[case["fingerprint"]] = case_fingerprint(case, list(step.inputs))
    return found


def case_fingerprint(case: Row, sources: Sequence[Digest]) -> str:
    """Of a case of a round trip, as `Case` computes it."""
    return fingerprint_of(list(sources), case["forward"], case["backward"], case["id"])


def _step(row: Row, digests: Mapping[Digest, Digest], renamed: Mapping[Digest, PictureFacts]) -> Row:
    inputs = json.dumps([digests.get(one, one) for one in json.loads(row["inputs"])])
    facts = renamed.get(row["picture"])
    made = {} if facts is None else {"picture": facts.digest, "media_type": facts.media_type}
    return {**row, "inputs": inputs, **made}


def _replaced(rows: Sequence[Row], column: str, values: Mapping[str, str]) -> list[Row]:
    return [{**row, column: values.get(row[column], row[column])} for row in rows]
