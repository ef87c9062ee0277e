"""Progress of a refinement: a bar for the edits of each model, and one for the verdicts beside them."""

from __future__ import annotations

from types import TracebackType

from convergebench.cli.judging_progress import JudgingBar
from convergebench.engine.refining.plan import REFINED_BY
from convergebench.judges import Verdict
from convergebench.run_progress.terminal import ProgressBars


class _EditBars(ProgressBars):
    def label(self, model: str) -> str:
        """The model's own name: reasoner and executor are the same for all."""
        return model.partition(REFINED_BY)[0]


class RefineProgress:
    """The JudgingProgress; `editing` is the RunProgress of the rest."""

    def __init__(self, judge: str) -> None:
        self.editing = _EditBars()
        self._judge = judge.partition("?")[0]
        self._judging: JudgingBar | None = None

    def __enter__(self) -> RefineProgress:
        self.editing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.editing.__exit__(kind, error, trace)

    def planned(self, judgements: int) -> None:
        self._bar.planned(judgements)

    def judged(self, verdict: Verdict, *, replayed: bool) -> None:
        self._bar.judged(verdict, replayed=replayed)

    def given_up(self, reason: str) -> None:
        """Printed immediately: editing may take hours, and the judge can be fixed meanwhile."""
        console = self.editing.bars.console
        console.print(f"{self._judge} cannot continue: {reason}", markup=False, soft_wrap=True)

    def stopping(self, in_flight: int) -> None:
        if in_flight:
            self._bar.stopping(in_flight)

    @property
    def _bar(self) -> JudgingBar:
        """Created on first use, so that it appears below the others."""
        if self._judging is None:
            self._judging = JudgingBar(self._judge, self.editing.bars)
        return self._judging
