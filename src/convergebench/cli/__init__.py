"""The command line. Commands import what is heavy inside their functions, so that it starts at once."""

from convergebench.cli.main import main

__all__ = ["main"]
