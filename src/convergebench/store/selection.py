"""The part of a workspace that is read: which models, runs and generations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """What a reader of a workspace sees. Hidden models and runs are seen by nobody."""

    models: tuple[str, ...] = ()
    """Names or labels; all models by default."""
    runs: tuple[int, ...] = ()
    """Only trajectories in which these runs made an edit."""
    generation: int = 0
    """Of each trajectory, counted from the newest: 1 is the one that the last --fresh started anew."""


EVERYTHING = Selection()
