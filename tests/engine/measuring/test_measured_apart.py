"""Measuring in other processes: the same values, whatever happens to those processes."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from convergebench.engine.measuring import measured_apart
from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, Item, Kind, PicturePair
from convergebench.engine.measuring.measured_apart import MeasuredApart, MeasuringProcesses, OnCores
from convergebench.engine.measuring.measurement_queue import Measurer, Row
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.measuring.measuring_process import MeasuringProcess
from convergebench.engine.measuring.picture_passing import can_pass_pictures
from convergebench.engine.measuring.process_messages import Setup
from convergebench.errors import WorkspaceError
from convergebench.metrics import MetricOptions, MetricSet, groups
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import PictureFacts
from drawn_chains import disc_mask, painted, room
from made_pictures import textured

pytestmark = pytest.mark.skipif(not can_pass_pictures(), reason="this system has no such memory")

NAMES = ("psnr", "ssim", "delta_e", *(name for name in groups()["regions"] if name != "undid"))
KINDS: tuple[Kind, ...] = ("returns", "regions")
CPU = MetricOptions(device="cpu")
"""The processes measure as they do on a GPU, but for the device."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace.create(tmp_path_factory.mktemp("apart") / "results") as workspace:
        yield workspace


@pytest.fixture(scope="module")
def here(workspace: Workspace) -> Measurers:
    return Measurers.here(MetricSet(NAMES, CPU), workspace.pictures)


@pytest.fixture(scope="module")
def processes(workspace: Workspace) -> MeasuringProcesses:
    started = MeasuringProcesses(setup_for(workspace), 2)
    started.wait_until_loaded()
    return started


def setup_for(workspace: Workspace, options: MetricOptions = CPU) -> Setup:
    return Setup(KINDS, NAMES, options, workspace.pictures.place)


def items_of(kind: Kind, seeds: Sequence[int] = range(4)) -> list[Item]:
    items: list[Item] = []
    for seed in seeds:
        source, forward = room(), painted(room(), disc_mask())
        source[:8, :8] = forward[:8, :8] = seed  # another source
        returned = source.copy()
        returned[::2] ^= 1
        pictures = [Picture.from_pixels(pixels) for pixels in (source, forward, returned)]
        context = f"{seed:064x}"
        if kind == "returns":
            items.append(PicturePair(pictures[0], pictures[2]))
        else:
            of_edit = (pictures[0], pictures[0], pictures[1])
            items.append(ForwardPicture(*of_edit, "accessory_glasses", "accessories", context))
            items.append(ChainReturn(*of_edit, pictures[2], "accessories", context, ()))
    return items


def in_order(rows: Sequence[Row]) -> list[str]:
    return sorted(map(repr, rows))


class Counting:
    """Counts what is measured here."""

    def __init__(self, measurer: Measurer[Any]) -> None:
        self.lacks, self._measurer = measurer.lacks, measurer
        self.measured = 0

    def measure(self, items: Sequence[Item]) -> list[Row]:
        self.measured += len(items)
        return self._measurer.measure(items)


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_this_process(kind: Kind, here: Measurers, processes: MeasuringProcesses) -> None:
    otherwise = Counting(here.by_kind[kind])
    items = items_of(kind)
    rows = MeasuredApart(kind, processes, None, otherwise).measure(items)
    assert in_order(rows) == in_order(here.by_kind[kind].measure(items))
    assert otherwise.measured == 0


def test_sources_are_divided_evenly_and_each_goes_to_one_process(processes: MeasuringProcesses) -> None:
    items = items_of("regions", range(10, 18))
    parts = processes.divided(items)
    assert sorted(len(part) for part in parts.values()) == [8, 8]
    assert all(processes.divided(part).keys() == {process} for process, part in parts.items())


def test_a_picture_that_cannot_be_read_is_left_to_this_process(
    here: Measurers, processes: MeasuringProcesses, workspace: Workspace
) -> None:
    def lost() -> bytes:
        raise WorkspaceError("the picture is lost")

    good = items_of("returns")
    away = Picture(PictureFacts("f" * 64, 8, 8, "image/png"), load=lost)
    otherwise = Counting(here.by_kind["returns"])
    rows = MeasuredApart("returns", processes, None, otherwise).measure([PicturePair(away, away), *good])
    assert in_order(rows) == in_order(here.by_kind["returns"].measure(good))
    assert otherwise.measured == 1


def test_a_small_room_takes_longer_and_gives_the_same(workspace: Workspace, here: Measurers) -> None:
    process = MeasuringProcess(setup_for(workspace), room_bytes=2 * room().nbytes)
    items = items_of("returns")
    rows = [row for future in process.submit("returns", items) for row in future.result(timeout=120)]
    assert in_order(rows) == in_order(here.by_kind["returns"].measure(items))


