"""Measurements of a chain by region: where each edit is visible, and what its return undid and preserved."""

from __future__ import annotations

import base64
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, SessionTurnPicture
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.lru_cache import LruCache
from convergebench.metrics import MetricSet, flip, regions
from convergebench.metrics.base import Reading
from convergebench.metrics.metric_set import FINAL
from convergebench.metrics.regions import (
    Footprint,
    LocatedEdit,
    ReferencePicture,
    ReturnRegions,
    TurnRegions,
    edit_evidence,
    edit_scope,
    locate_edit,
    measure_return,
    measure_turn,
)
from convergebench.picture import Picture, resized_to
from convergebench.store import MeasurementKey
from convergebench.types import Digest, Measurement, MetricFacts, PictureFacts, Pixels

RegionItem: TypeAlias = ForwardPicture | ChainReturn | SessionTurnPicture

_CACHED = 16 + 2 * (os.cpu_count() or 1)
"""Pictures that are being compared: those that wait in the queue are compared soon."""

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
        self._flip_against = metric_set.flip_against()
        self._lpips_against = metric_set.lpips_against()
        self._has_weights = metric_set.has_weights
        self._open = open_picture
        self._references: LruCache[Digest, ReferencePicture] = LruCache(count=_CACHED)
        self._edits: LruCache[tuple[Digest, Digest, str], LocatedEdit] = LruCache(count=_CACHED)
        self._footprints: LruCache[tuple[Digest, Digest, str], Footprint] = LruCache(count=4096)

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
        rows: list[Row] = []
        for item in items:
            try:
                rows += self._of_item(item)
            except WorkspaceError as error:
                log.warning(
                    "not measured: %s", error
                )  # it says nothing about the pictures; tried again later
            except BadPicture as error:
                rows += [
                    (reference, picture, Measurement(name, version, None, str(error), self._final(name)))
                    for reference, picture, name, version in self._keys(item)
                ]
        return rows

    def _of_item(self, item: RegionItem) -> list[Row]:
        if isinstance(item, ForwardPicture):
            return self._of_forward(item)
        return self._of_turn(item) if isinstance(item, SessionTurnPicture) else self._of_return(item)

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
        earlier = [self._footprint(item.source, *pair, item.category) for pair in item.earlier]
        found = measure_return(
            self._reference(item.source, item.source), edit, self._fitted(item.source, item.returned), earlier
        )
        return self._rows(item, _readings(found), _details(found))

    def _of_turn(self, item: SessionTurnPicture) -> list[Row]:
        edit = self._located(item.source, item.input, item.picture, item.task)
        earlier = [self._footprint(item.source, *turn) for turn in item.earlier]
        source = self._reference(item.source, item.source)
        found = measure_turn(source, edit, self._fitted(item.source, item.picture), earlier, whole=item.whole)
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

    def _located(self, source: Picture, input: Picture, forward: Picture, category: str) -> LocatedEdit:
        scope = edit_scope(category)
        key = (input.digest, forward.digest, scope)
        edit = self._edits.get(
            key, lambda: locate_edit(self._reference(source, input), self._fitted(source, forward), scope)
        )
        self._footprints.get(key, lambda: edit.footprint)
        return edit

    def _footprint(
        self, source: Picture, input: PictureFacts, forward: PictureFacts, category: str
    ) -> Footprint:
        """Of an earlier round or turn."""

        def made() -> Footprint:
            pictures = self._open(input), self._open(forward)
            return self._located(source, *pictures, category).footprint

        known = self._footprints.find((input.digest, forward.digest, edit_scope(category)))
        return known if known is not None else made()

    def _reference(self, source: Picture, picture: Picture) -> ReferencePicture:
        return self._references.get(
            picture.digest,
            lambda: ReferencePicture(self._fitted(source, picture), self._flip_against, self._lpips_against),
        )

    def _fitted(self, source: Picture, picture: Picture) -> Pixels:
        """In the source's size, as for all metrics."""
        width, height = source.size
        return resized_to(picture.pixels, width, height)


def _readings(found: ReturnRegions) -> dict[str, Reading]:
    return {name: getattr(found, name) for name in (*regions.OF_RETURN, *flip.NAMES)}


def _details(found: ReturnRegions) -> dict[str, str]:
    """The histograms that thresholds can be chosen from later, and where the picture differs most."""
    return {**_kept_in(found), "flip_peak": json.dumps({"box": found.worst})}


def _kept_in(found: ReturnRegions | TurnRegions) -> dict[str, str]:
    return {"kept": json.dumps({"inside": found.inside, "outside": found.outside})}
