"""The distance between the faces of two portraits: whether it is the same person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics.base import Metric, MetricOptions, Reading, Registration, register
from convergebench.metrics.faces import WEIGHT_FILES, FaceBox, FaceDescriber, FaceDetector
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

FACTS = MetricFacts(
    "face_distance",
    "1",
    "lower",
    perfect=0.0,
    worst=1.0,
    dimension="semantic",
    summary="Distance of the face descriptors; below 0.6 it is usually the same person.",
    needs_weights=True,
    is_sampled=True,
)

NO_FACE_IN_SOURCE, NO_FACE_IN_RETURN = "no face found in the source", "no face found in the return"
NO_FACE = (NO_FACE_IN_SOURCE, NO_FACE_IN_RETURN)
"""The reasons that lie in the pictures; any other is a lack of weights."""


class DescribedFace(NamedTuple):
    box: FaceBox
    descriptor: NDArray[np.float32]


@dataclass(frozen=True)
class FaceDistance:
    detector: FaceDetector
    describer: FaceDescriber
    facts: MetricFacts = FACTS

    def prepare(self, source: Pixels) -> DescribedFace | None:
        """The source's largest face."""
        boxes = self.detector.boxes(source)
        return self._described(source, max(boxes, key=lambda box: box.area)) if boxes else None

    def compare(
        self, prepared: Sequence[DescribedFace | None], results: Sequence[Pixels]
    ) -> Sequence[Reading]:
        return [self._distance(face, result) for face, result in zip(prepared, results, strict=True)]

    def _distance(self, face: DescribedFace | None, result: Pixels) -> Reading:
        if face is None:
            return NO_FACE_IN_SOURCE
        boxes = self.detector.boxes(result)
        # If none overlaps, as in a reframed picture, the largest face is used.
        nearest = max(boxes, key=lambda box: (box.overlap(face.box), box.area), default=None)
        found = self._described(result, nearest) if nearest else None
        if found is None:
            return NO_FACE_IN_RETURN
        return float(np.linalg.norm(face.descriptor - found.descriptor))

    def _described(self, picture: Pixels, box: FaceBox) -> DescribedFace | None:
        descriptor = self.describer.descriptor(picture, box)
        return None if descriptor is None else DescribedFace(box, descriptor)


def _load(_: MetricOptions) -> Metric:
    return FaceDistance(FaceDetector(), FaceDescriber())


register(Registration(FACTS, _load, weights=WEIGHT_FILES))
