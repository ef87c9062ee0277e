"""Which GPU is here, and how much of the time it works."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


def gpu_name() -> str | None:
    """The name of the first GPU, such as NVIDIA H200; None without one."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return next(iter(listed.stdout.splitlines()), None)


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
