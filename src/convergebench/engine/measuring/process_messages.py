"""What a run and its measuring process say to each other."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from convergebench.engine.measuring.items import Item, Kind
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.metrics import MetricOptions
from convergebench.types import Digest, PictureFacts


@dataclass(frozen=True)
class Setup:
    """The first message: what to measure, and where pictures are stored."""

    kinds: Sequence[Kind]
    metrics: Sequence[str]
    options: MetricOptions
    place: str
    at_once: int = 1
    """Jobs: while one waits for the device, another can be prepared."""


@dataclass(frozen=True)
class PictureMessage:
    """Pixels for the next job that had no place in the shared room: memory of their own comes with it."""

    facts: PictureFacts


@dataclass(frozen=True)
class Job:
    number: int
    kind: Kind
    items: Sequence[Item]
    """With the facts of their pictures instead of the pictures."""
    placed: Sequence[tuple[PictureFacts, int]]
    """New pictures, and where they are in the shared room."""
    forget: Sequence[Digest]
    """Pictures that neither this job nor a later one relies on."""


@dataclass(frozen=True)
class Ready:
    """The process can measure; or it cannot, for this reason."""

    reason: str | None = None
    is_room_pinned: bool = False
    """Whether the device reads the shared room itself."""


@dataclass(frozen=True)
class Measured:
    job: int
    rows: Sequence[Row] | Exception
    released: Sequence[int]
    """Places in the shared room that are free again."""


Reply: TypeAlias = Ready | Measured | logging.LogRecord
