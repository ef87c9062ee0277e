"""ConvergeBench: edit and undo, N times, and see how much of the picture is left."""

__version__ = "0.1.0"
