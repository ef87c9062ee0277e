"""The models under test, and the built-in editors."""

from convergebench.editors.needs import EditorKey, HubWeights, Need, Package
from convergebench.editors.registry import (
    Listing,
    ModelFacts,
    Preset,
    editor,
    known_editor,
    listings,
    open_editor,
    parse,
    provider,
    providers,
)

__all__ = [
    "EditorKey",
    "HubWeights",
    "Listing",
    "ModelFacts",
    "Need",
    "Package",
    "Preset",
    "editor",
    "known_editor",
    "listings",
    "open_editor",
    "parse",
    "provider",
    "providers",
]
