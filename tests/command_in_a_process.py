"""One command of the program in a process of its own, started from a server that has imported it already.

The function is outside the test modules, since a new process can import what is on the path, and with
`--import-mode=importlib` the test modules are not.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
from multiprocessing.context import ForkServerProcess

from convergebench.cli.main import code_of

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["convergebench.cli.main", "convergebench.api", "dying_editor"])


def command_in_a_process(command: list[str], environment: dict[str, str]) -> ForkServerProcess:
    """The process, started."""
    process = _PROCESSES.Process(target=_run, args=(command, environment))
    process.start()
    return process


def _run(command: list[str], environment: dict[str, str]) -> None:
    os.environ.update(environment)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code_of(command)
