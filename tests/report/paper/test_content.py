from dataclasses import replace

import pytest

from analysis.headline.written_chains import YES, chain
from convergebench import metrics
from convergebench.analysis import Contraction, CurveShape, Results, headline_ranking, ranking
from convergebench.analysis.round_trip.curve_shape import ShapeFit
from convergebench.analysis.round_trip.drift_profile import profile_of
from convergebench.report.paper import sentences
from convergebench.report.paper.counting import counts_of, listed
from convergebench.report.paper.dynamics import ModelDynamics, dynamics_grid, dynamics_of, dynamics_sentences
from convergebench.report.paper.grids import Grid, pieces
from convergebench.report.paper.numbers import (
    edit_grids,
    grids_of,
    part_grid,
    partial_grid,
    ranking_grid,
    rounds_grid,
    shared_grid,
)
from convergebench.report.paper.provenance import missing_grid, use_grid
from convergebench.types import Measurement


def told(said):
    return " ".join(said)


def test_the_ranking_has_a_line_above_the_floors(results):
    grid = ranking_grid(ranking(results))
    assert grid.rows[0][1] == "qwen"
    assert [grid.rows[place][1] for place in grid.rules] == ["identity"]
    assert {row[0] for row in grid.rows[6:]} == {"–"}


def test_models_on_the_same_cases_need_no_second_ranking(results):
    whole = replace(
        results, returns=tuple(item for item in results.returns if item.model != "seedream"), troubles=()
    )
    assert shared_grid(whole, ranking(whole)) is None


def test_models_on_different_cases_are_ranked_again_on_those_they_share(results):
    grid = shared_grid(results, ranking(results))
    n = grid.headings.index("n")
    assert {row[n] for row in grid.rows} == {"12"}
    assert grid.notes == ["On 12 cases."]
    assert "on different sets of cases" in told(sentences.headline(ranking(results)))


def test_edits_that_keep_less_are_darker(results):
    (grid,) = edit_grids(results, ranking(results))
    column = grid.headings.index("flux-kontext-dev")
    for row, shades in zip(grid.rows, grid.shades, strict=True):
        assert shades[column] == pytest.approx(1 - float(row[column]), abs=0.006)
        assert "identity" not in grid.headings


def test_many_models_share_the_width_evenly(results):
    models = [f"m{n}" for n in range(20)]
    qwen = [item for item in results.returns if item.model == "qwen"]
    many = replace(
        results, returns=tuple(replace(i, model=m) for m in models for i in qwen), uses=(), troubles=()
    )
    assert [len(grid.headings) for grid in edit_grids(many, ranking(many))] == [11, 11]


def test_what_a_person_sees_is_told_by_round_and_by_category_too():
    hats = chain("m", "p", (YES, 1.0, 1.0), (YES, 0.25, 1.0))
    dogs = [replace(one, category="objects") for one in chain("m", "q", (YES, 0.25, 1.0), (YES, 0.25, 1.0))]
    results = Results("s@1", 2, (metrics.facts("undid"), metrics.facts("ssim")), (*hats, *dogs), (), ())
    grids = dict(grids_of(results, ranking(results), headline_ranking(results)))
    assert grids["seen-by-round"].rows == [["m", "75.0", "50.0"]]
    assert grids["seen-by-category"].rows == [["m", "75.0 (1)", "50.0 (1)"]]
    assert "seen-by-round" not in dict(grids_of(results, ranking(results), ranking(results)))


def two_models(*cases_of_the_second):
    """The first stays usable on case p, and not on case q."""
    lasting = chain("lasting", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0))
    lost = chain("lasting", "q", (YES, 0.1, 1.0), (YES, 0.1, 1.0))
    second = [
        one for case in cases_of_the_second for one in chain("short", case, (YES, 1.0, 1.0), (YES, 0.1, 1.0))
    ]
    measured = (metrics.facts("undid"), metrics.facts("ssim"))
    return headline_ranking(Results("s@1", 2, measured, (*lasting, *lost, *second), (), ()))


def test_the_only_shared_case_is_told_by_what_models_have_on_it():
    said = told(sentences.what_a_person_sees(two_models("p")))
    assert "with lasting for 2.0 of 2 rounds and short for 1.0 of 2 rounds." in said
    assert said.endswith("One case does not support a ranking.")


def test_models_without_a_shared_case_are_not_compared():
    said = told(sentences.what_a_person_sees(two_models("r")))
    assert said == "No case has a score of all models, so models cannot be compared."


def test_one_part_is_no_breakdown(results):
    portraits = replace(
        results, returns=tuple(item for item in results.returns if item.kind == "portrait"), troubles=()
    )
    assert part_grid(portraits, ranking(portraits), "kind") is None
    assert part_grid(portraits, ranking(portraits), "pair") is not None


