"""Where kernels cannot run, the forms for torch must."""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from convergebench.metrics._gpu import base
from late_import import torch

PROBE = "convergebench.metrics._gpu.probe_kernel"


@pytest.fixture(autouse=True)
def unknown_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_launches_kernels", base._launches_kernels.__wrapped__)


def on_cuda() -> Any:
    return SimpleNamespace(is_cuda=True, device="cuda:0")


def test_kernels_run_where_one_can_be_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PROBE, SimpleNamespace(launched=lambda device: 1))
    assert base.has_kernels(on_cuda())
    assert not base.has_kernels(torch.zeros(1))


def test_without_a_compiler_there_are_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def launched(device: object) -> None:
        raise RuntimeError("Failed to find C compiler")

    monkeypatch.setitem(sys.modules, PROBE, SimpleNamespace(launched=launched))
    with caplog.at_level(logging.WARNING, "convergebench"):
        assert not base.has_kernels(on_cuda())
    assert "Failed to find C compiler" in caplog.text


def test_without_triton_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PROBE, None)
    assert not base.has_kernels(on_cuda())
