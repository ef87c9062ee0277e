"""The headline on chains written by hand, whose truth is plain to see."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.headline.written_chains import NO, NOT_REFUTED, YES, chain, failed, measured
from convergebench.analysis import FailedStep, Results, Return, worst_by
from convergebench.analysis.headline.chain_rounds import Thresholds
from convergebench.analysis.headline.headline import Headline, HeadlineRow, headline
from convergebench.analysis.headline.sentence import headline_sentence
from convergebench.analysis.round_trip.results import ModelUse
from convergebench.analysis.round_trip.round_verdicts import RoundVerdicts
from convergebench.errors import WrongUse
from convergebench.metrics.face_distance import NO_FACE_IN_SOURCE


def summed(
    *returns: list[Return],
    rounds: int = 2,
    troubles: tuple[FailedStep, ...] = (),
    uses: tuple[ModelUse, ...] = (),
) -> Headline:
    every = tuple(one for of_chain in returns for one in of_chain)
    results = Results("suite", rounds, (), every, troubles, uses)
    return headline(results)


def row_of(found: Headline, model: str) -> HeadlineRow:
    return next(row for row in (*found.rows, *found.calibration) if row.model == model)


def score(found: Headline, model: str) -> float | None:
    mean = row_of(found, model).score
    return None if mean is None else mean.mean


def test_the_score_is_the_mean_of_the_root_of_undone_and_kept() -> None:
    found = summed(chain("m", "p", (YES, 1.0, 1.0), (YES, 0.25, 1.0)))
    assert score(found, "m") == pytest.approx(100 * (1.0 + 0.5) / 2)


def test_doing_nothing_scores_zero_however_well_the_picture_is_kept() -> None:
    found = summed(chain("idle", "p", (NO, 1.0, 1.0), (NO, 1.0, 1.0)))
    assert score(found, "idle") == 0.0
    assert row_of(found, "idle").usable.mean == 0.0
    assert row_of(found, "idle").usable.chief_ending == "not edited"


def test_a_global_edit_has_no_rest_and_counts_by_what_was_undone() -> None:
    found = summed(chain("m", "p", (YES, 0.5, 0.0), (YES, 0.5, 0.0), category="weather"))
    assert score(found, "m") == pytest.approx(50)
    assert row_of(found, "m").kept_first is None


def test_edits_that_pixels_cannot_refute_count_as_made_and_are_marked_as_a_bound() -> None:
    found = summed(chain("m", "p", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0)))
    row = row_of(found, "m")
    assert row.did.mean == 1.0 and row.did_is_bound
    assert found.deciders == {"pixels": 1}


def test_clip_decides_a_case_only_where_it_does_so_for_every_ranked_model() -> None:
    both = summed(
        chain("a", "p", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0), clip=0.3),
        chain("b", "p", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0), clip=-0.3),
    )
    assert both.deciders == {"CLIP": 1}
    assert (score(both, "a"), score(both, "b")) == (100.0, 0.0)
    one = summed(
        chain("a", "p", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0), clip=0.3),
        chain("b", "p", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0)),
    )
    assert one.deciders == {"pixels": 1}


@pytest.mark.parametrize(
    ("complete", "edits", "seconds", "usd"),
    [(4, 16, 12.0, 0.16), (2, 12, 12.0, 0.16), (0, 0, None, None)],
    ids=["all chains", "chains that stopped in the middle", "no edit"],
)
def test_time_and_price_of_a_session_are_those_of_a_whole_chain(
    complete: int, edits: int, seconds: float | None, usd: float | None
) -> None:
    found = summed(
        chain("m", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0)),
        uses=(ModelUse("m", "model", 4, complete, edits, 0, 3.0 if edits else None, 0.04 * edits),),
    )
    row = row_of(found, "m")
    assert (row.session_seconds, row.session_usd) == pytest.approx((seconds, usd))


def good_and_worse(pictures: int) -> list[list[Return]]:
    worth = {"good": 1.0, "worse": 0.25}
    return [
        chain(model, f"p{n}", (NOT_REFUTED, undid, 1.0), (NOT_REFUTED, undid, 1.0))
        for model, undid in worth.items()
        for n in range(pictures)
    ]


def test_a_model_with_few_cases_is_not_ranked_and_leaves_the_others_all_of_theirs() -> None:
    few = chain("stopped", "p0", (NO, 1.0, 1.0), (NO, 1.0, 1.0))
    found, without = summed(*good_and_worse(8), few), summed(*good_and_worse(8))
    assert (found.cases, found.all_cases, dict(found.too_few_cases)) == (8, 8, {"stopped": 1})
    assert [(row.model, row.rank) for row in found.rows] == [("good", 1), ("worse", 2), ("stopped", None)]
    assert row_of(found, "stopped").score is None and row_of(found, "stopped").did.mean == 0
    assert found.rows[:2] == without.rows and headline_sentence(found) == headline_sentence(without)


def test_verdicts_of_a_model_that_is_not_ranked_decide_nothing() -> None:
    """It has none, so that judges could not decide its case if it were ranked."""
    of_all = [judged(returns, 0.0, 0.0, 1.0) for returns in good_and_worse(8)]
    few = chain("stopped", "p0", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0))
    assert summed(*of_all, few).deciders == summed(*of_all).deciders == {"judge": 8}


def test_two_models_are_ranked_on_what_they_share_however_little() -> None:
    few = chain("stopped", "p0", (NOT_REFUTED, 0.5, 1.0), (NOT_REFUTED, 0.5, 1.0))
    found = summed(*good_and_worse(8)[:8], few)
    assert (found.cases, found.all_cases, dict(found.too_few_cases)) == (1, 8, {})
    assert [row.model for row in found.rows] == ["good", "stopped"]


def judged(
    returns: list[Return], happened: float, restored: float, undone: float, judge: str = "j"
) -> list[Return]:
    verdicts = RoundVerdicts(({judge: happened},), {judge: restored}, {judge: undone})
    return [replace(one, verdicts=verdicts) for one in returns]


def two_rounds(model: str) -> list[Return]:
    return chain(model, "p", (NOT_REFUTED, 1.0, 1.0), (NOT_REFUTED, 1.0, 1.0), clip=0.3)


def test_a_judge_decides_before_clip_and_grades_what_was_undone() -> None:
    found = summed(judged(two_rounds("a"), 1.0, 0.25, 0.0), judged(two_rounds("b"), 0.0, 1.0, 1.0))
    assert found.deciders == {"judge": 1} and found.graded_cases == 1 and found.judges == ("j",)
    assert (score(found, "a"), score(found, "b")) == (50.0, 0.0)
    assert row_of(found, "a").undid.mean == 0.25 and row_of(found, "a").stayed == 2
    assert row_of(found, "a").usable.chief_ending == "not undone"


def test_a_round_of_which_nobody_knows_what_stayed_is_not_counted_as_clean() -> None:
    of_probe = [replace(one, role="probe") for one in judged(two_rounds("jpeg"), 1.0, 0.25, 0.0)]
    first, last = of_probe
    half_judged = [first, replace(last, verdicts=replace(last.verdicts, restored={}, undone={}))]
    row = row_of(summed(judged(two_rounds("a"), 1.0, 0.25, 0.0), half_judged), "jpeg")
    assert (row.stayed, row.rounds) == (1, 1)


def test_a_judge_of_one_model_decides_for_none() -> None:
    found = summed(judged(two_rounds("a"), 0.0, 0.0, 0.0), two_rounds("b"))
    assert found.deciders == {"CLIP": 1} and found.graded_cases == 0 and found.judges == ()
    assert score(found, "a") == score(found, "b") == 100.0


def test_verdicts_of_different_judges_are_not_compared_with_each_other() -> None:
    found = summed(judged(two_rounds("a"), 0.0, 0.0, 0.0, "x"), judged(two_rounds("b"), 1.0, 1.0, 1.0, "y"))
    assert found.deciders == {"CLIP": 1} and found.graded_cases == 0


def test_a_round_without_a_verdict_leaves_the_whole_case_to_the_next_decider() -> None:
    first, second = two_rounds("a")
    found = summed([*judged([first], 0.0, 0.0, 0.0), second])
    assert found.deciders == {"CLIP": 1} and found.graded_cases == 0


def test_a_round_that_was_graded_but_not_searched_for_traces_leaves_its_case_to_what_was_measured() -> None:
    first, second = judged(two_rounds("a"), 1.0, 0.2, 1.0)
    unsearched = replace(second, verdicts=replace(second.verdicts, undone={}))
    found = summed([first, unsearched])
    measured_only = summed([replace(one, verdicts=replace(one.verdicts, restored={}, undone={}))
                            for one in (first, second)])  # fmt: skip
    assert (found.cases, found.graded_cases) == (1, 0)
    assert score(found, "a") == score(measured_only, "a")


def test_a_model_whose_refusals_alone_are_complete_has_no_score_and_takes_no_case_from_others() -> None:
    fast = [chain("fast", picture, (YES, 1.0, 1.0), (YES, 1.0, 1.0)) for picture in "pqr"]
    slow = [chain("slow", picture, (YES, 1.0, 1.0)) for picture in "qr"]
    troubles = (failed("slow", "p", 1, "refused"), failed("slow", "q", 2, "misconfigured"))
    found = summed(*fast, *slow, troubles=troubles)
    assert (score(found, "fast"), score(found, "slow")) == (100.0, None)
    assert found.cases == found.all_cases == 3


def test_a_refusal_does_not_speak_for_chains_that_were_not_begun() -> None:
    refused, planned = (failed("m", "p", 1, "refused"),), ModelUse("m", "model", 5, 0, 0, 1, None, None)
    assert score(summed(troubles=refused, uses=(planned,)), "m") is None
    assert score(summed(troubles=refused, uses=(replace(planned, trajectories=1),)), "m") == 0.0


def test_a_model_that_refused_most_has_a_score_though_some_chains_are_missing() -> None:
    troubles = (
        *(failed("m", picture, 1, "refused") for picture in "pqr"),
        failed("m", "s", 1, "unavailable"),
    )
    assert score(summed(troubles=troubles), "m") == 0.0


def test_rounds_after_a_refusal_count_as_nothing_and_end_the_usable_ones() -> None:
    found = summed(chain("m", "p", (YES, 1.0, 1.0)), troubles=(failed("m", "p", 2, "refused"),))
    assert score(found, "m") == 50.0
    assert row_of(found, "m").usable.mean == 1.0
    assert row_of(found, "m").usable.endings == {"refused": 1}


def test_an_outage_censors_a_chain_and_leaves_it_out_of_the_score() -> None:
    found = summed(
        chain("m", "p", (YES, 1.0, 1.0)),
        chain("m", "q", (YES, 1.0, 1.0), (YES, 1.0, 1.0)),
        troubles=(failed("m", "p", 2, "unavailable"),),
    )
    row = row_of(found, "m")
    assert row.score.n == 1 and row.score.mean == 100.0
    assert row.usable.mean == 2.0 and row.usable.ended == 0 and math.isinf(row.usable.median)


@pytest.mark.parametrize(
    ("second", "ending"),
    [((YES, 0.4, 1.0), "not undone"), ((YES, 1.0, 0.7), "rest changed"), ((NO, 1.0, 1.0), "not edited")],
)
def test_a_chain_is_usable_until_its_first_bad_round(second: tuple[float, float, float], ending: str) -> None:
    row = row_of(summed(chain("m", "p", (YES, 1.0, 1.0), second)), "m")
    assert row.usable.mean == 1.0 and row.usable.median == 1.0
    assert row.usable.chief_ending == ending


def test_thresholds_of_a_user_decide_what_is_usable_and_leave_the_score_alone() -> None:
    chains = chain("m", "p", (YES, 0.6, 1.0), (YES, 0.4, 1.0))
    results = Results("suite", 2, (), tuple(chains), (), ())
    usual = headline(results)
    lenient = headline(results, Thresholds.parse(["undid=0.4"]))
    assert (row_of(usual, "m").usable.mean, row_of(lenient, "m").usable.mean) == (1.0, 2.0)
    assert score(usual, "m") == score(lenient, "m")


@pytest.mark.parametrize("text", ["undone=0.5", "kept", "kept=high", "kept=1.5", "kept=nan"])
def test_a_threshold_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="is no threshold"):
        Thresholds.parse([text])


def test_the_sentence_says_what_ended_a_few_chains_as_such() -> None:
    good, bad = [(YES, 1.0, 1.0)] * 2, [(YES, 1.0, 1.0), (YES, 0.1, 1.0)]
    few = summed(*(chain("m", f"p{n}", *(bad if n == 0 else good)) for n in range(4)))
    assert headline_sentence(few).endswith("1.8 rounds, and in 1 of 4 chains edits are no longer undone.")
    most = summed(*(chain("m", f"p{n}", *(good if n == 0 else bad)) for n in range(4)))
    assert headline_sentence(most).endswith("1.2 rounds, then edits are no longer undone.")


def test_an_imported_chain_without_its_return_is_left_out_of_the_score() -> None:
    found = summed(
        chain("m", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0)), troubles=(failed("m", "q", 1, "absent"),)
    )
    assert score(found, "m") == 100.0 and (found.cases, found.all_cases) == (1, 2)
    assert row_of(found, "m").usable.n == 1


def test_the_worst_cases_are_those_that_lost_most_to_the_eye() -> None:
    returns = (
        *chain("m", "p", (YES, 1.0, 1.0), (YES, 0.25, 1.0)),
        *chain("m", "q", (YES, 1.0, 1.0), (YES, 0.04, 1.0)),
        *chain("n", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0)),
        *chain("jpeg", "p", (NO, 1.0, 1.0), (NO, 1.0, 1.0), role="probe"),
    )
    results = Results("suite", 2, (), returns, (), ())
    cases, facts = worst_by(results)
    assert facts.name == "headline_score"
    assert [(one.returned.model, one.returned.picture, one.fell_at) for one in cases] == [
        ("m", "q", 2.0), ("m", "p", 2.0), ("n", "p", None)
    ]  # fmt: skip
    assert [one.value for one in cases] == pytest.approx([20, 50, 100])
    assert [one.value for one in worst_by(results, round=1, models=["n"])[0]] == [100]


def test_another_face_ends_a_chain() -> None:
    row = row_of(summed(chain("m", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0), face=0.9)), "m")
    assert row.usable.mean == 0.0 and row.usable.chief_ending == "another person"


def test_portraits_whose_faces_were_not_compared_for_every_model_are_counted() -> None:
    good = (YES, 1.0, 1.0)
    known = chain("m", "p", good, face=0.1)
    assert summed(known, rounds=1).uncompared_face_cases == 0
    assert summed(known, chain("m", "q", good), rounds=1).uncompared_face_cases == 1
    assert summed(known, chain("late", "p", good), rounds=1).uncompared_face_cases == 1
    assert summed(known, chain("jpeg", "p", good, role="probe"), rounds=1).uncompared_face_cases == 0


def test_a_portrait_without_a_face_and_a_scene_lack_no_comparison() -> None:
    good = (YES, 1.0, 1.0)
    faceless = [
        replace(one, values={**one.values, "face_distance": measured("face_distance", NO_FACE_IN_SOURCE)})
        for one in chain("m", "p", good)
    ]
    scene = [replace(one, kind="scene") for one in chain("m", "q", good)]
    assert summed(faceless, scene, rounds=1).uncompared_face_cases == 0


def test_the_score_is_over_cases_that_every_ranked_model_has() -> None:
    good, bad = (YES, 1.0, 1.0), (YES, 0.0, 0.0)
    found = summed(
        chain("a", "p", good, good), chain("a", "q", bad, bad), chain("b", "p", good, good)
    )  # fmt: skip
    assert found.cases == 1 and found.all_cases == 2
    assert score(found, "a") == score(found, "b") == 100.0


def test_probes_and_floors_stand_apart_and_have_no_rank() -> None:
    found = summed(
        chain("m", "p", (YES, 0.5, 0.5), (YES, 0.5, 0.5)),
        chain("jpeg", "p", (NO, 1.0, 1.0), (NO, 1.0, 1.0), role="probe"),
    )
    assert [row.model for row in found.rows] == ["m"]
    assert [(row.model, row.rank) for row in found.calibration] == [("jpeg", None)]


def test_models_that_cannot_be_told_apart_share_a_letter() -> None:
    pictures = [f"p{number}" for number in range(10)]
    found = summed(
        *(chain("good", one, (YES, 0.9, 0.9), (YES, 0.9, 0.9)) for one in pictures),
        *(chain("same", one, (YES, 0.9, 0.9), (YES, 0.9, 0.9)) for one in pictures),
        *(chain("bad", one, (YES, 0.2, 0.2), (YES, 0.1 + n / 50, 0.2)) for n, one in enumerate(pictures)),
    )
    assert [(row.rank, row.group) for row in found.rows] == [(1, "a"), (1, "a"), (3, "b")]


share = st.floats(0, 1)


@given(st.lists(st.tuples(st.sampled_from([YES, NO]), share, share), min_size=1, max_size=4))
def test_a_score_lies_between_nothing_and_all(rounds: list[tuple[float, float, float]]) -> None:
    found = summed(chain("m", "p", *rounds), rounds=len(rounds))
    value = score(found, "m")
    assert value is not None and 0 <= value <= 100
    assert row_of(found, "m").usable.mean <= len(rounds)


def test_usable_rounds_without_censoring_are_a_plain_mean() -> None:
    bad = (YES, 0.0, 1.0)
    good = (YES, 1.0, 1.0)
    found = summed(
        chain("m", "p", bad), chain("m", "q", good, bad), chain("m", "r", good, good, good), rounds=3
    )
    assert row_of(found, "m").usable.mean == pytest.approx((0 + 1 + 3) / 3)


def test_missing_values_leave_a_chain_without_a_score() -> None:
    first, second = chain("m", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0))
    second = replace(second, values={"kept": measured("kept", 1.0)})
    assert score(summed([first, second]), "m") is None
