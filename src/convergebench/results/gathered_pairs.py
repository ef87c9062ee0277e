"""Measurements grouped by pair of pictures on another core, while this one reads the rest.

SQLite needs Python's interpreter lock for each row that it returns, and a query of many rows on a second
thread would hold up the first. A statement that keeps its rows in a table needs no lock until its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from convergebench.errors import WorkspaceError
from convergebench.results.pair_values import PairValues, gather_pairs, read_pair_values
from convergebench.store import Workspace


@contextmanager
def gathered_pairs(workspace: Workspace, newest: Mapping[str, str]) -> Iterator[Callable[[], PairValues]]:
    """Begins to group them. The function that it gives waits for them and reads them."""
    beside = workspace.beside()
    if beside is None:
        yield lambda: read_pair_values(workspace, newest)
        return
    with beside, ThreadPoolExecutor(1) as thread:
        gathering = thread.submit(gather_pairs, beside, newest)

        def read() -> PairValues:
            try:
                gathered = gathering.result()
            except WorkspaceError:  # such as a full disk for temporary files
                return read_pair_values(workspace, newest)
            return read_pair_values(beside, newest, gathered)

        yield read
