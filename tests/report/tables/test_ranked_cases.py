"""Below the ranking stands which cases its score is over, where these are not all."""

from __future__ import annotations

from analysis.headline.written_chains import YES, chain
from convergebench.analysis import Ranking, Results
from convergebench.analysis.headline.headline_ranking import headline_ranking
from convergebench.report import json_ranking, ranking_notes
from convergebench.types import MetricFacts

UNDID = MetricFacts("undid", "1", "higher", 1.0, 0.0, "region")


def ranked(pictures: dict[str, range]) -> Ranking:
    of_models = [
        chain(model, f"p{n}", (YES, 0.5, 1.0)) for model, numbers in pictures.items() for n in numbers
    ]
    returns = tuple(one for of_chain in of_models for one in of_chain)
    return headline_ranking(Results("suite", 1, (UNDID,), returns, (), ()))


def notes(pictures: dict[str, range]) -> str:
    return "\n".join(ranking_notes(ranked(pictures)))


def test_models_without_a_rank_are_named_with_their_cases() -> None:
    found = ranked({"a": range(9), "b": range(9), "stopped": range(2), "late": range(1)})
    said = "\n".join(ranking_notes(found))
    assert "Not ranked: stopped (2 cases), late (1 case), since the score of all" in said
    assert "The score is over" not in said
    assert json_ranking(found)["headline"]["too_few_cases"] == {"stopped": 2, "late": 1}
    assert [(row.model, row.rank) for row in found.rows][2:] == [("stopped", None), ("late", None)]


def test_shared_cases_are_counted() -> None:
    assert "over the 6 of 9 cases that every ranked model has" in notes({"a": range(9), "b": range(6)})
    assert "The score is over" not in notes({"a": range(9), "b": range(9)})


def test_models_without_a_shared_case_are_not_said_to_be_ordered() -> None:
    said = notes({"a": range(5), "b": range(5, 9)})
    assert "The models have no case in common" in said and "Not ranked" not in said
