"""Compare two ways of running a set: by name, from the sessions in a workspace."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.analysis.sessions.compare import TurnComparison, compare_sessions
from convergebench.analysis.sessions.figures import FIGURES
from convergebench.analysis.sessions.turns import measured
from convergebench.benchmarks.session_scoring import pass_readings
from convergebench.errors import WrongUse
from convergebench.protocols import BY_TURN
from convergebench.results import Records
from convergebench.results.sessions import load_sessions
from convergebench.types import SuiteId


def compared_sessions(
    records: Records, suites: Sequence[SuiteId], first: str, second: str
) -> list[TurnComparison]:
    """Each of the two is a model, or a model and a protocol as in qwen/singlepass; without one it is
    `session`. Only figures that both have are compared."""
    chosen = [compared_side(records, suites, name) for name in (first, second)]
    sides = [(suite, load_sessions(records, [suite], [model])) for suite, model in chosen]
    readings = [
        {**pass_readings(records, suite, sessions), **{figure: measured(figure.key) for figure in FIGURES}}
        for suite, sessions in sides
    ]
    found = [
        compare_sessions(
            figure,
            (first, sides[0][1], readings[0][figure]),
            (second, sides[1][1], readings[1][figure]),
        )
        for figure in readings[0]
        if figure in readings[1]
    ]
    compared = [one for one in found if one is not None]
    if not compared:
        raise WrongUse(
            f"{first} and {second} share no session with a figure of both; run both on the same set"
        )
    return compared


def compared_side(records: Records, suites: Sequence[SuiteId], name: str) -> tuple[SuiteId, str]:
    """The suite and the model that a name stands for."""
    model, _, protocol = name.rpartition("/")
    if protocol not in BY_TURN:
        model, protocol = name, "session"
    for suite in suites:
        if suite.part == protocol and load_sessions(records, [suite], [model]):
            return suite, model
    known = dict.fromkeys(
        f"{one.model}/{one.protocol}" for suite in suites for one in load_sessions(records, [suite])
    )
    raise WrongUse(f"there are no sessions of {model} by {protocol}; choose from {', '.join(known)}")
