"""How much of the time a GPU works."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def busy_share() -> Iterator[list[float]]:
    """Percent of the time in which the device ran a kernel, sampled; empty without nvidia-smi."""
    samples: list[float] = []
    command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "500"]
    try:
        watching = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        yield samples
        return
    yield samples
    watching.terminate()
    # The first and last samples reach into what was before and after.
    samples += [float(line) for line in watching.communicate()[0].split()][2:-1]
