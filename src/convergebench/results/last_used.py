"""Which of several models with one name is the one in use."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from convergebench.results.records import Records
from convergebench.types import Digest

_TIMES = """
    SELECT editor, max(at) FROM (
        SELECT t.editor, s.at FROM steps s JOIN trajectories t ON t.id = s.trajectory
        UNION ALL SELECT model, at FROM model_names
    ) GROUP BY editor
"""
"""A run writes the name that it gives a model again, also where it has nothing to edit."""


def names_of_models(records: Records) -> dict[str, str]:
    """By label, the name that a model shares with other versions of it."""
    return {one.label: one.given_name or one.shown_name for one in records.editors.values()}


def in_use(records: Records, labels: Sequence[str], exactly: Collection[str] = ()) -> list[str]:
    """Of several models with one name, such as a function before and after a change, the last that was run;
    those that are named by their labels stay, and so do models at different addresses."""
    times: dict[Digest, str] = dict(map(tuple, records.workspace.query(_TIMES)))
    editors = sorted(records.editors.values(), key=lambda one: times.get(one.fingerprint, ""))
    last = {one.given_name or one.name: one.label for one in editors if one.label in labels}
    older = {one.label for one in editors if last.get(one.given_name or one.name, one.label) != one.label}
    return [label for label in labels if label in exactly or label not in older]
