"""A workspace to vote on, and people who vote."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergebench.analysis.votes.vote import Answer, Vote
from convergebench.store import Workspace
from convergebench.votes.ballot import Ballot, VoteQuestion
from convergebench.votes.question_pool import QuestionPool, question_pool
from report.page.conftest import browser as browser  # the same real browser
from report.page.filled import fill


@pytest.fixture(scope="session")
def filled_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = tmp_path_factory.mktemp("voted_on") / "results"
    fill(workspace)
    return workspace


@pytest.fixture
def folder(tmp_path: Path, filled_workspace: Path) -> Path:
    return Path(shutil.copytree(filled_workspace, tmp_path / "results"))


@pytest.fixture
def opened(folder: Path) -> Iterator[Workspace]:
    with Workspace.create(folder) as workspace:
        yield workspace


@pytest.fixture
def pool(opened: Workspace) -> QuestionPool:
    return question_pool(opened)


def vote_on(question: VoteQuestion, rater: str, answer: Answer, seconds: float = 5.0) -> Vote:
    return Vote(
        rater, question.kind, question.pictures, answer, seconds, question.texts, question.repeat,
        at="2026-01-01T00:00:00.000+00:00", mode="side",
    )  # fmt: skip


def vote_through(ballot: Ballot, rater: str, count: int) -> list[Vote]:
    """Answers "first", or "yes", to everything that is asked."""
    given = []
    for _ in range(count):
        question = ballot.next_question(rater)
        if question is None:
            break
        vote = vote_on(question, rater, "yes" if question.kind == "visibility" else "first")
        ballot.add(vote)
        given.append(vote)
    return given
