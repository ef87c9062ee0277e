"""Progress bar for judging: verdicts, speed, missing verdicts and remaining time."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from types import TracebackType
from typing import TYPE_CHECKING

from convergebench.judges import Verdict
from convergebench.shown_text import drawing_console

if TYPE_CHECKING:
    from rich.progress import Progress


def judging_progress(judge: str, as_json: bool) -> JudgingBar | nullcontext[None]:
    """A bar on a terminal; otherwise nothing."""
    return nullcontext() if as_json or not sys.stderr.isatty() else JudgingBar(judge)


class JudgingBar:
    """A JudgingProgress that draws to standard error; below the given bars, if others draw those."""

    def __init__(self, judge: str, bars: Progress | None = None) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = bars or Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[trouble]}", style="red"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=drawing_console(sys.stderr),
            transient=True,
        )
        self._task = self._bar.add_task(judge.partition("?")[0], total=None, speed="", trouble="", cost="")
        self._new = self._missing = 0
        self._started = time.monotonic()

    def __enter__(self) -> JudgingBar:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def planned(self, judgements: int) -> None:
        self._bar.update(self._task, total=judgements)

    def judged(self, verdict: Verdict, *, replayed: bool) -> None:
        self._new += not replayed
        self._missing += verdict.outcome != "ok"
        speed = self._new / max(time.monotonic() - self._started, 1e-9)
        self._bar.update(
            self._task,
            advance=1,
            speed=f"{speed:.1f} verdicts/s" if self._new else "",
            trouble=f"{self._missing} missing" if self._missing else "",
        )

    def given_up(self, reason: str) -> None:
        pass

    def stopping(self, in_flight: int) -> None:
        self._bar.console.print(
            f"Stopping: waiting for {in_flight} judge calls in flight; their verdicts are saved."
        )
