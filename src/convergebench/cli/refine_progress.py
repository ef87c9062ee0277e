"""Progress of a refinement: bars for editing and looking, and then one for judging."""

from __future__ import annotations

from types import TracebackType

from convergebench.cli.judging_progress import JudgingBar
from convergebench.cli.progress import ProgressBars
from convergebench.judges import Verdict


class RefineProgress:
    """An Onlooker for the judging; `editing` is the Watch of what goes before."""

    def __init__(self, judge: str) -> None:
        self.editing = ProgressBars()
        self._judge = judge
        self._shown: ProgressBars | JudgingBar = self.editing

    def __enter__(self) -> RefineProgress:
        self._shown.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shown.__exit__(kind, error, trace)

    def planned(self, judgements: int) -> None:
        self._shown.__exit__(None, None, None)
        self._shown = JudgingBar(self._judge)
        self._shown.__enter__()
        self._shown.planned(judgements)

    def stopping(self, in_flight: int) -> None:
        assert isinstance(self._shown, JudgingBar)
        self._shown.stopping(in_flight)

    def judged(self, verdict: Verdict, *, replayed: bool) -> None:
        assert isinstance(self._shown, JudgingBar)
        self._shown.judged(verdict, replayed=replayed)
