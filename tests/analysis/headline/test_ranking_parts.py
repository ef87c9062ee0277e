"""The score by round and by part of the suite."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.headline.written_chains import NO, YES, chain, failed
from convergebench import metrics
from convergebench.analysis import (
    FailedStep,
    Results,
    Return,
    headline_ranking,
    ranking_by_part,
    ranking_by_round,
)
from convergebench.report.tables.rounds import rounds_text
from convergebench.report.tables.text_table import breakdown_text

shares = st.floats(0, 1)
three_rounds = st.lists(st.tuples(st.sampled_from([YES, NO]), shares, shares), min_size=3, max_size=3)


def results(*chains: list[Return], troubles: tuple[FailedStep, ...] = ()) -> Results:
    measured = (metrics.facts("undid"), metrics.facts("ssim"))
    return Results("suite", 3, measured, tuple(one for each in chains for one in each), troubles, ())


def by_round(found: Results) -> dict[str, list[float | None]]:
    points = ranking_by_round(found, headline_ranking(found)).points
    return {model: [point.mean for point in of_model] for model, of_model in points.items()}


@given(st.lists(three_rounds, min_size=1, max_size=4))
def test_the_mean_of_all_rounds_is_the_score(chains: list[list[tuple[float, float, float]]]) -> None:
    found = results(*(chain("m", str(number), *rounds) for number, rounds in enumerate(chains)))
    ranked = headline_ranking(found)
    means = by_round(found)["m"]
    assert sum(means) / 3 == pytest.approx(ranked.headline.rows[0].score.mean)


def test_rounds_after_a_refusal_count_as_nothing() -> None:
    whole = [(YES, 1.0, 1.0)] * 3
    refused = results(
        chain("m", "p", *whole), chain("m", "q", whole[0]), troubles=(failed("m", "q", 2, "refused"),)
    )
    assert by_round(refused)["m"] == [100.0, 50.0, 50.0]


def test_a_chain_that_an_outage_cut_off_is_missing_in_every_round() -> None:
    whole = [(YES, 1.0, 1.0)] * 3
    cut = results(
        chain("m", "p", *whole), chain("m", "q", (YES, 0.0, 0.0)), troubles=(failed("m", "q", 2, "outage"),)
    )
    points = ranking_by_round(cut, headline_ranking(cut)).points["m"]
    assert [(one.mean, one.n, one.missing) for one in points] == [(100.0, 1, 1)] * 3


def test_parts_are_scored_over_all_rounds() -> None:
    moved = [replace(one, category="objects") for one in chain("m", "q", *[(YES, 0.25, 1.0)] * 3)]
    found = results(chain("m", "p", (YES, 1.0, 1.0), (NO, 1.0, 1.0), (NO, 1.0, 1.0)), moved)
    parts = ranking_by_part(found, headline_ranking(found), "category")
    means = {group: summary.mean for group, summary in parts.models["m"].items()}
    assert means == {"accessories": pytest.approx(100 / 3), "objects": pytest.approx(50)}
    table = breakdown_text(found, headline_ranking(found), "category")
    assert table.rows == [["m", "33.3 (1)", "50.0 (1)"]]
    assert "score over all rounds" in table.explained


def test_what_has_no_chain_in_the_score_is_missing_and_not_zero() -> None:
    cut = [replace(one, category="objects") for one in chain("m", "q", (YES, 1.0, 1.0))]
    found = results(chain("m", "p", *[(YES, 1.0, 1.0)] * 3), cut)
    summary = ranking_by_part(found, headline_ranking(found), "category").models["m"]["objects"]
    assert (summary.mean, summary.missing) == (None, 1)
    assert breakdown_text(found, headline_ranking(found), "category").rows == [["m", "100.0 (1)", "– (0)"]]


def test_the_tables_show_the_score_where_models_are_ranked_by_it() -> None:
    found = results(chain("m", "p", *[(YES, 0.25, 1.0)] * 3))
    table = rounds_text(ranking_by_round(found, headline_ranking(found)), ["m"])
    assert (table.title, table.rows) == ("Score by round", [["m", "50.0", "50.0", "50.0"]])


def test_a_ranking_by_a_metric_is_shown_by_that_metric() -> None:
    found = results(chain("m", "p", *[(YES, 0.25, 1.0)] * 3))
    ranked = replace(headline_ranking(found), headline=None)
    assert ranking_by_round(found, ranked).metric == ranked.metric
    assert ranking_by_part(found, ranked, "kind").metric == ranked.metric
