"""Measurements by region at another threshold of visibility, from the stored histograms of their maps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convergebench.metrics.regions.map_parts import KEPT_SPAN, mean_ramp, share_above
from convergebench.results.pair_values import PairValues
from convergebench.results.records import Records
from convergebench.types import Digest, Measurement

_HISTOGRAMS_OF = "kept"
_OTHER_THRESHOLD = "registered pictures were compared at the usual threshold only"


@dataclass(frozen=True)
class ValuesVisibleFrom:
    """Stored measurements, with `kept`, `collateral` and `rewritten` of differences from this value on."""

    stored: PairValues
    histograms: Mapping[tuple[Digest, Digest], str]
    visible: float

    def of(self, reference: Digest, picture: Digest) -> Mapping[str, Measurement]:
        measured, detail = self.stored.of(reference, picture), self.histograms.get((reference, picture))
        return (
            measured if detail is None else {**measured, **self._at_threshold(measured, json.loads(detail))}
        )

    def of_each(
        self, references: Sequence[Digest | None], pictures: Sequence[Digest | None]
    ) -> list[Mapping[str, Measurement]]:
        """The same of each pair; empty for one without a reference or a picture."""
        pairs = zip(references, pictures, strict=True)
        return [self.of(reference, picture) if reference and picture else {} for reference, picture in pairs]

    def _at_threshold(
        self, measured: Mapping[str, Measurement], counts: Mapping[str, list[int]]
    ) -> dict[str, Measurement]:
        """Only of values that are there. A rest that counts as lost, whatever it looks like, stays lost."""
        inside, outside = counts["inside"], counts["outside"]
        found = {
            "collateral": share_above(outside, self.visible),
            "rewritten": share_above(inside, self.visible),
        }
        kept, registered = measured.get("kept"), measured.get("kept_registered")
        if kept is not None and kept.value:
            found["kept"] = 1 - mean_ramp(outside, self.visible, KEPT_SPAN)
            if registered is not None and registered.value == kept.value:
                found["kept_registered"] = found["kept"]
            elif registered is not None and registered.value is not None:
                unknown = registered._replace(value=None, missing=_OTHER_THRESHOLD)
                return {**self._replaced(measured, found), "kept_registered": unknown}
        return self._replaced(measured, found)

    def _replaced(
        self, measured: Mapping[str, Measurement], found: Mapping[str, float]
    ) -> dict[str, Measurement]:
        there = {name: measured[name] for name in found if name in measured}
        return {name: one._replace(value=found[name]) for name, one in there.items() if one.value is not None}


def values_visible_from(records: Records, visible: float) -> ValuesVisibleFrom:
    """Returns without a histogram, as those of an older version, keep their values."""
    return ValuesVisibleFrom(records.pair_values, records.details(_HISTOGRAMS_OF), visible)
