"""Measurements of a chain by region: where each edit is visible, and what its return undid and preserved."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, SessionTurnPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.engine.measuring.region_batch import Found, RegionItem, measured_together
from convergebench.engine.measuring.region_pictures import RegionPictures
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics import MetricSet, flip, regions
from convergebench.metrics.base import Reading
from convergebench.metrics.metric_set import FINAL, PART, cores
from convergebench.metrics.regions import (
    LocatedEdit,
    ReturnRegions,
    TurnRegions,
    edit_evidence,
    measure_return,
    measure_turn,
    takes_pixels,
)
from convergebench.picture import Picture
from convergebench.store import MeasurementKey
from convergebench.types import Measurement, MetricFacts, PictureFacts

log = logging.getLogger("convergebench")


class RegionMeasurer:
    """Measures forward edits, returns and turns. Earlier footprints are cached, or computed again."""

    def __init__(
        self,
        wanted: Sequence[MetricFacts],
        open_picture: Callable[[PictureFacts], Picture],
        metric_set: MetricSet,
    ) -> None:
        self._wanted = {facts.name: facts for facts in wanted}
        self._has_weights = metric_set.has_weights
        self._pictures = RegionPictures(open_picture, metric_set)
        self._on_gpu = cache(metric_set.regions_on_gpu)

    def lacks(self, item: RegionItem, known: Mapping[MeasurementKey, bool]) -> bool:
        """Whether some metric was never tried, or lacked weights then and has them now."""
        if not self._wanted:
            return False
        return any(self._is_open(key, known) for key in self._keys(item))

    def _is_open(self, key: MeasurementKey, known: Mapping[MeasurementKey, bool]) -> bool:
        there = known.get(key)
        if there is None:
            return True
        name = key[2]
        return not there and self._wanted[name].needs_weights and self._has_weights(name)

    def measure(self, items: Sequence[RegionItem]) -> list[Row]:
        """On a GPU together, and what is left of that on the processor's cores."""
        device = self._on_gpu()
        if device is None:
            return self._one_by_one(items)
        found = measured_together(items, self._pictures, device)
        slow = [place for place, item in enumerate(items) if found[place] is None or _takes_long(item)]
        parts = [slow[start : start + PART] for start in range(0, len(slow), PART)]
        of_slow = cores().map(
            self._one_by_one,
            [[items[place] for place in part] for part in parts],
            [[found[place] for place in part] for part in parts],
        )
        quick = sorted(set(range(len(items))) - set(slow))
        rows = self._one_by_one([items[place] for place in quick], [found[place] for place in quick])
        return rows + [row for part in of_slow for row in part]

    def _one_by_one(self, items: Sequence[RegionItem], found: Sequence[Found] | None = None) -> list[Row]:
        each = zip(items, found or [None] * len(items), strict=True)
        return [row for item, known in each for row in self._measured(item, known)]

    def _measured(self, item: RegionItem, found: Found) -> list[Row]:
        """`found`: what is known of it."""
        try:
            return self._of_item(item, found)
        except WorkspaceError as error:
            log.warning("not measured: %s", error)  # it says nothing about the pictures; tried again later
            return []
        except BadPicture as error:
            return [
                (reference, picture, Measurement(name, version, None, str(error), self._final(name)))
                for reference, picture, name, version in self._keys(item)
            ]

    def _of_item(self, item: RegionItem, found: Found) -> list[Row]:
        if isinstance(item, ForwardPicture):
            return self._of_forward(item, found if isinstance(found, LocatedEdit) else None)
        if isinstance(item, SessionTurnPicture):
            return self._of_turn(item)
        regions_of_item = found if isinstance(found, ReturnRegions) else self._regions_of(item)
        return self._rows(item, _readings(regions_of_item), _details(regions_of_item))

    def _keys(self, item: RegionItem) -> list[MeasurementKey]:
        """Reference, picture, metric and version of all required measurements of an item."""
        if isinstance(item, ForwardPicture):
            places = {regions.FOOTPRINT: item.input.digest, regions.EDIT_EVIDENCE: item.context}
            picture = item.forward.digest
        elif isinstance(item, SessionTurnPicture):
            places = {regions.FOOTPRINT: item.input.digest, **dict.fromkeys(regions.OF_TURN, item.context)}
            places |= dict.fromkeys(flip.NAMES, item.source.digest)
            picture = item.picture.digest
        else:
            places = dict.fromkeys(regions.OF_RETURN, item.context)
            places |= dict.fromkeys(flip.NAMES, item.source.digest)
            picture = item.returned.digest
        return [
            (reference, picture, name, self._wanted[name].version)
            for name, reference in places.items()
            if name in self._wanted
        ]

    def _of_forward(self, item: ForwardPicture, edit: LocatedEdit | None) -> list[Row]:
        edit = edit or self._pictures.located(item.source, item.input, item.forward, item.category)
        answer, reason = edit_evidence(edit, self._pictures.fitted(item.source, item.forward), item.pair)
        readings: dict[str, Reading] = {
            regions.FOOTPRINT: edit.footprint.share,
            regions.EDIT_EVIDENCE: reason if answer == "unknown" else float(answer == "yes"),
        }
        mask = base64.b85encode(edit.footprint.to_bytes()).decode()
        return self._rows(item, readings, {regions.FOOTPRINT: json.dumps({"mask": mask})})

    def _regions_of(self, item: ChainReturn) -> ReturnRegions:
        edit = self._pictures.located(item.source, item.input, item.forward, item.category)
        earlier = [self._pictures.footprint(item.source, *pair, item.category) for pair in item.earlier]
        source = self._pictures.reference(item.source, item.source)
        return measure_return(source, edit, self._pictures.reference(item.source, item.returned), earlier)

    def _of_turn(self, item: SessionTurnPicture) -> list[Row]:
        edit = self._pictures.located(item.source, item.input, item.picture, item.task)
        earlier = [self._pictures.footprint(item.source, *turn) for turn in item.earlier]
        source = self._pictures.reference(item.source, item.source)
        found = measure_turn(
            source, edit, self._pictures.fitted(item.source, item.picture), earlier, whole=item.whole
        )
        readings = {name: getattr(found, name) for name in (regions.FOOTPRINT, *regions.OF_TURN, *flip.NAMES)}
        mask = base64.b85encode(edit.footprint.to_bytes()).decode()
        return self._rows(item, readings, {regions.FOOTPRINT: json.dumps({"mask": mask}), **_kept_in(found)})

    def _rows(
        self,
        item: RegionItem,
        readings: Mapping[str, Reading],
        details: Mapping[str, str],
    ) -> list[Row]:
        rows: list[Row] = []
        for reference, picture, name, version in self._keys(item):
            reading = readings[name]
            value, missing = (None, reading) if isinstance(reading, str) else (reading, None)
            detail = self._final(name) if missing == regions.NO_EDIT else details.get(name)
            rows.append((reference, picture, Measurement(name, version, value, missing, detail)))
        return rows

    def _final(self, name: str) -> str | None:
        """For a metric with weights: the reason lies in the pictures, not in missing weights."""
        return FINAL if self._wanted[name].needs_weights else None


def _takes_long(item: RegionItem) -> bool:
    return isinstance(item, ForwardPicture) and takes_pixels(item.pair)


def _readings(found: ReturnRegions) -> dict[str, Reading]:
    return {name: getattr(found, name) for name in (*regions.OF_RETURN, *flip.NAMES)}


def _details(found: ReturnRegions) -> dict[str, str]:
    """The histograms that thresholds can be chosen from later, and where the picture differs most."""
    return {**_kept_in(found), "flip_peak": json.dumps({"box": found.worst})}


def _kept_in(found: ReturnRegions | TurnRegions) -> dict[str, str]:
    return {"kept": json.dumps({"inside": found.inside, "outside": found.outside})}
