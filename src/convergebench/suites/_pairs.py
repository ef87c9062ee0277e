"""The edits and their inverses, and which edits apply to which picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convergebench.errors import unknown_name
from convergebench.types import Case, Reversibility, SourcePicture


@dataclass(frozen=True)
class EditPair:
    """An edit and its inverse, and how to see that each has happened."""

    id: str
    category: str
    forward: str
    backward: str
    shows_after: str
    """What is visible after the forward edit."""
    gone_after: str
    """What is no longer visible after the backward edit."""
    area: str
    """The area of the picture that it changes; edits of the same area interfere."""
    shows_before: str = ""
    """The same view before the forward edit; empty if words cannot distinguish the two, as for a flip."""
    reversibility: Reversibility = "reversible"


def _worn(thing: str, with_article: str, area: str) -> EditPair:
    return EditPair(
        id=f"{thing}_add_remove",
        category="accessories",
        forward=f"Add {with_article} to the person.",
        backward=f"Remove the {thing} from the person.",
        shows_after=f"the person with {with_article}",
        gone_after=with_article,
        area=area,
        shows_before="the person",
    )


def _placed(thing: str, article: str = "a", area: str = "") -> EditPair:
    words = thing.replace("_", " ")
    return EditPair(
        id=f"{thing}_add_remove",
        category="scene_objects",
        forward=f"Add {article} {words} to the scene.",
        backward=f"Remove the {words} from the scene.",
        shows_after=f"the scene with {article} {words}",
        gone_after=f"{article} {words}",
        area=area or words,
        shows_before="the scene",
    )


_PREDECESSORS: tuple[EditPair, ...] = (
    _worn("glasses", "a pair of glasses", "eyes"),
    _worn("sunglasses", "a pair of sunglasses", "eyes"),
    _worn("hat", "a hat", "head"),
    _worn("earrings", "a pair of earrings", "ears"),
    _worn("necklace", "a necklace", "neck"),
    _worn("scarf", "a scarf", "neck"),
    _worn("beard", "a beard", "mouth"),
    _worn("mustache", "a mustache", "mouth"),
    _worn("watch", "a watch", "wrist"),
    _placed("chair"),
    _placed("red_ball"),
    _placed("plant"),
    _placed("coffee_cup"),
    _placed("book"),
    _placed("cat"),
    _placed("dog"),
    _placed("flower_vase", area="plant"),
    _placed("umbrella", article="an"),
    EditPair(
        id="horizontal_flip",
        category="geometric",
        forward="Flip the image horizontally.",
        backward="Flip the image horizontally.",
        shows_after="the whole picture mirrored, left and right exchanged",
        gone_after="the mirroring",
        area="orientation",
    ),
    EditPair(
        id="rotate_90_cw",
        category="geometric",
        forward="Rotate the image 90 degrees clockwise.",
        backward="Rotate the image 90 degrees counter-clockwise.",
        shows_after="the whole picture turned by a quarter, its top now on the right",
        gone_after="the turn",
        area="orientation",
    ),
)
"""The twenty pairs of the original benchmark."""

_NEW: tuple[EditPair, ...] = (
    EditPair(
        id="vertical_flip",
        category="geometric",
        forward="Flip the image vertically.",
        backward="Flip the image vertically.",
        shows_after="the whole picture upside down, top and bottom exchanged",
        gone_after="the mirroring",
        area="orientation",
    ),
    EditPair(
        id="tone_warm_cool",
        category="colour",
        forward="Make the colors of the image warmer.",
        backward="Make the colors of the image cooler.",
        shows_after="the scene in warm, orange colors",
        gone_after="a warm, orange cast",
        area="light",
        shows_before="the scene in neutral colors",
        reversibility="ambiguous",
    ),
    EditPair(
        id="sepia_and_back",
        category="colour",
        forward="Turn the image into a sepia photograph.",
        backward="Turn the sepia photograph back into natural colors.",
        shows_after="the scene in sepia tones",
        gone_after="sepia tones",
        area="light",
        shows_before="the scene in natural colors",
        reversibility="information-destroying",
    ),
    EditPair(
        id="smile_and_back",
        category="expression",
        forward="Make the person smile broadly.",
        backward="Give the person a neutral expression.",
        shows_after="the person with a broad smile",
        gone_after="a broad smile",
        area="mouth",
        shows_before="the person with a neutral face",
        reversibility="ambiguous",
    ),
    EditPair(
        id="eyes_close_open",
        category="expression",
        forward="Close the person's eyes.",
        backward="Open the person's eyes.",
        shows_after="the person with closed eyes",
        gone_after="closed eyes",
        area="eyes",
        shows_before="the person with open eyes",
        reversibility="information-destroying",
    ),
    EditPair(
        id="light_brighten_darken",
        category="lighting",
        forward="Make the image brighter.",
        backward="Make the image darker.",
        shows_after="the scene in very bright light",
        gone_after="the added brightness",
        area="light",
        shows_before="the scene in normal light",
        reversibility="ambiguous",
    ),
    EditPair(
        id="day_night",
        category="lighting",
        forward="Change the scene from day to night.",
        backward="Change the scene from night to day.",
        shows_after="the scene at night",
        gone_after="the darkness of night",
        area="light",
        shows_before="the scene by day",
        reversibility="information-destroying",
    ),
    EditPair(
        id="snow_add_remove",
        category="weather",
        forward="Add falling snow and cover the ground with snow.",
        backward="Remove the snow from the air and from the ground.",
        shows_after="the scene with falling snow and snow on the ground",
        gone_after="snow in the air or on the ground",
        area="background",
        shows_before="the scene",
        reversibility="information-destroying",
    ),
    EditPair(
        id="fog_add_remove",
        category="weather",
        forward="Add thick fog to the scene.",
        backward="Remove the fog from the scene.",
        shows_after="the scene with thick fog",
        gone_after="fog",
        area="background",
        shows_before="the scene",
        reversibility="information-destroying",
    ),
    EditPair(
        id="background_blur_sharpen",
        category="background",
        forward="Blur the background strongly.",
        backward="Make the background sharp.",
        shows_after="the scene with a strongly blurred background",
        gone_after="a blurred background",
        area="background",
        shows_before="the scene with a sharp background",
        reversibility="information-destroying",
    ),
)

PAIRS: tuple[EditPair, ...] = (*_PREDECESSORS, *_NEW)

_CATEGORIES_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "portrait": ("accessories", "geometric"),
    "scene": ("scene_objects", "geometric"),
}
"""Kinds that are not listed here use the pairs of a scene."""


def pairs_for(kind: str) -> tuple[EditPair, ...]:
    """The default pairs for a picture of this kind: eleven of the original twenty."""
    categories = _CATEGORIES_OF_KIND.get(kind, _CATEGORIES_OF_KIND["scene"])
    return tuple(pair for pair in _PREDECESSORS if pair.category in categories)


def pairs_named(ids: Sequence[str]) -> tuple[EditPair, ...]:
    """The pairs with these ids, in this order."""
    for id in ids:
        if id not in _BY_ID:
            raise unknown_name("edit pair", id, _BY_ID)
    return tuple(_BY_ID[id] for id in ids)


def pair_asking(instruction: str) -> EditPair | None:
    """The pair with this forward edit."""
    return _BY_FORWARD.get(instruction)


def reversibility_of(id: str) -> Reversibility:
    """The class of a built-in pair. Edits without a class were chosen because they can be undone."""
    return _BY_ID[id].reversibility if id in _BY_ID else "reversible"


_BY_ID: Mapping[str, EditPair] = {pair.id: pair for pair in PAIRS}
_BY_FORWARD: Mapping[str, EditPair] = {pair.forward: pair for pair in PAIRS}


def cases_of(
    picture: SourcePicture, already_shown: Sequence[str] = (), edits: Sequence[str] | None = None
) -> tuple[Case, ...]:
    """One case for each of the picture's edits, by pair id; by default the pairs for its kind.

    Pairs whose object the picture already shows are included. Their cases have a hint, since an editor that
    removes every such object follows the instruction and still does not return to the picture.
    """
    chosen = pairs_for(picture.kind) if edits is None else pairs_named(edits)
    return tuple(_case(picture, pair, pair.id in already_shown) for pair in chosen)


def _case(picture: SourcePicture, pair: EditPair, already_shown: bool) -> Case:
    hints = {"reversibility": pair.reversibility}
    return Case(
        id=f"{picture.id}/{pair.id}",
        sources=(picture,),
        forward=pair.forward,
        backward=pair.backward,
        pair=pair.id,
        category=pair.category,
        kind=picture.kind,
        hints={**hints, "already_shown": "yes"} if already_shown else hints,
    )
