"""Progress bars for a run: edits per model, speed, failures, cost and remaining time."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from convergebench.shown_text import drawing_console
from convergebench.types import Failure, Step


class ProgressBars:
    """A RunProgress that draws to standard error."""

    def __init__(self) -> None:
        self._console = drawing_console(sys.stderr)
        self.bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[trouble]}", style="red", markup=False),
            TextColumn("{task.fields[cost]}"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=self._console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._new: dict[str, int] = {}
        self._failed: dict[str, int] = {}
        self._cost: dict[str, float] = {}
        self._started = time.monotonic()

    def __enter__(self) -> ProgressBars:
        self.bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bars.stop()

    def label(self, model: str) -> str:
        return model

    def planned(self, model: str, edits: int) -> None:
        shown = self.label(model)
        self._tasks[model] = self.bars.add_task(shown, total=edits, speed="", trouble="", cost="")
        self._new[model] = self._failed[model] = 0
        self._cost[model] = 0.0

    def step(self, model: str, step: Step, *, replayed: bool) -> None:
        self._new[model] += not replayed
        self._failed[model] += isinstance(step.outcome, Failure)
        self._cost[model] += 0.0 if replayed else step.cost_usd or 0.0
        speed = self._new[model] / max(time.monotonic() - self._started, 1e-9)
        self.bars.update(
            self._tasks[model],
            advance=1,
            speed=f"{speed:.1f} edits/s" if self._new[model] else "",
            trouble=f"{self._failed[model]} failed" if self._failed[model] else "",
            cost=f"${self._cost[model]:.2f}" if self._cost[model] else "",
        )

    def ended(self, model: str, unmade: int) -> None:
        self.bars.advance(self._tasks[model], unmade)

    def measured(self, pictures: int) -> None:
        pass

    def stopping(self, in_flight: int) -> None:
        self._console.print(
            f"Stopping: waiting for the current edit of {in_flight} trajectories. Ctrl-C again cancels them."
        )