def test_what_a_killed_process_did_not_measure_is_measured_here(
    workspace: Workspace, here: Measurers, caplog: pytest.LogCaptureFixture
) -> None:
    others = set(psutil.Process().children())
    processes = MeasuringProcesses(setup_for(workspace), 1)
    measurer = MeasuredApart("returns", processes, None, here.by_kind["returns"])
    items = items_of("returns")
    expected = in_order(here.by_kind["returns"].measure(items))
    assert in_order(measurer.measure(items)) == expected
    [killed] = set(psutil.Process().children()) - others
    killed.kill()
    with caplog.at_level(logging.WARNING):
        assert in_order(measurer.measure(items)) == expected
    assert processes.started[0].reason is not None
    assert in_order(measurer.measure(items)) == expected


def test_without_a_device_this_process_measures(workspace: Workspace, here: Measurers) -> None:
    processes = MeasuringProcesses(setup_for(workspace, MetricOptions(device="cuda")), 1)
    otherwise = Counting(here.by_kind["returns"])
    rows = MeasuredApart("returns", processes, None, otherwise).measure(items_of("returns"))
    assert len(rows) == 12 and otherwise.measured == 4
    assert "CUDA" in str(processes.started[0].reason)


def test_until_the_processes_have_loaded_this_one_measures(workspace: Workspace, here: Measurers) -> None:
    processes = MeasuringProcesses(setup_for(workspace), 1)
    meanwhile = Counting(OnCores(here.by_kind["returns"]))
    measurer = MeasuredApart("returns", processes, meanwhile, here.by_kind["returns"])
    items = items_of("returns")
    assert in_order(measurer.measure(items)) == in_order(here.by_kind["returns"].measure(items))
    assert meanwhile.measured == 4
    processes.wait_until_loaded()
    measurer.measure(items)
    assert meanwhile.measured == 4


def test_few_results_start_no_process(
    workspace: Workspace, here: Measurers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> NoReturn:
        pytest.fail("the device was asked, which takes as long as measuring a picture")

    monkeypatch.setattr(measured_apart, "START_SECONDS", 600.0)
    processes = MeasuringProcesses(setup_for(workspace), 2, share=asked, fitting=asked)
    meanwhile = Counting(OnCores(here.by_kind["returns"]))
    measurer = MeasuredApart("returns", processes, meanwhile, here.by_kind["returns"])
    for _ in range(3):
        measurer.measure(items_of("returns"))
    assert meanwhile.measured == 12
    assert processes.started == []


def test_no_more_processes_are_started_than_the_device_has_memory_for(workspace: Workspace) -> None:
    processes = MeasuringProcesses(setup_for(workspace), 3, fitting=lambda: 1)
    processes.wait_until_loaded()
    assert [process.reason for process in processes.started] == [None]


def test_where_the_device_has_no_memory_left_the_run_measures(
    workspace: Workspace, here: Measurers, caplog: pytest.LogCaptureFixture
) -> None:
    processes = MeasuringProcesses(setup_for(workspace), 3, fitting=lambda: 0)
    otherwise = Counting(here.by_kind["returns"])
    measurer = MeasuredApart("returns", processes, None, otherwise)
    with caplog.at_level(logging.WARNING, "convergebench"):
        for _ in range(2):
            assert len(measurer.measure(items_of("returns"))) == 12
    assert (processes.started, otherwise.measured) == ([], 8)
    assert caplog.text.count("too little memory of the GPU is free") == 1


def test_the_other_processes_are_started_when_the_first_has_loaded(
    workspace: Workspace, here: Measurers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured_apart, "START_SECONDS", 0.0)
    processes = MeasuringProcesses(setup_for(workspace), 2)
    measurer = MeasuredApart("returns", processes, here.by_kind["returns"], here.by_kind["returns"])
    items = items_of("returns")
    expected = in_order(here.by_kind["returns"].measure(items))
    assert in_order(measurer.measure(items)) == expected
    [first] = processes.started
    first.settled.wait()
    assert in_order(measurer.measure(items)) == expected
    assert len(processes.started) == 2
    processes.wait_until_loaded()
    assert in_order(measurer.measure(items)) == expected


def test_processes_end_with_what_started_them(workspace: Workspace) -> None:
    before = set(psutil.Process().children())
    processes = MeasuringProcesses(setup_for(workspace), 2)
    processes.wait_until_loaded()
    started = set(psutil.Process().children()) - before
    assert len(started) == 2
    del processes
    gc.collect()
    psutil.wait_procs(started, timeout=60)
    assert not any(child.is_running() for child in started)


def test_log_records_reach_this_process(
    workspace: Workspace, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    process = MeasuringProcess(setup_for(workspace))
    process.settled.wait()
    missing = PictureFacts("e" * 64, 8, 8, "image/png")
    picture = Picture.from_pixels(textured(width=8, height=8, seed=1))
    item = ChainReturn(picture, picture, picture, picture, "accessories", "c" * 64, ((missing, missing),))
    with caplog.at_level(logging.WARNING, "convergebench"):
        [future] = process.submit("regions", [item])
        assert future.result(timeout=120) == []
    assert "not measured" in caplog.text
