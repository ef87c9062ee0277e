"""Parameters that say how an editor is run and not what it does: they stay out of its identity."""

from __future__ import annotations

from dataclasses import replace

from convergebench.types import EditorFacts


def without_settings(facts: EditorFacts, *settings: str) -> EditorFacts:
    """The same editor, known by the other parameters alone, so that a run goes on after these change.

    >>> facts = EditorFacts("command:blur?radius=2&timeout=60", "1", {"radius": 2, "timeout": 60})
    >>> without_settings(facts, "timeout").name
    'command:blur?radius=2'
    """
    base, _, query = facts.name.partition("?")
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in settings)
    parameters = {key: value for key, value in facts.parameters.items() if key not in settings}
    return replace(facts, name=f"{base}?{kept}" if kept else base, parameters=parameters)
