"""The scope of an edit: one part of the picture, or all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

EditScope: TypeAlias = Literal["local", "global"]

SCOPES: Mapping[str, tuple[EditScope, str]] = {
    "accessories": ("local", "something is worn at one place"),
    "scene_objects": ("local", "something stands at one place"),
    "expression": ("local", "a part of the face changes"),
    "geometric": ("global", "every pixel moves"),
    "colour": ("global", "every colour changes"),
    "lighting": ("global", "the light falls on everything"),
    "weather": ("global", "it lies over the whole scene"),
    "background": ("global", "most of the picture changes, and where it ends is not said"),
    "background_change": ("global", "most of the picture is replaced"),
    "style_change": ("global", "everything is drawn in another way"),
    "style": ("global", "everything is drawn in another way"),
    "tone_transfer": ("global", "every colour changes"),
    "extract": ("global", "all but one thing disappears"),
}
"""Each category with its reason: the built-in ones, and the types of edit of other sets that differ."""


def has_scope(category: str) -> bool:
    """Whether the scope of the category, or of one that is joined in it, is known.

    >>> has_scope("weather"), has_scope("season"), has_scope("season+weather")
    (True, False, True)
    """
    return not SCOPES.keys().isdisjoint(category.split("+"))


def edit_scope(category: str) -> EditScope:
    """The scope of a category; of several joined by `+`, global if one of them is global.

    It follows from the requested edit, not from the model's result: a model that redraws everything to add a
    hat has not made a global edit. Categories that are not listed count as local, like adding and removing.

    >>> edit_scope("accessories"), edit_scope("weather"), edit_scope("accessories+weather")
    ('local', 'global', 'global')
    """
    known = [SCOPES[part][0] for part in category.split("+") if part in SCOPES]
    return "global" if "global" in known else "local"
