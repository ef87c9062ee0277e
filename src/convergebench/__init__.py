"""ConvergeBench: edit and undo, N times, and see how much of the picture is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from convergebench._version import __version__

if TYPE_CHECKING:
    from convergebench.api import Benchmark, Settings, open, run
    from convergebench.refinement import refine

__all__ = ["Benchmark", "Settings", "__version__", "open", "refine", "run"]


def __getattr__(name: str) -> Any:
    """The Python interface is loaded when it is used, so that the command line starts at once."""
    if name == "refine":
        from convergebench import refinement as refining

        return refining.refine
    if name in __all__:
        from convergebench import api

        return getattr(api, name)
    raise AttributeError(f"module 'convergebench' has no attribute {name!r}")
