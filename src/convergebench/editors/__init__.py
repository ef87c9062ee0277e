"""The models under test, and the editors that need none."""

from convergebench.editors.needs import HubWeights, Key, Need, Package
from convergebench.editors.registry import (
    Listing,
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
    "HubWeights",
    "Key",
    "Listing",
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
