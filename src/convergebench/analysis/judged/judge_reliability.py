"""The reliability of a judge's verdicts, from the share that failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from convergebench.judges import Verdict

Condition = Literal["healthy", "warning", "degraded", "critical"]


@dataclass(frozen=True)
class JudgeHealth:
    """Requested judgements, and the number of them without a value.

    >>> [JudgeHealth(100, failed).condition for failed in (0, 9, 10, 49, 50)]
    ['healthy', 'warning', 'degraded', 'degraded', 'critical']
    """

    judgements: int
    failed: int

    @property
    def failed_share(self) -> float | None:
        """None if nothing was judged."""
        return self.failed / self.judgements if self.judgements else None

    @property
    def condition(self) -> Condition | None:
        share = self.failed_share
        if share is None:
            return None
        if share == 0:
            return "healthy"
        if share < 0.1:
            return "warning"
        return "degraded" if share < 0.5 else "critical"


def judge_health(verdicts: Iterable[Verdict | None]) -> JudgeHealth:
    """Health from the outcomes of judging. A pending judgement has not failed."""
    made = [verdict for verdict in verdicts if verdict is not None]
    return JudgeHealth(len(made), sum(verdict.value is None for verdict in made))
