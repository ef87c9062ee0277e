"""The percentage of yes answers, with an interval that remains valid if all answers are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean
from convergebench.analysis.statistics.confidence import CONFIDENCE


def percentage(answers: Sequence[bool], clusters: Sequence[str]) -> Interval | None:
    """The percentage of yes among the answers, with an interval by cluster; None if there is no answer.

    Resampling equal answers gives an interval of zero width. If all answers are equal, the Clopper–Pearson
    interval is used instead, with a cluster as one trial: 0 of 10 may be up to 31 % of all.

    >>> percentage([False] * 10, list("abcdefghij"))
    Interval(mean=0.0, low=0.0, high=30.8..., n=10, clusters=10)
    """
    if not answers:
        return None
    share = clustered_mean(100 * np.asarray(answers, np.float64), clusters, possible=(0.0, 100.0))
    if share.low is None or len(set(answers)) > 1:
        return share
    reach = 100 * (1 - ((1 - CONFIDENCE) / 2) ** (1 / share.clusters))
    if answers[0]:
        return replace(share, low=100 - reach, high=100.0)
    return replace(share, low=0.0, high=reach)