def test_why_there_is_no_verdict_is_said_once(results):
    ranked = ranking(results)
    (grid,) = dynamics_grid(dynamics_of(results, ranked), results, ranked)
    assert {row[3] for row in grid.rows} == {"cannot tell"}
    (note,) = grid.notes
    assert "no two moves were measured" in note


def test_what_is_missing_is_counted_by_reason(results):
    grid = missing_grid(results)
    assert [row[:2] for row in grid.rows] == [["clip", str(len(results.returns))], ["return", "28"]]
    assert grid.rows[1][2] == "seedream 28"


def test_a_long_reason_is_begun_in_the_paper_without_a_part_of_an_address(results):
    reason = f"RuntimeError: {'no memory ' * 9}at http://10.0.0.7:80/{'job' * 60}"
    failed = [replace(one, reason=reason) for one in results.troubles]
    grid = missing_grid(replace(results, troubles=tuple(failed)))
    shown = next(row[3] for row in grid.rows if row[0] == "return")
    assert shown.startswith("RuntimeError: no memory") and len(shown) < 130
    assert "http" not in shown


def test_a_cost_that_is_not_known_is_a_dash(results):
    unknown = replace(results, uses=(replace(results.uses[0], cost_usd=None),))
    assert use_grid(unknown).rows[0][-1] == "–"


def test_half_lives_are_told_of_models_that_fell_and_of_those_that_hold_out(results):
    said = told(sentences.survival(ranking(results)))
    assert "Half of the chains of flux-kontext-dev have fallen after" in said
    assert "More than half of the chains stay above it while they are observed for qwen (10 rounds)" in said


def test_models_that_cannot_be_told_apart_are_named_together(results):
    assert "All of them differ significantly." in told(sentences.ranking_sentences(ranking(results)))
    first = [item for item in results.returns if item.picture == "scene_lake"]
    alone = ranking(replace(results, returns=tuple(first)))
    said = told(sentences.ranking_sentences(alone))
    assert "All values are of one source picture, which does not support a ranking." in said
    assert "keeps most" not in said and "differ significantly" not in said


def test_floors_are_not_counted_as_models(results):
    counts = counts_of(results)
    assert (counts.models, counts.floors, counts.editors_and_floors) == (
        "6 models",
        "2 floors",
        "6 models and 2 floors",
    )


def test_results_with_nothing_missing_say_so(results):
    whole = replace(
        results,
        metrics=tuple(facts for facts in results.metrics if facts.name != "clip"),
        returns=tuple(item for item in results.returns if item.model != "seedream"),
        troubles=(),
        uses=(),
    )
    assert told(sentences.missing(whole)).startswith("Nothing is missing")
    assert "28 returns and 1252 values are missing" in told(sentences.missing(results))


def test_few_pictures_are_a_limit_that_is_named(results):
    assert "There are 8 source pictures" in told(sentences.limits(results, ranking(results), 8))
    assert "source picture" not in told(sentences.limits(results, ranking(results), 40))


def test_edits_that_can_be_undone_only_in_part_are_ranked_apart(results):
    assert partial_grid(results, ranking(results)) is None
    others = replace(results, returns=results.returns[:10], troubles=(), uses=())
    grid = partial_grid(replace(results, partial=others), ranking(results))
    assert [row[1] for row in grid.rows] == ["qwen"]


def test_means_stand_at_the_marks(results):
    assert rounds_grid(results, ranking(results)).headings == ["model", "R1", "R2", "R3", "R5", "R10"]


def test_lists_of_none_are_empty():
    assert listed([]) == ""


def test_a_difference_that_is_not_significant_is_said_to_be_none(results):
    qwen = [item for item in results.returns if item.model == "qwen"]
    worn = [
        replace(item, values={**item.values, "ssim": Measurement("ssim", "1", 0.5)}) for item in qwen[-1:]
    ]
    close = [
        replace(item, model=name) for name, of in (("one", qwen), ("two", qwen[:-1] + worn)) for item in of
    ]
    alike = ranking(replace(results, returns=tuple(close), troubles=(), uses=()))
    assert "a difference that is not significant" in told(sentences.headline(alike))
    assert "not significant" not in told(sentences.headline(ranking(results)))


def test_models_that_keep_the_same_are_not_said_to_keep_most_and_least(results):
    qwen = [item for item in results.returns if item.model == "qwen"]
    twins = tuple(replace(item, model=name) for name in ("one", "two") for item in qwen)
    said = told(sentences.headline(ranking(replace(results, returns=twins, troubles=(), uses=()))))
    assert "one and two keep the same (SSIM 0." in said and "least" not in said


