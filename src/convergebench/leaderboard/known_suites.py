"""Suites that are installed with fixed cases: their pictures are public, and their cases can be compared."""

from __future__ import annotations

from functools import cache

from convergebench import suites
from convergebench.errors import ConvergeBenchError
from convergebench.instructions.fill_inverses import with_inverses
from convergebench.types import SuiteId


def installed_suite(suite: SuiteId) -> str | None:
    """The name and version of an installed suite that needs no data of the user; None for any other."""
    name = suite.base
    is_known = any(f"{one.name}@{one.version}" == name and not one.takes_data for one in suites.listing())
    return name if is_known else None


@cache
def known_cases(suite: SuiteId) -> frozenset[str] | None:
    """The fingerprints of the suite's cases; None if they are not known here, as if a download would be
    needed, or if the protocol has cases of its own."""
    name = installed_suite(suite)
    if name is None or suite.part or suites.packages_lacking(name):
        return None
    try:
        return frozenset(case.fingerprint for case in with_inverses(suites.load(name).cases))
    except ConvergeBenchError:
        return None
