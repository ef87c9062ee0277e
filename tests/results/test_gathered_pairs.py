from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from convergebench.errors import WorkspaceError
from convergebench.results import Records
from convergebench.results.pair_values import PairValues, read_pair_values
from convergebench.store import Workspace
from convergebench.types import Measurement


@pytest.fixture
def measured(workspace: Workspace) -> Workspace:
    """Several references, a value that is missing, one by an older version, and a metric that has gaps."""
    for number in range(700):
        found = [Measurement("psnr", "1", number / 7)]
        if number % 3 == 0:
            found.append(Measurement("ssim", "1", None, "too small"))
        elif number % 3 == 1:
            found += [Measurement("ssim", "1", 1 / (1 + number)), Measurement("lpips", "0", 0.5)]
        pair = f"{number // 600:064}", f"{number:064}"
        workspace.record_measurements([(*pair, one) for one in found]).result()
    return workspace


def everything(values: PairValues) -> dict[tuple[str, str], dict[str, Measurement]]:
    return {pair: dict(found) for pair, found in values.items()}


def gathered(workspace: Workspace) -> PairValues:
    records = Records(workspace)
    with records.gathering_pairs():
        return records.pair_values


def test_pairs_that_were_gathered_are_those_that_are_read_directly(measured: Workspace) -> None:
    directly = everything(read_pair_values(measured, Records(measured).newest_versions))
    assert len(directly) == 700
    assert everything(gathered(measured)) == directly


def test_without_room_for_a_table_they_are_read_directly(
    measured: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    directly = everything(read_pair_values(measured, Records(measured).newest_versions))

    def keep(*_: object) -> None:
        raise WorkspaceError("no space left")

    monkeypatch.setattr(Workspace, "keep", keep)
    assert everything(gathered(measured)) == directly


def test_a_copy_in_memory_is_read_directly(measured: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    directly = everything(read_pair_values(measured, Records(measured).newest_versions))
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    measured._connection.backup(copy)
    copy.row_factory = sqlite3.Row
    monkeypatch.setattr(measured, "_connection", copy)
    assert measured.beside() is None
    assert everything(gathered(measured)) == directly


def test_they_are_gathered_once_and_the_connection_is_closed(
    measured: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Workspace] = []
    beside: Callable[[Workspace], Workspace | None] = Workspace.beside

    def remembered(workspace: Workspace) -> Workspace | None:
        found = beside(workspace)
        assert found is not None
        opened.append(found)
        return found

    monkeypatch.setattr(Workspace, "beside", remembered)
    records = Records(measured)
    for _ in range(2):
        with records.gathering_pairs():
            assert len(records.pair_values) == 700
    assert len(opened) == 1
    with pytest.raises(sqlite3.ProgrammingError):
        opened[0].query("SELECT 1")
