"""What driver and replicas tell each other: pictures by their facts, not by their pixels."""

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
    """The picture is in the store already, unless the replica could not write there: then it comes along."""

    picture: PictureFacts
    cost_usd: float | None
    seconds: float
    encoded: bytes | None = None


@dataclass(frozen=True)
class MeasurableMessage:
    """Which metrics that need weights have them on the nodes?"""


@dataclass(frozen=True)
class MeasureMessage:
    kind: Kind
    items: Sequence[Item]
    """With the facts of their pictures in place of the pictures."""