def test_the_gated_order_names_floors_and_probes_only_if_it_has_some(results):
    edited = ({"psnr": Measurement("psnr", "1", 20.0)},)

    def order(roles):
        returns = tuple(
            replace(item, forwards=edited, role=roles[item.model])
            for item in results.returns
            if item.model in roles
        )
        own = replace(results, returns=returns, troubles=(), uses=())
        ranked = ranking(own)
        (said,) = [one for one in dynamics_sentences(dynamics_of(own, ranked), own, ranked) if "gated" in one]
        return said.partition("the order is ")[2]

    assert order({"qwen": "model", "jpeg-75": "floor"}) == "jpeg-75 and qwen, floors among them."
    assert order({"qwen": "model", "jpeg-75": "probe"}) == "jpeg-75 and qwen, probes among them."
    assert order({"qwen": "model", "jpeg-75": "model"}) == "jpeg-75 and qwen."


def test_a_part_with_one_case_supports_no_claim(results):
    assert "By kind of picture" in told(sentences.parts(results, ranking(results)))
    cases = {item.kind: item.case for item in results.returns}
    single = replace(results, returns=tuple(i for i in results.returns if i.case in cases.values()))
    assert "keeps most" not in told(sentences.parts(single, ranking(single)))


def test_a_claim_about_edits_says_how_many_of_them_it_is_about(results):
    said = told(sentences.parts(results, ranking(results)))
    assert said.endswith(", among the 3 of 4 that can be compared.")  # one model returned no hat
    whole = replace(results, returns=tuple(one for one in results.returns if one.model != "seedream"))
    assert "that can be compared" not in told(sentences.parts(whole, ranking(whole)))


def test_a_planned_round_that_no_chain_reached_hides_nothing_that_was_measured_before(results):
    stopped = replace(results, rounds=20)
    ranked = ranking(stopped)
    claims = sentences.of_round_trips(stopped, ranked, headline_ranking(stopped), counts_of(stopped))
    assert "So far no chain has returned from more than 10 rounds." in told(claims["setup"])
    assert "No model has a value of SSIM at round 20 to be ranked by." in told(claims["ranking"])
    assert "of qwen goes from" in told(claims["degradation"]) and "at round 10." in told(
        claims["degradation"]
    )
    assert "Half of the chains of flux-kontext-dev have fallen after" in told(claims["survival"])
    assert "No shape can be chosen for qwen" in told(
        dynamics_sentences(dynamics_of(stopped, ranked), stopped, ranked)
    )
    assert "There is no convergence score" in told(claims["dimensions"])
    unmeasured = [one for one in sentences.limits(stopped, ranked, 8) if "could not be measured" in one]
    assert unmeasured == ["CLIP could not be measured (see what is missing)."]


def test_drift_is_told_of_the_last_round_that_has_it(results):
    drifting = {"shift_x": 9.0, "shift_y": 0.0}
    said = told(sentences.drift({"one": profile_of(10, [drifting]), "two": profile_of(3, [drifting])}))
    assert "at round 10: shift for one." in said and "at round 3: shift for two." in said


def test_no_drift_is_not_claimed_above_a_visible_break(results):
    calm = {"shift_x": 0.0, "shift_y": 0.0, "cast_l": 0.0, "kept": 0.95, "flip_area": 0.04, "flip_peak": 0.6}
    broken = {**calm, "rewritten": 0.5, "collateral": 0.01, "left_behind": 0.1}
    quiet = profile_of(10, [{**calm, "flip_peak": 0.1}])
    said = told(sentences.drift({"quiet": quiet, "torn": profile_of(10, [broken])}))
    assert "No drift of the whole picture is noticeable in most returns of quiet at round 10." in said
    assert "visible changes of another kind: rewritten: " in said and "returns of torn" not in said


def test_shape_and_contraction_each_say_which_question_they_answer(results):
    ranked = ranking(results)
    model = next(row.model for row in ranked.rows if row.rank is not None)
    shape = CurveShape(ShapeFit("plateau", 0.2, 0.8, 0.0), None, None, (), None)
    moves = Contraction("drifting", 1.0, 0.95, 1.05, None, 20, 8)
    said = told(dynamics_sentences({model: ModelDynamics(shape, moves)}, results, ranked))
    assert f"How does the distance from the source grow? Its shape is plateau for {model}." in said
    assert (
        f"Do the steps between returns get smaller? By their contraction factor, drifting: {model}." in said
    )
    assert f"For {model} the distance from the source levels off while the returns still change" in said


def test_a_long_table_comes_in_pieces_of_about_equal_length():
    grid = Grid(["n"], [[str(n)] for n in range(50)], rules=[3, 40], notes=["below"])
    first, second = pieces(grid)
    assert [len(first.rows), len(second.rows)] == [25, 25]
    assert (list(first.rules), list(second.rules)) == ([3], [15])
    assert (list(first.notes), list(second.notes)) == ([], ["below"])
    assert [row for piece in (first, second) for row in piece.rows] == grid.rows
