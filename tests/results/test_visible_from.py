"""Another threshold of visibility, from stored histograms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench.metrics.regions.map_parts import BINS, map_parts, mean_ramp, share_above
from convergebench.metrics.regions.maps import ramp


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
