"""ConvergeBench: edit and undo, N times, and see how much of the picture is left.

>>> import convergebench
>>> result = convergebench.run(["classical", "jpeg"], "converge-drawn", 3, limit=4)  # doctest: +SKIP
>>> result.ranking()  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from convergebench._version import __version__

if TYPE_CHECKING:
    from convergebench.api import Settings, open, run
    from convergebench.benchmark_results import Benchmark
    from convergebench.refinement import refine
    from convergebench.regression import check

__all__ = ["Benchmark", "Settings", "__version__", "check", "open", "refine", "run"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """The Python interface is loaded when it is used, so that the command line starts at once."""
    if name == "refine":
        from convergebench import refinement as refining

        return refining.refine
    if name == "check":
        from convergebench.regression import check

        return check
    if name == "Benchmark":
        from convergebench.benchmark_results import Benchmark

        return Benchmark
    if name in __all__:
        from convergebench import api

        return getattr(api, name)
    raise AttributeError(f"module 'convergebench' has no attribute {name!r}")
