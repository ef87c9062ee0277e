"""The service by which processes share a GPU, with a command that writes down what it is asked."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.engine.measuring import gpu_sharing
from convergebench.engine.measuring.gpu_sharing import COMMAND, GpuSharing, start_sharing
from convergebench.engine.measuring.measured_apart import MeasuringProcesses
from convergebench.engine.measuring.picture_passing import can_pass_pictures
from convergebench.engine.measuring.process_messages import Setup
from convergebench.metrics import MetricOptions

SCRIPT = """#!/bin/sh
if [ "$1" = -d ]; then echo "start $CUDA_MPS_PIPE_DIRECTORY ${CUDA_VISIBLE_DEVICES-all}" >> "$SAID"
else echo "$(cat) $CUDA_MPS_PIPE_DIRECTORY" >> "$SAID"; fi
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the command was asked, a line each."""
    command = tmp_path / "bin" / COMMAND
    command.parent.mkdir()
    command.write_text(SCRIPT)
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("SAID", str(tmp_path / "said"))
    monkeypatch.delenv("CUDA_MPS_PIPE_DIRECTORY", raising=False)
    monkeypatch.setattr(gpu_sharing, "_USUAL_FOLDER", tmp_path / "nvidia-mps")
    return tmp_path / "said"


def wait_for(is_done: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_done():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_service_of_all_gpus_starts_and_ends_with_its_object(
    said: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    sharing = start_sharing()
    assert sharing is not None
    folder = sharing.environment["CUDA_MPS_PIPE_DIRECTORY"]
    assert said.read_text() == f"start {folder} all\n"
    assert Path(folder).is_dir()
    del sharing
    gc.collect()
    wait_for(lambda: not Path(folder).exists())
    assert said.read_text() == f"start {folder} all\nquit -t 1 {folder}\n"


def test_the_service_ends_when_its_process_is_killed(said: Path) -> None:
    program = f"from {gpu_sharing.__name__} import *; kept = GpuSharing(); print('up', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: "quit" in said.read_text())


def test_a_service_that_is_already_used_is_left_alone(said: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", "/somewhere")
    assert start_sharing() is None
    monkeypatch.delenv("CUDA_MPS_PIPE_DIRECTORY")
    (said.parent / "nvidia-mps").mkdir()
    assert start_sharing() is None
    assert not said.exists()


def test_a_service_that_does_not_start_is_none(said: Path) -> None:
    (said.parent / "bin" / COMMAND).write_text("#!/bin/sh\nexit 1\n")
    assert start_sharing() is None


def test_without_the_command_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert start_sharing() is None


@pytest.mark.skipif(not can_pass_pictures(), reason="this system has no such memory")
def test_processes_that_cannot_load_with_the_service_are_started_without(
    said: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sharing = GpuSharing()
    sharing.environment = {"PYTHONHASHSEED": "not a number"}  # with which Python does not start
    setup = Setup(("returns",), ("psnr",), MetricOptions(device="cpu"), str(tmp_path))
    processes = MeasuringProcesses(setup, 2, lambda: sharing)
    with caplog.at_level(logging.WARNING):
        processes.wait_until_loaded()
    assert [process.reason for process in processes.started] == [None, None]
    assert "cannot be shared" in caplog.text
