"""Steps: the edits of a trajectory, and the function with which a protocol makes them."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from convergebench.types.case import SourcePicture
from convergebench.types.failure import Failure
from convergebench.types.values import Digest

if TYPE_CHECKING:
    from convergebench.picture import Picture


@dataclass(frozen=True)
class Step:
    """One edit in a trajectory: its picture, or the reason why it has none."""

    position: int
    role: str
    round: int
    instruction: str
    seed: int
    inputs: tuple[Digest, ...]
    outcome: PictureFacts | Failure
    seconds: float
    cost_usd: float | None
    attempts: int


@dataclass(frozen=True)
class PictureFacts:
    digest: Digest
    width: int
    height: int
    media_type: str


Image: TypeAlias = "SourcePicture | Picture"


class Edit(Protocol):
    """The editing function that a protocol receives: durable, retried, recorded."""

    def __call__(
        self, image: Image | Sequence[Image], instruction: str, *, role: str, round: int
    ) -> Awaitable[Picture]: ...
