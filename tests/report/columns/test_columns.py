from __future__ import annotations

import pytest

from analysis.headline.written_chains import YES, chain
from convergebench.analysis import Results, headline_ranking, ranking, reordered
from convergebench.errors import WrongUse
from convergebench.report.columns import TABLES, chosen_columns, columns_in, columns_of
from convergebench.types import MetricFacts


def test_every_column_says_what_it_is(results: Results) -> None:
    ranked = ranking(results)
    for column in columns_of(ranked):
        assert column.key.isidentifier() and column.title(ranked) and column.explanation
        assert column.values(ranked).keys() <= {row.model for row in ranked.rows}


def test_columns_come_in_the_order_in_which_they_were_asked_for(results: Results) -> None:
    chosen = chosen_columns(ranking(results), ["n", "psnr", "auc", "n"])
    assert [column.key for column in chosen] == ["n", "psnr", "auc"]


def test_a_column_may_be_named_by_its_heading(results: Results) -> None:
    chosen = chosen_columns(ranking(results), ["score", "usable for", "convergence score", "usable"])
    assert [column.key for column in chosen] == ["headline_score", "usable", "convergence_score"]


def test_all_leaves_out_columns_without_a_value(results: Results) -> None:
    keys = [column.key for column in chosen_columns(ranking(results), ["all"])]
    assert "psnr" in keys and "half_life" in keys
    assert "clip" not in keys and "gated_convergence_score" not in keys


def test_an_unknown_column_is_named_with_the_nearest(results: Results) -> None:
    with pytest.raises(WrongUse, match="did you mean half_life"):
        chosen_columns(ranking(results), ["halflife"])


def test_no_view_has_a_column_twice(results: Results) -> None:
    ranked = ranking(results)
    for view in (*TABLES, "csv", "json"):
        keys = [column.key for column in columns_in(view, ranked)]
        assert len(keys) == len(set(keys))


def test_a_table_of_one_round_has_what_was_kept_once() -> None:
    undid = MetricFacts("undid", "1", "higher", 1.0, 0.0, "semantic")
    returns = [item for picture in "pqr" for item in chain("good", picture, (YES, 1.0, 0.9))]
    ranked = headline_ranking(Results("suite", 1, (undid,), tuple(returns), (), ()))
    for view in TABLES:
        titles = [column.title(ranked) for column in columns_in(view, ranked)]
        assert titles.count("kept R1") == 1 and len(titles) == len(set(titles))


def test_models_can_be_ranked_by_a_column(results: Results) -> None:
    ranked = ranking(results)
    (cheapest,) = chosen_columns(ranked, ["cost_usd"])
    by_cost = reordered(ranked, "cost_usd", cheapest.losses(ranked))
    costs = [row.cost_usd for row in by_cost.rows if row.rank is not None]
    assert costs == sorted(costs) and by_cost.ranked_by == "cost_usd"
    assert [row.model for row in by_cost.rows if row.is_calibration] == [
        row.model for row in ranked.rows if row.is_calibration
    ]
    (letters,) = chosen_columns(ranked, ["group"])
    with pytest.raises(WrongUse, match="cannot be ranked by the column group"):
        letters.losses(ranked)
