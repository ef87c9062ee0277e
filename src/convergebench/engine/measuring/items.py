"""The items to measure in a chain. Pictures are separate fields, so that items can be sent by their facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

from convergebench.metrics.clip_direction import Captions
from convergebench.picture import Picture
from convergebench.types import Digest, PictureFacts

Kind: TypeAlias = Literal["returns", "changes", "directions", "regions", "targets", "captions", "sampled"]
"""Returns against their source; each step against the previous one; locations of forward edits; regions;
results against the pictures that they should equal, and against captions; returns at reported rounds."""
KINDS: frozenset[Kind] = frozenset(get_args(Kind))


class PicturePair(NamedTuple):
    reference: Picture
    picture: Picture


class ReportedReturn(NamedTuple):
    """A return at one of the rounds that are reported."""

    reference: Picture
    picture: Picture
    is_portrait: bool


class ForwardEdit(NamedTuple):
    before: Picture
    after: Picture
    captions: Captions | None
    """None if the instruction gives none."""


class ForwardPicture(NamedTuple):
    """A forward edit, to be located."""

    source: Picture
    """The source of the chain; all pictures are compared at its size."""
    input: Picture
    forward: Picture
    pair: str
    category: str
    context: Digest


class ChainReturn(NamedTuple):
    """A return with the chain before it."""

    source: Picture
    input: Picture
    forward: Picture
    returned: Picture
    category: str
    context: Digest
    earlier: tuple[tuple[PictureFacts, PictureFacts], ...]
    """Inputs and forward pictures of the previous rounds."""


class SessionTurnPicture(NamedTuple):
    """A turn of a session with the turns before it."""

    source: Picture
    """What the rest is compared with."""
    input: Picture
    picture: Picture
    task: str
    context: Digest
    earlier: tuple[tuple[PictureFacts, PictureFacts, str], ...]
    """Inputs, pictures and tasks of the turns before it that it builds on."""
    whole: bool
    """Whether this turn or one before it asks for a change of the whole picture."""


class CaptionedPicture(NamedTuple):
    """A result with what it should show, in words."""

    picture: Picture
    caption: str
    context: Digest


class TargetPicture(NamedTuple):
    """A result with the picture that it should equal, and the mask of the edit."""

    source: Picture
    picture: Picture
    target: Picture | None
    mask: Picture | None
    earlier: tuple[Picture | None, ...]
    """The masks of the edits that the source does not show either."""
    context: Digest


Item: TypeAlias = (
    PicturePair
    | ReportedReturn
    | ForwardEdit
    | ForwardPicture
    | ChainReturn
    | SessionTurnPicture
    | TargetPicture
    | CaptionedPicture
)
ItemT = TypeVar("ItemT", bound=Item)


def as_facts(item: Item) -> Item:
    """The same item with its pictures' facts instead of the pictures."""
    return _replaced(item, Picture, lambda picture: picture.facts)


def opened(item: Item, open_picture: Callable[[PictureFacts], Picture]) -> Item:
    """The reverse of `as_facts`."""
    return _replaced(item, PictureFacts, open_picture)


def _replaced(item: ItemT, kind: type, change: Callable[..., object]) -> ItemT:
    return type(item)(*(change(part) if isinstance(part, kind) else part for part in item))  # type: ignore[arg-type]


def pictures_of(item: Item) -> list[Picture]:
    """Those that it compares."""
    return [part for part in item if isinstance(part, Picture)]


def pixels_in(item: Item) -> int:
    """The size of its pictures, which are compared at the size of the first."""
    width, height = item[0].size
    return width * height
