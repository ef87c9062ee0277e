"""Sessions in the engine: turn by turn, durable, measured from the chain itself, with fresh or same seeds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from convergebench.analysis.sessions.figures import measured_curves
from convergebench.engine import Plan, run_plan
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import protocol_cases
from convergebench.results.sessions import load_sessions
from convergebench.store import Workspace
from convergebench.types import Case, Edited, EditRequest, Refused, SeedPolicy, SessionTurn, SourcePicture
from scripted import Scripted

SUITE = "made@1/session"


def painted(number: int, request: EditRequest) -> Edited:
    """A square that the instruction names the place of, and nothing else."""
    pixels = request.image.pixels.copy()
    place = int(request.instruction.split()[-1].rstrip("."))
    pixels[8:40, 8 + 40 * place : 40 + 40 * place] = (250, 20, 20)
    return Edited(Picture.from_pixels(pixels))


@pytest.fixture
def case(make_source: Callable[..., SourcePicture]) -> Case:
    turns = tuple(SessionTurn(f"Paint {place}", "subject_add") for place in range(3))
    return Case("s", (make_source("wide", width=256, height=128),), turns[0].instruction, turns=turns)


def run(
    workspace: Workspace, case: Case, editor: Scripted, name: str = "session", policy: SeedPolicy = "fresh"
) -> None:
    chosen = protocol_cases(name, 1, [case], [case])
    plan = Plan(f"made@1/{chosen.part}", chosen.protocol, chosen.cases, (editor,), (0,), policy)
    with workspace.run({"suite": plan.suite}) as recorded:
        asyncio.run(run_plan(plan, workspace, MetricSet(["psnr", "regions"]), run=recorded.id))


def kept(workspace: Workspace, suite: str = SUITE) -> list[float | None]:
    (curve,) = [one for one in measured_curves(load_sessions(workspace, [suite])) if one.figure.key == "kept"]
    return [point.score and point.score.mean for point in curve.points]


def test_what_is_edited_in_any_turn_so_far_is_no_part_of_the_rest(workspace: Workspace, case: Case) -> None:
    run(workspace, case, Scripted(painted))
    assert kept(workspace) == [1.0, 1.0, 1.0]


def test_wear_outside_the_edits_is_seen_and_grows(workspace: Workspace, case: Case) -> None:
    def worn(number: int, request: EditRequest) -> Edited:
        pixels = painted(number, request).picture.pixels.astype(int)
        pixels[64:] = np.clip(pixels[64:] + 25, 0, 255)
        return Edited(Picture.from_pixels(pixels.astype(np.uint8)))

    run(workspace, case, Scripted(worn))
    first, second, third = kept(workspace)
    assert first is not None and second is not None and third is not None
    assert 1 > first > second > third


def test_after_a_change_of_the_whole_picture_there_is_no_rest(workspace: Workspace, case: Case) -> None:
    tasks = ("subject_add", "background_change", "subject_add")
    turns = tuple(replace(turn, task=task) for turn, task in zip(case.turns, tasks, strict=True))
    run(workspace, replace(case, turns=turns), Scripted(painted))
    assert kept(workspace) == [1.0, None, None]


def test_a_refused_turn_ends_the_session_and_the_others_are_missing(workspace: Workspace, case: Case) -> None:
    def refusing(number: int, request: EditRequest) -> Edited:
        if number == 2:
            raise Refused("not this")
        return painted(number, request)

    run(workspace, case, Scripted(refusing))
    (session,) = load_sessions(workspace, [SUITE])
    assert [turn.missing for turn in session.turns] == [
        None, "no picture: not this", "the session ended before this turn",
    ]  # fmt: skip


@pytest.mark.parametrize(("policy", "different"), [("fresh", 3), ("same", 1)])
def test_steps_have_fresh_seeds_or_the_same(
    workspace: Workspace, case: Case, policy: SeedPolicy, different: int
) -> None:
    editor = Scripted(painted)
    run(workspace, case, editor, policy=policy)
    given = {request.seed for request in editor.requests}
    assert len(given) == different
    assert {row["seed"] for row in workspace.query("SELECT seed FROM steps")} == given


def test_the_seed_policy_makes_another_model_of_an_editor(workspace: Workspace, case: Case) -> None:
    run(workspace, case, Scripted(painted))
    run(workspace, case, Scripted(painted), policy="same")
    assert {session.model for session in load_sessions(workspace, [SUITE])} == {
        "scripted", "scripted+same-seed",
    }  # fmt: skip


def test_a_finished_session_is_replayed_and_not_edited_again(workspace: Workspace, case: Case) -> None:
    run(workspace, case, Scripted(painted))
    again = Scripted(painted)
    run(workspace, case, again)
    assert not again.requests


def test_targets_and_masks_are_measured_inside_and_outside(
    workspace: Workspace, case: Case, make_source: Callable[..., SourcePicture]
) -> None:
    from convergebench.engine.target_pictures import store_targets

    source = Picture.from_file(case.source.path)
    target, mask = source.pixels.copy(), np.zeros_like(source.pixels)
    target[8:40, 8:40] = (250, 20, 20)
    mask[8:40, 8:40] = 255
    for name, pixels in (("target", target), ("mask", mask)):
        make_source(name)
        (case.source.path.parent / f"{name}.png").write_bytes(Picture.from_pixels(pixels).encoded)
    files = {
        name: SourcePicture(name, case.source.path.parent / f"{name}.png", "") for name in ("target", "mask")
    }
    turns = (replace(case.turns[0], **files), *case.turns[1:])
    (stored,) = store_targets(workspace.pictures, [replace(case, turns=turns)])
    run(workspace, stored, Scripted(lambda number, request: Edited(request.image)))
    (session,) = load_sessions(workspace, [SUITE])
    values = session.turns[0].values
    missed = np.abs(source.pixels[8:40, 8:40].astype(float) - (250, 20, 20)).mean() / 255
    assert values["target_l1_inside"].value == pytest.approx(missed)
    assert values["target_l1_outside"].value == 0
    assert values["target_l1"].value == pytest.approx(missed * 32 * 32 / (256 * 128))
    assert values["source_psnr_outside"].value == float("inf")
    assert "target_psnr" in values and "target_l1" not in session.turns[1].values


def test_what_earlier_turns_were_to_change_is_not_compared_with_the_source(
    workspace: Workspace, case: Case
) -> None:
    from convergebench.engine.target_pictures import store_targets

    source = Picture.from_file(case.source.path)
    shown, masks = [source.pixels.copy()], []
    for left in (8, 60):
        after, mask = shown[-1].copy(), np.zeros_like(source.pixels)
        after[8:40, left : left + 32], mask[8:40, left : left + 32] = (250, 20, 20), 255
        file = case.source.path.parent / f"mask{left}.png"
        file.write_bytes(Picture.from_pixels(mask).encoded)
        shown, masks = [*shown, after], [*masks, SourcePicture(file.stem, file, "")]
    turns = [replace(turn, mask=mask) for turn, mask in zip(case.turns[:2], masks, strict=True)]
    (stored,) = store_targets(workspace.pictures, [replace(case, turns=tuple(turns))])
    run(workspace, stored, Scripted(lambda number, request: Edited(Picture.from_pixels(shown[number]))))
    (session,) = load_sessions(workspace, [SUITE])
    assert [turn.values["masked_mse"].value for turn in session.turns] == [0, 0]
    assert [turn.values["source_l2_outside"].value for turn in session.turns] == [0, 0]
