"""The progress of a run, drawn where its user looks: in a terminal or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from convergebench.engine import RunProgress


@contextmanager
def drawn_progress() -> Iterator[RunProgress | None]:
    """Bars in a notebook or on a terminal; None elsewhere, as in a log file."""
    from convergebench.run_progress.notebook import NotebookProgress, notebook_output
    from convergebench.run_progress.terminal import ProgressBars

    if output := notebook_output():
        with NotebookProgress(output) as progress:
            yield progress
    elif sys.stderr.isatty():
        with ProgressBars() as bars:
            yield bars
    else:
        yield None
