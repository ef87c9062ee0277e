"""Messages between driver and replicas. Pictures are sent as facts, not as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.engine.measuring.items import Item, Kind
from convergebench.types import PictureFacts, StepContext


@dataclass(frozen=True)
class EditMessage:
    images: tuple[PictureFacts, ...]
    instruction: str
    seed: int
    context: StepContext | None


@dataclass(frozen=True)
class EditReply:
    """The picture is already in the store. If the replica could not write there, the message contains it."""

    picture: PictureFacts
    cost_usd: float | None
    seconds: float
    encoded: bytes | None = None


@dataclass(frozen=True)
class MeasurableMessage:
    """Asks which of the metrics that need weights have them on the nodes."""


@dataclass(frozen=True)
class MeasureMessage:
    kind: Kind
    items: Sequence[Item]
    """Items carry the facts of their pictures instead of the pictures."""
