"""The edits that are asked and undone, and which picture takes which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convergebench.types import Case, SourcePicture


@dataclass(frozen=True)
class Pair:
    """An edit and the one that undoes it."""

    id: str
    category: str
    forward: str
    backward: str


def _worn(thing: str, with_article: str) -> Pair:
    return Pair(
        f"{thing}_add_remove",
        "accessories",
        f"Add {with_article} to the person.",
        f"Remove the {thing} from the person.",
    )


def _placed(thing: str, article: str = "a") -> Pair:
    words = thing.replace("_", " ")
    return Pair(
        f"{thing}_add_remove",
        "scene_objects",
        f"Add {article} {words} to the scene.",
        f"Remove the {words} from the scene.",
    )


PAIRS: tuple[Pair, ...] = (
    _worn("glasses", "a pair of glasses"),
    _worn("sunglasses", "a pair of sunglasses"),
    _worn("hat", "a hat"),
    _worn("earrings", "a pair of earrings"),
    _worn("necklace", "a necklace"),
    _worn("scarf", "a scarf"),
    _worn("beard", "a beard"),
    _worn("mustache", "a mustache"),
    _worn("watch", "a watch"),
    _placed("chair"),
    _placed("red_ball"),
    _placed("plant"),
    _placed("coffee_cup"),
    _placed("book"),
    _placed("cat"),
    _placed("dog"),
    _placed("flower_vase"),
    _placed("umbrella", article="an"),
    Pair(
        "horizontal_flip",
        "geometric",
        "Flip the image horizontally.",
        "Flip the image horizontally.",
    ),
    Pair(
        "rotate_90_cw",
        "geometric",
        "Rotate the image 90 degrees clockwise.",
        "Rotate the image 90 degrees counter-clockwise.",
    ),
)

CATEGORIES_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "portrait": ("accessories", "geometric"),
    "scene": ("scene_objects", "geometric"),
}
"""A kind that is not named here takes what a scene takes."""


def pairs_for(kind: str) -> tuple[Pair, ...]:
    categories = CATEGORIES_OF_KIND.get(kind, CATEGORIES_OF_KIND["scene"])
    return tuple(pair for pair in PAIRS if pair.category in categories)


def cases_of(picture: SourcePicture, already_shown: Sequence[str] = ()) -> tuple[Case, ...]:
    """One case for each pair that fits the picture.

    Pairs whose object the picture already shows are asked too; their cases say so in a hint, since an editor
    that removes every such object does as it was told and still does not return to the picture.
    """
    return tuple(
        Case(
            id=f"{picture.id}/{pair.id}",
            sources=(picture,),
            forward=pair.forward,
            backward=pair.backward,
            pair=pair.id,
            category=pair.category,
            kind=picture.kind,
            hints={"already_shown": "yes"} if pair.id in already_shown else {},
        )
        for pair in pairs_for(picture.kind)
    )
