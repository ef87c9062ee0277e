"""The region where each return differs most from its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from convergebench.analysis import Results
from convergebench.metrics.flip import WorstBox
from convergebench.results.records import Records
from convergebench.types import Digest

METRIC = "flip_peak"
"""The box is stored as the detail of this metric."""


class WorstRegion(NamedTuple):
    source: Digest
    box: WorstBox
    """In pixels of the source."""


WorstRegions: TypeAlias = Mapping[tuple[str, Digest], WorstRegion]
"""By case and return."""


def worst_regions(records: Records, results: Results) -> WorstRegions:
    """For all returns that were measured by region."""
    details = records.details(METRIC)
    if not details:
        return {}
    sources = {
        one.case.id: source
        for one, source in records.beginnings(results.suite)
        if one.protocol == results.protocol
    }
    return {
        (item.case, item.digest): WorstRegion(sources[item.case], WorstBox(*json.loads(detail)["box"]))
        for item in results.returns
        if item.case in sources and (detail := details.get((sources[item.case], item.digest)))
    }
