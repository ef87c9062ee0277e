"""The exit codes of all commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convergebench.engine import RunOutcome
    from convergebench.engine.judging.tasks import JudgingOutcome

DONE = 0
"""Everything that was asked for is there."""
ERROR = 1
"""The command could not do its work; for `judge`, `score` and `task`, there is no verdict at all."""
WRONG_USE = 2
"""The command cannot mean anything: an unknown option, name or value."""
INCOMPLETE = 3
"""Finished, and something is missing: edits or verdicts that failed, pictures that `--strict` asks for, an
instruction that nobody can invert or classify."""
INTERRUPTED = 130
"""Stopped by Ctrl-C or SIGTERM; what was finished is kept."""


def exit_code(edited: RunOutcome | None, judged: JudgingOutcome | None = None) -> int:
    if any(part is not None and part.interrupted for part in (edited, judged)):
        return INTERRUPTED
    edits_missing = edited is not None and edited.complete < edited.trajectories
    verdicts_missing = judged is not None and judged.ok < len(judged.verdicts)
    return INCOMPLETE if edits_missing or verdicts_missing else DONE


def judging_exit_code(judged: JudgingOutcome | None, edited: RunOutcome | None = None) -> int:
    """As `exit_code`, and ERROR where the judge gave no verdict at all."""
    code = exit_code(edited, judged)
    all_failed = judged is not None and judged.verdicts and not judged.ok
    return ERROR if all_failed and code != INTERRUPTED else code
