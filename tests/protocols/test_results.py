"""What a workspace says of each protocol's trajectories, by the same analysis as for round trips."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import convergebench
from convergebench.analysis import audit, forward_success, headline_rounds, rankings
from convergebench.engine import Plan, run_plan
from convergebench.engine.judging.candidates import judging_candidates
from convergebench.errors import WrongUse
from convergebench.judges import rubric
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import cross_edit, round_trip, stay
from convergebench.results import load_audit_input, load_results
from convergebench.store import Workspace
from convergebench.suites._pairs import cases_of
from convergebench.types import Case, Edited, EditRequest, Refused, SourcePicture, SuiteId, Undoable
from made_pictures import textured
from scripted import Scripted

MakeSource = Callable[..., SourcePicture]


def run(workspace: Workspace, plan: Plan) -> None:
    number = workspace.start_run({"suite": plan.suite}, "test")
    asyncio.run(run_plan(plan, workspace, MetricSet(["psnr", "ssim"]), run=number))


def darker(picture: Picture, by: int) -> Edited:
    return Edited(Picture.from_pixels(np.clip(picture.pixels.astype(int) - by, 0, 255).astype(np.uint8)))


@pytest.fixture
def twice(make_case: Callable[..., Case]) -> Case:
    return replace(make_case(), more=(Undoable("Add a cat.", "Remove the cat."),))


def test_a_round_of_a_cross_edit_has_one_return_and_two_forward_edits(
    workspace: Workspace, twice: Case
) -> None:
    run(workspace, Plan("tiny@0/cross_edit", cross_edit(3), (twice,), (Scripted(),), (0,)))
    results = load_results(workspace)
    assert (results.protocol, results.rounds) == ("cross_edit", 3)
    assert [item.round for item in results.returns] == [1, 2, 3]
    assert [len(item.forwards) for item in results.returns] == [2, 2, 2]
    assert (results.uses[0].edits, results.uses[0].complete) == (12, 1)
    assert audit(load_audit_input(workspace)) == ()


@pytest.mark.parametrize(("idle", "happened"), [(None, 1), ("Add a cat.", 0), ("Add a red ball.", 0)])
def test_a_round_counts_only_if_all_its_forward_edits_happened(
    workspace: Workspace, twice: Case, idle: str | None, happened: int
) -> None:
    def script(_: int, request: EditRequest) -> Edited:
        return darker(request.image, 0 if request.instruction == idle else 40)

    run(workspace, Plan("tiny@0/cross_edit", cross_edit(1), (twice,), (Scripted(script),), (0,)))
    found = forward_success(load_results(workspace))["scripted"]
    assert (found.happened, found.judged) == (happened, 1)


def test_a_forward_edit_is_judged_though_undoing_it_was_refused(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def script(_: int, request: EditRequest) -> Edited:
        if request.instruction.startswith("Remove"):
            raise Refused("nothing is taken away")
        return darker(request.image, 40)

    run(workspace, Plan("tiny@0", round_trip(2), (make_case(),), (Scripted(script),), (0,)))
    found = forward_success(load_results(workspace))["scripted"]
    assert (found.happened, found.judged) == (1, 1)


def test_every_picture_that_stays_is_a_return_and_nothing_is_gated(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = replace(make_case(), backward=None)
    run(workspace, Plan("tiny@0/stay", stay(2), (case,), (Scripted(),), (0,)))
    ((results, ranked),) = rankings(load_results(workspace), "ssim")
    assert [item.round for item in results.returns] == [1, 2]
    assert ranked.rows[0].convergence is not None
    assert ranked.rows[0].convergence.together is not None
    assert ranked.rows[0].convergence.gated is None


def test_protocols_are_never_mixed_even_under_one_name(workspace: Workspace, twice: Case) -> None:
    run(workspace, Plan("tiny@0", round_trip(2), (twice,), (Scripted(),), (0,)))
    run(workspace, Plan("tiny@0", cross_edit(2), (twice,), (Scripted(),), (0,)))
    results = load_results(workspace, SuiteId("tiny@0"))
    assert (results.protocol, len(results.returns)) == ("cross_edit", 2)


def test_a_judge_sees_the_forward_edits_and_returns_but_no_halfway_undoing(
    workspace: Workspace, twice: Case
) -> None:
    run(workspace, Plan("tiny@0/cross_edit", cross_edit(1), (twice,), (Scripted(),), (0,)))
    forward, back = (rubric(name) for name in ("roundtrip_forward", "roundtrip_reversal"))
    edits = [one.task.subject.texts["instruction"] for one in judging_candidates(workspace, [forward])]
    assert edits == ["Add a red ball.", "Add a cat."]
    (returned,) = judging_candidates(workspace, [back])
    assert returned.task.subject.texts["instruction"] == "Add a red ball. Add a cat."


def test_a_judge_is_told_what_to_look_for(workspace: Workspace, make_source: MakeSource) -> None:
    cases = cases_of(make_source(), (), ["cat_add_remove", "snow_add_remove"])
    run(workspace, Plan("tiny@0", round_trip(1), cases, (Scripted(),), (0,)))
    rubrics = [rubric(name) for name in ("roundtrip_forward", "roundtrip_reversal")]
    hints = {
        (one.place.part, one.task.subject.texts["hint"]) for one in judging_candidates(workspace, rubrics)
    }
    assert hints == {
        ("tiny@0", "The scene with a cat."),
        ("tiny@0", "The source picture again, without a cat."),
        ("tiny@0/partial", "The scene with falling snow and snow on the ground."),
        ("tiny@0/partial", "The source picture again, without snow in the air or on the ground."),
    }


@pytest.fixture
def mixed(workspace: Workspace, make_source: MakeSource) -> Workspace:
    """A model that loses little on reversible edits and much on the others."""

    def script(_: int, request: EditRequest) -> Edited:
        return darker(request.image, 30 if "fog" in request.instruction else 2)

    cases = cases_of(make_source(), (), ["cat_add_remove", "dog_add_remove", "fog_add_remove"])
    run(workspace, Plan("tiny@1", round_trip(2), cases, (Scripted(script),), (0,)))
    return workspace


def test_partially_reversible_edits_are_ranked_apart_with_their_own_n(mixed: Workspace) -> None:
    (_, clear), (_, partial) = rankings(load_results(mixed), "ssim")
    assert [(one.edits, one.rows[0].n) for one in (clear, partial)] == [
        ("reversible", 2),
        ("partially reversible", 1),
    ]
    means = [one.rows[0].metrics["psnr"].mean for one in (clear, partial)]
    assert means[0] is not None
    assert means[1] is not None
    assert means[0] > means[1] + 10


def test_what_a_model_took_is_counted_apart_too(mixed: Workspace) -> None:
    results = load_results(mixed)
    assert results.partial is not None
    assert (results.uses[0].edits, results.partial.uses[0].edits) == (8, 4)
    assert {item.reversibility for item in results.partial.returns} == {"information-destroying"}


def test_the_partial_part_can_be_looked_at_by_name(mixed: Workspace) -> None:
    part = load_results(mixed, SuiteId("tiny@1/partial"))
    assert (part.suite, part.edits, {item.pair for item in part.returns}) == (
        "tiny@1", "partially reversible", {"fog_add_remove"},
    )  # fmt: skip


def test_results_of_partially_reversible_edits_alone_say_so(
    workspace: Workspace, make_source: MakeSource
) -> None:
    cases = cases_of(make_source(), (), ["fog_add_remove"])
    run(workspace, Plan("tiny@1", round_trip(1), cases, (Scripted(),), (0,)))
    ((_, ranked),) = rankings(load_results(workspace), "ssim")
    assert ranked.edits == "partially reversible"


def test_where_there_are_none_asking_for_them_is_wrong_use(
    workspace: Workspace, make_source: MakeSource
) -> None:
    cases = cases_of(make_source(), (), ["cat_add_remove"])
    run(workspace, Plan("tiny@1", round_trip(1), cases, (Scripted(),), (0,)))
    with pytest.raises(WrongUse, match="no partially reversible edits"):
        load_results(workspace, SuiteId("tiny@1/partial"))


def test_the_same_case_counts_for_every_suite_that_has_it(
    workspace: Workspace, make_source: MakeSource
) -> None:
    cases = cases_of(make_source(), (), ["cat_add_remove", "dog_add_remove"])
    run(workspace, Plan("whole@1", round_trip(1), cases, (Scripted(),), (0,)))
    again = Scripted()
    run(workspace, Plan("part@1", round_trip(1), cases[:1], (again,), (0,)))
    assert again.requests == []
    assert [len(load_results(workspace, SuiteId(suite)).returns) for suite in ("whole@1", "part@1")] == [2, 1]


def test_results_stand_at_the_marks_that_there_are_and_at_the_last_round(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "anna.png").write_bytes(Picture.from_pixels(textured()).encoded)
    done = convergebench.run(
        "jpeg", f"folder:{tmp_path}/pictures", 6, limit=2, metrics=["ssim"], workspace=tmp_path / "results"
    )
    marks = headline_rounds(done.results(), "ssim")
    assert marks.rounds == (1, 2, 3, 5, 6), "with the last"
    frame = done.returns()
    by_hand = [frame[frame["round"] == mark]["ssim"].mean() for mark in marks.rounds]
    assert [point.mean for point in marks.points["jpeg"]] == pytest.approx(by_hand)
    assert {point.n for point in marks.points["jpeg"]} == {2}


@pytest.mark.parametrize("part", ["tiny@0", "tiny@0/stay"])
def test_a_named_suite_shows_its_last_results_though_a_later_protocol_had_none(
    workspace: Workspace, make_case: Callable[..., Case], part: str
) -> None:
    def refuse(_: int, request: EditRequest) -> Edited:
        raise Refused("no")

    run(workspace, Plan("tiny@0", round_trip(1), (make_case(),), (Scripted(),), (0,)))
    run(workspace, Plan(part, stay(2), (make_case(),), (Scripted(refuse),), (0,)))
    assert load_results(workspace, SuiteId("tiny")).protocol == "round_trip"
    assert load_results(workspace).protocol == "stay" and not load_results(workspace).returns
