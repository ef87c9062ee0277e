from __future__ import annotations

import numpy as np
import pytest

from convergebench.metrics._median import median


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (2,), (3,), (8,), (801,), (20, 30), (21, 31)])
def test_the_median_is_numpys_to_the_bit(shape: tuple[int, ...], kind: type) -> None:
    values = np.random.default_rng(len(shape)).standard_normal(shape).round(2).astype(kind)
    assert median(values) == float(np.median(values))
