"""Another threshold of visibility, from stored histograms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convergebench
from convergebench.analysis import ranking
from convergebench.metrics.regions.map_parts import BINS, map_parts, mean_ramp, share_above
from convergebench.metrics.regions.maps import ramp
from convergebench.picture import Picture
from convergebench.report import ranking_notes
from made_pictures import textured


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.6), st.floats(0.05, 0.4))
def test_shares_and_ramps_of_a_histogram_are_those_of_its_map(
    seed: int, threshold: float, span: float
) -> None:
    values = np.random.default_rng(seed).beta(1, 6, (40, 50)).astype(np.float32)
    whole, _ = map_parts(values, np.ones(values.shape, bool))
    in_its_bin = whole.histogram[min(int(threshold * BINS), BINS - 1)] / values.size
    assert share_above(whole.histogram, threshold) == pytest.approx(
        np.mean(values > threshold), abs=in_its_bin + 1e-6
    )
    assert mean_ramp(whole.histogram, threshold, span) == pytest.approx(
        ramp(values, threshold, span).mean(), abs=1 / (128 * span) + 1e-6
    )


def test_a_higher_threshold_keeps_more_and_the_usual_one_what_was_measured(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "anna.png").write_bytes(Picture.from_pixels(textured()).encoded)
    done = convergebench.run(
        "noise?sigma=12", f"folder:{tmp_path}/pictures", 1, limit=1, metrics=["kept", "collateral"],
        workspace=tmp_path / "results",
    )  # fmt: skip

    def value(name: str, visible: float | None) -> float:
        (item,) = done.results(visible=visible).returns
        found = item.values[name].value
        assert found is not None
        return found

    for name, tolerance in (("kept", 0.04), ("collateral", 0.15)):
        assert value(name, 0.10) == pytest.approx(value(name, None), abs=tolerance)
    assert value("kept", 0.05) < value("kept", None) < value("kept", 0.2)
    assert value("collateral", 0.05) > value("collateral", None) > value("collateral", 0.2)
    said = "Differences outside the edit count from 0.2 on, instead of 0.1."
    assert said in ranking_notes(ranking(done.results(visible=0.2), "kept"))
    assert said not in ranking_notes(ranking(done.results(), "kept"))
