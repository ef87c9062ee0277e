"""The exit codes of all commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convergebench.engine import RunOutcome
    from convergebench.engine.judging.tasks import JudgingOutcome

DONE = 0
"""Everything requested is complete."""
ERROR = 1
"""The command failed; for `judge`, `score` and `task`: not a single verdict was obtained."""
WRONG_USE = 2
"""Invalid usage: an unknown option, name or value."""
INCOMPLETE = 3
"""Finished with something missing: failed edits or verdicts, pictures required by `--strict`, an
instruction that cannot be inverted or classified, a submission left out of a leaderboard."""
WORSE = 4
"""`check` found a model worse than its baseline, or different if that was asked."""
INTERRUPTED = 130
"""Stopped by Ctrl-C or SIGTERM; finished work is saved."""


def exit_code(edited: RunOutcome | None, judged: JudgingOutcome | None = None) -> int:
    if any(part is not None and part.interrupted for part in (edited, judged)):
        return INTERRUPTED
    edits_missing = edited is not None and edited.complete < edited.trajectories
    verdicts_missing = judged is not None and judged.ok < len(judged.verdicts)
    return INCOMPLETE if edits_missing or verdicts_missing else DONE


def judging_exit_code(judged: JudgingOutcome | None, edited: RunOutcome | None = None) -> int:
    """As `exit_code`, and ERROR where there is no verdict at all, also if there was nothing to judge."""
    code = exit_code(edited, judged)
    all_failed = judged is not None and not judged.ok
    return ERROR if all_failed and code != INTERRUPTED else code
