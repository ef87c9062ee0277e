"""What is asked: pictures, and edits that can be undone."""

from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import PAIRS, Pair, pair_asking, reversibility_of
from convergebench.suites._registry import listing, load, names, packages_lacking
from convergebench.suites._selection import select

__all__ = [
    "PAIRS",
    "OnPackage",
    "Pair",
    "SuiteInfo",
    "listing",
    "load",
    "names",
    "packages_lacking",
    "pair_asking",
    "reversibility_of",
    "select",
]
