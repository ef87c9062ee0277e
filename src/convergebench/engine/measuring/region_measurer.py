"""Measurements of a chain by region: where each edit is visible, and what its return undid and preserved."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.lru_cache import LruCache
from convergebench.metrics import flip, regions
from convergebench.metrics.base import Reading
from convergebench.metrics.flip import flip_map, flip_source
from convergebench.metrics.regions import (
    Footprint,
    LocatedEdit,
    ReferencePicture,
    ReturnRegions,
    edit_evidence,
    edit_scope,
    locate_edit,
    measure_return,
)
from convergebench.picture import Picture, resized_to
from convergebench.store import MeasurementKey
from convergebench.types import Digest, Measurement, MetricFacts, PictureFacts, Pixels

log = logging.getLogger("convergebench")


class RegionMeasurer:
    """Measures forward edits and returns. Footprints of earlier rounds are cached, or computed again."""

    def __init__(
        self, wanted: Sequence[MetricFacts], open_picture: Callable[[PictureFacts], Picture]
    ) -> None:
        self._wanted = {facts.name: facts for facts in wanted}
        self._open = open_picture
        self._references: LruCache[Digest, ReferencePicture] = LruCache(count=16)
        self._edits: LruCache[tuple[Digest, Digest, str], LocatedEdit] = LruCache(count=16)
        self._footprints: LruCache[tuple[Digest, Digest, str], Footprint] = LruCache(count=4096)

    def lacks(self, item: ForwardPicture | ChainReturn, known: Mapping[MeasurementKey, bool]) -> bool:
        if not self._wanted:
            return False
        return any(key not in known for key in self._keys(item))

    def measure(self, items: Sequence[ForwardPicture | ChainReturn]) -> list[Row]:
        rows: list[Row] = []
        for item in items:
            try:
                rows += self._of_forward(item) if isinstance(item, ForwardPicture) else self._of_return(item)
            except WorkspaceError as error:
                log.warning(
                    "not measured: %s", error
                )  # it says nothing about the pictures; tried again later
            except BadPicture as error:
                rows += [
                    (reference, picture, Measurement(name, version, None, str(error)))
                    for reference, picture, name, version in self._keys(item)
                ]
        return rows

    def _keys(self, item: ForwardPicture | ChainReturn) -> list[MeasurementKey]:
        """Reference, picture, metric and version of all required measurements of an item."""
        if isinstance(item, ForwardPicture):
            places = {regions.FOOTPRINT: item.input.digest, regions.EDIT_EVIDENCE: item.context}
            picture = item.forward.digest
        else:
            places = dict.fromkeys(regions.OF_RETURN, item.context)
            places |= dict.fromkeys(flip.NAMES, item.source.digest)
            picture = item.returned.digest
        return [
            (reference, picture, name, self._wanted[name].version)
            for name, reference in places.items()
            if name in self._wanted
        ]

    def _of_forward(self, item: ForwardPicture) -> list[Row]:
        edit = self._located(item.source, item.input, item.forward, item.category)
        answer, reason = edit_evidence(edit, self._fitted(item.source, item.forward), item.pair)
        readings: dict[str, Reading] = {
            regions.FOOTPRINT: edit.footprint.share,
            regions.EDIT_EVIDENCE: reason if answer == "unknown" else float(answer == "yes"),
        }
        mask = base64.b85encode(edit.footprint.to_bytes()).decode()
        return self._rows(item, readings, {regions.FOOTPRINT: json.dumps({"mask": mask})})

    def _of_return(self, item: ChainReturn) -> list[Row]:
        edit = self._located(item.source, item.input, item.forward, item.category)
        earlier = [self._footprint(item, *pair) for pair in item.earlier]
        found = measure_return(
            self._reference(item.source, item.source), edit, self._fitted(item.source, item.returned), earlier
        )
        return self._rows(item, _readings(found), _details(found))

    def _rows(
        self,
        item: ForwardPicture | ChainReturn,
        readings: Mapping[str, Reading],
        details: Mapping[str, str],
    ) -> list[Row]:
        rows: list[Row] = []
        for reference, picture, name, version in self._keys(item):
            reading = readings[name]
            value, missing = (None, reading) if isinstance(reading, str) else (reading, None)
            rows.append((reference, picture, Measurement(name, version, value, missing, details.get(name))))
        return rows

    def _located(self, source: Picture, input: Picture, forward: Picture, category: str) -> LocatedEdit:
        scope = edit_scope(category)
        key = (input.digest, forward.digest, scope)
        edit = self._edits.get(
            key, lambda: locate_edit(self._reference(source, input), self._fitted(source, forward), scope)
        )
        self._footprints.get(key, lambda: edit.footprint)
        return edit

    def _footprint(self, item: ChainReturn, input: PictureFacts, forward: PictureFacts) -> Footprint:
        """The footprint of an earlier round."""

        def made() -> Footprint:
            pictures = self._open(input), self._open(forward)
            return self._located(item.source, *pictures, item.category).footprint

        known = self._footprints.find((input.digest, forward.digest, edit_scope(item.category)))
        return known if known is not None else made()

    def _reference(self, source: Picture, picture: Picture) -> ReferencePicture:
        return self._references.get(
            picture.digest, lambda: ReferencePicture(self._fitted(source, picture), flip_against)
        )

    def _fitted(self, source: Picture, picture: Picture) -> Pixels:
        """In the source's size, as for all metrics."""
        width, height = source.size
        return resized_to(picture.pixels, width, height)


def flip_against(reference: Pixels, pixels_per_degree: float) -> Callable[[Pixels], regions.FloatMap]:
    return partial(flip_map, flip_source(reference, pixels_per_degree))


def _readings(found: ReturnRegions) -> dict[str, Reading]:
    return {name: getattr(found, name) for name in (*regions.OF_RETURN, *flip.NAMES)}


def _details(found: ReturnRegions) -> dict[str, str]:
    """The histograms that thresholds can be chosen from later, and where the picture differs most."""
    histograms = {"inside": found.inside, "outside": found.outside}
    return {"kept": json.dumps(histograms), "flip_peak": json.dumps({"box": found.worst})}
