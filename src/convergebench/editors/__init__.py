"""The models under test, and the editors that need none."""

from convergebench.editors.needs import Key, Need, Package
from convergebench.editors.registry import (
    Listing,
    Preset,
    editor,
    listings,
    open_editor,
    parse,
    provider,
    providers,
)

__all__ = [
    "Key",
    "Listing",
    "Need",
    "Package",
    "Preset",
    "editor",
    "listings",
    "open_editor",
    "parse",
    "provider",
    "providers",
]
