"""Progress bar for measuring a workspace."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from convergebench.engine.progress import NoProgress
from convergebench.shown_text import drawing_console


class MeasuringProgress(NoProgress):
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, results: int, *, quiet: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        screen = drawing_console(sys.stderr)
        columns = (TextColumn("measuring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=screen, disable=quiet or not screen.is_terminal)
        self._task = self._bar.add_task("measuring", total=results)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def measured(self, pictures: int) -> None:
        self._bar.advance(self._task, pictures)
