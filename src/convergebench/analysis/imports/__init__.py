"""Bring in what was made elsewhere: tables of values, and folders of pictures."""

from convergebench.analysis.imports.bringing import SUITE, Imported, bring_in

__all__ = ["SUITE", "Imported", "bring_in"]
