"""Suites: pictures, and edits that can be undone."""

from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import PAIRS, EditPair, pair_asking, reversibility_of
from convergebench.suites._registry import listing, load, names, packages_lacking
from convergebench.suites.sampling import Sampling, select

__all__ = [
    "PAIRS",
    "EditPair",
    "OnPackage",
    "Sampling",
    "SuiteInfo",
    "listing",
    "load",
    "names",
    "packages_lacking",
    "pair_asking",
    "reversibility_of",
    "select",
]
