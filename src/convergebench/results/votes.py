"""Votes of people, which are judgements of judges called `human:…`."""

from __future__ import annotations

from convergebench.store import Workspace

_VOTES = """
    SELECT a.reply FROM judge_attempts a
    JOIN judgements j ON j.key = a.judgement JOIN judges ON judges.fingerprint = j.judge
    WHERE judges.name LIKE 'human:%' AND j.outcome IS NOT NULL AND a.reply LIKE '%"convergebench_vote"%'
    GROUP BY a.judgement HAVING a.id = max(a.id) ORDER BY a.id
"""
_IMPORTED = """
    SELECT judges.name, j.texts, j.value FROM judgements j
    JOIN rubrics ON rubrics.fingerprint = j.rubric JOIN judges ON judges.fingerprint = j.judge
    WHERE rubrics.id = 'imported_preference' AND j.value IS NOT NULL
"""


def vote_replies(workspace: Workspace) -> list[str]:
    """What was recorded of each vote, in the order in which they were saved."""
    return [reply for (reply,) in workspace.query(_VOTES)]


def imported_preferences(workspace: Workspace) -> list[tuple[str, str, float]]:
    """Judge, texts as JSON and value of each preference that was imported from elsewhere."""
    return [(name, texts, value) for name, texts, value in workspace.query(_IMPORTED)]
