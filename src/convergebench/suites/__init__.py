"""Suites: pictures, and edits that can be undone."""

from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import PAIRS, EditPair, pair_asking, reversibility_of
from convergebench.suites._registry import listing, load, names, packages_lacking
from convergebench.suites.own_edits import read_own_edits, with_own_edits
from convergebench.suites.sampling import Sampling, balanced, select

__all__ = [
    "PAIRS",
    "EditPair",
    "OnPackage",
    "Sampling",
    "SuiteInfo",
    "balanced",
    "listing",
    "load",
    "names",
    "packages_lacking",
    "pair_asking",
    "read_own_edits",
    "reversibility_of",
    "select",
    "with_own_edits",
]
