"""The models under test, and the editors that need none."""

from convergebench.editors.registry import Listing, editor, listings, open_editor, parse

__all__ = ["Listing", "editor", "listings", "open_editor", "parse"]
