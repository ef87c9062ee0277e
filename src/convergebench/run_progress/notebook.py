"""Progress in a notebook: one line per model, redrawn in the output of the cell."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from convergebench.types import Failure, Step

REDRAW_SECONDS = 0.2

Show = Callable[[str], None]
"""Replaces the HTML that was shown before."""


@dataclass
class _ModelProgress:
    planned: int
    ended: int = 0
    failed: int = 0
    cost_usd: float = 0.0


class NotebookProgress:
    """A RunProgress that shows HTML. It needs no widgets, so that it works in every notebook program."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self._models: dict[str, _ModelProgress] = {}
        self._note = ""
        self._drawn_at = -REDRAW_SECONDS

    def __enter__(self) -> NotebookProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show(self._html())

    def planned(self, model: str, edits: int) -> None:
        self._models[model] = _ModelProgress(edits)
        self._redraw()

    def step(self, model: str, step: Step, *, replayed: bool) -> None:
        one = self._models[model]
        one.ended += 1
        one.failed += isinstance(step.outcome, Failure)
        one.cost_usd += 0.0 if replayed else step.cost_usd or 0.0
        self._redraw()

    def ended(self, model: str, unmade: int) -> None:
        self._models[model].ended += unmade
        self._redraw()

    def measured(self, pictures: int) -> None:
        pass

    def stopping(self, in_flight: int) -> None:
        self._note = f"Stopping: waiting for the current edit of {in_flight} trajectories."
        self._show(self._html())

    def _redraw(self) -> None:
        """Not for every edit: fast editors make hundreds in a second."""
        now = time.monotonic()
        if now - self._drawn_at >= REDRAW_SECONDS:
            self._drawn_at = now
            self._show(self._html())

    def _html(self) -> str:
        rows = "".join(_row(model, one) for model, one in self._models.items())
        return f"<table>{rows}</table>{html.escape(self._note)}"


def _row(model: str, one: _ModelProgress) -> str:
    trouble = f"{one.failed} failed" if one.failed else ""
    cost = f"${one.cost_usd:.2f}" if one.cost_usd else ""
    return (
        f'<tr><td style="text-align:left">{html.escape(model)}</td>'
        f'<td><progress value="{one.ended}" max="{max(one.planned, 1)}"></progress></td>'
        f"<td>{one.ended}/{one.planned} edits</td><td>{trouble}</td><td>{cost}</td></tr>"
    )


def notebook_output() -> Show | None:
    """A new place in the output of the running cell, or None outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not getattr(shell, "kernel", None):
        return None
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)
    return lambda text: handle.update(HTML(text))
