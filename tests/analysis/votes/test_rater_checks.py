from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from convergebench.analysis.votes.rater_checks import RaterCheck, rater_checks
from convergebench.analysis.votes.vote import Answer, Vote

Respond = Callable[[np.random.Generator, float], tuple[Answer, float]]


def careful(random: np.random.Generator, better: float) -> tuple[Answer, float]:
    """Errs on close pairs."""
    if better == 0:
        return ("tie" if random.random() < 0.95 else "first"), 4.0
    return ("first" if random.random() < 1 / (1 + np.exp(-2 * better)) else "second"), random.uniform(2, 8)


def random_clicker(random: np.random.Generator, better: float) -> tuple[Answer, float]:
    answers: list[Answer] = ["first", "second", "tie"]
    return answers[random.integers(3)], 3.0


def left_clicker(random: np.random.Generator, better: float) -> tuple[Answer, float]:
    return "first", 3.0


def hasty(random: np.random.Generator, better: float) -> tuple[Answer, float]:
    answer, _ = careful(random, better)
    return answer, 0.3


def session(respond: Respond, seed: int, count: int = 120) -> RaterCheck:
    """Of 120 questions, 6 are catch trials and 12 repeat an earlier one."""
    random = np.random.default_rng(seed)
    votes = []
    for n in range(count):
        if n % 20 == 7:
            answer, seconds = respond(random, 0.0)
            votes.append(Vote("r", "return", pictures(n, "x", "x"), answer, seconds))
            continue
        better = random.normal(0, 1.2)
        answer, seconds = respond(random, better)
        votes.append(Vote("r", "return", pictures(n, "x", "y"), answer, seconds))
        if n % 10 == 3:
            answer, seconds = respond(random, -better)
            votes.append(Vote("r", "return", pictures(n, "y", "x"), answer, seconds))
    (found,) = rater_checks(votes)
    return found


def pictures(n: int, first: str, second: str) -> tuple[tuple[str, str], ...]:
    return ("source", f"s{n}"), ("first", f"{first}{n}"), ("second", f"{second}{n}")


@pytest.mark.parametrize(
    ("respond", "least", "most"),
    [(careful, 0.0, 0.02), (random_clicker, 0.8, 1.0), (left_clicker, 1.0, 1.0), (hasty, 1.0, 1.0)],
)
def test_bad_raters_are_found_and_careful_ones_are_not(respond: Respond, least: float, most: float) -> None:
    marked = np.mean([session(respond, seed).is_marked for seed in range(100)])
    assert least <= marked <= most


def test_reasons_say_what_was_counted() -> None:
    found = session(left_clicker, 0)
    assert (found.catch_failed, found.catch_trials) == (6, 6)
    assert found.contradictions == found.repeats == 12
    (reason,) = found.reasons
    assert "6 of 6 catch trials failed, 12 of 12 repeats contradicted" in reason
    assert any("less than 0.8 s" in one for one in session(hasty, 0).reasons)


def test_few_control_questions_mark_nobody() -> None:
    vote = Vote("r", "return", pictures(0, "x", "x"), "first", 3.0)
    (found,) = rater_checks([vote])
    assert found.catch_failed == 1 and not found.is_marked
