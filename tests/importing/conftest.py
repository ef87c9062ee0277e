"""The fixtures of results written by hand, which imports are compared with."""

from analysis.conftest import results_of, returned

__all__ = ["results_of", "returned"]
