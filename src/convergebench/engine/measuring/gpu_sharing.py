"""NVIDIA's Multi-Process Service, by which several processes use a GPU at the same time.

Without it they take turns, and a GPU that works on a small kernel of one of them is half empty.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

COMMAND = "nvidia-cuda-mps-control"
_FOLDER, _LOGS = "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"
_USUAL_FOLDER = Path("/tmp/nvidia-mps")
_SERVICE = f'{COMMAND} -d && {{ echo started; read _; echo quit -t 1 | {COMMAND}; }}; rm -rf "${_FOLDER}"'
"""The end of its input ends the service, so that it ends with this process, however that ends."""


class GpuSharing:
    """A service of our own, as long as this object."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="convergebench-mps-")
        self.environment: Mapping[str, str] = {_FOLDER: folder, _LOGS: folder}
        """For the processes that are to share the GPU."""
        others = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        self._shell = subprocess.Popen(
            ["sh", "-c", _SERVICE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**others, **self.environment},  # of all GPUs: it would number the visible ones anew
            start_new_session=True,  # an interrupt is for the run
        )  # fmt: skip
        assert self._shell.stdin is not None and self._shell.stdout is not None
        self.has_started = self._shell.stdout.readline() == b"started\n"
        weakref.finalize(self, self._shell.stdin.close)


def can_share() -> bool:
    return shutil.which(COMMAND) is not None


def start_sharing() -> GpuSharing | None:
    """None where there is no such service, or where one is already used."""
    if not can_share() or _FOLDER in os.environ or _USUAL_FOLDER.exists():
        return None
    sharing = GpuSharing()
    return sharing if sharing.has_started else None
