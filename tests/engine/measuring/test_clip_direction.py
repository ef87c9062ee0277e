"""Forward edits are measured by CLIP's direction where CLIP is there, with a real engine and a tiny CLIP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convergebench.analysis import forward_success
from convergebench.analysis.round_trip.audit import audit
from convergebench.analysis.round_trip.forward_success import TOWARDS
from convergebench.engine import Plan, run_plan
from convergebench.engine.measuring.caption_measurer import CaptionMeasurer
from convergebench.engine.measuring.clip_direction import DirectionMeasurer
from convergebench.engine.measuring.items import CaptionedPicture, ForwardEdit
from convergebench.metrics import MetricOptions, MetricSet, clip, clip_direction
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.results import load_results
from convergebench.results.audit_input import load_audit_input
from convergebench.results.clip_directions import clip_directions
from convergebench.store import Workspace
from convergebench.types import Case, Edited, Editor, EditRequest, PictureFacts, Step
from made_pictures import textured
from scripted import Scripted
from tiny_clip import save_tiny_clip


@pytest.fixture(scope="module")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_clip(tmp_path_factory.mktemp("clip"))


def run(workspace: Workspace, editor: Editor, case: Case, weights: Path, *metrics: str) -> None:
    ruler = MetricSet(metrics, MetricOptions(clip=str(weights), device="cpu"))
    plan = Plan("tiny@0", round_trip(2), (case,), (editor,), (0,))
    number = workspace.start_run({"suite": "tiny@0"}, "test")
    asyncio.run(run_plan(plan, workspace, ruler, run=number))


def darker(number: int, request: EditRequest) -> Edited:
    return Edited(Picture.from_pixels((request.image.pixels * 0.7).astype(np.uint8)))


def stored(workspace: Workspace) -> dict[tuple[str, str], tuple[str, float | None]]:
    rows = workspace.query("SELECT * FROM measurements WHERE metric = 'clip_direction'")
    return {(row["reference"], row["picture"]): (row["version"], row["value"]) for row in rows}


def forward_steps(workspace: Workspace) -> list[tuple[Step, PictureFacts]]:
    return [
        (step, step.outcome)
        for step in workspace.steps(1)
        if step.role == "forward" and isinstance(step.outcome, PictureFacts)
    ]


def test_every_forward_edit_gets_its_direction_under_the_weights_and_the_texts(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path
) -> None:
    run(workspace, Scripted(darker), make_case(), tiny_clip, "psnr", "clip")
    found = stored(workspace)
    steps = forward_steps(workspace)
    assert set(found) == {(step.inputs[0], made.digest) for step, made in steps} and len(found) == 2
    options = MetricOptions(clip=str(tiny_clip), device="cpu")
    texts = clip_direction.Captions("a picture", "a picture with a red ball")
    assert {version for version, _ in found.values()} == {
        clip_direction.version(clip.version(options), texts)
    }
    held = clip.load(options)
    assert isinstance(held, clip.Clip)
    measuring = clip_direction.load(held)
    for (before, after), (_, value) in found.items():
        pictures = [workspace.pictures.load(digest).pixels for digest in (before, after)]
        (expected,) = measuring.measure([clip_direction.DirectionQuery(pictures[0], pictures[1], texts)])
        assert value == pytest.approx(expected, abs=1e-4)


def test_a_direction_that_is_known_is_not_measured_again(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path
) -> None:
    for _ in range(2):
        run(workspace, Scripted(darker), make_case(), tiny_clip, "clip")
        times = [row["at"] for row in workspace.query("SELECT at FROM measurements ORDER BY at")]
    assert len(stored(workspace)) == 2 and max(times) < workspace.query("SELECT max(started) FROM runs")[0][0]


def test_edits_are_measured_when_the_weights_come_later(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path, tmp_path: Path
) -> None:
    run(workspace, Scripted(darker), make_case(), tmp_path, "psnr", "clip")
    assert stored(workspace) == {}
    again = Scripted(darker)
    run(workspace, again, make_case(), tiny_clip, "psnr", "clip")
    assert len(stored(workspace)) == 2 and again.requests == []


@pytest.mark.parametrize("instruction", ["Flip the image horizontally.", "Make it darker."])
def test_instructions_without_captions_are_not_measured(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path, instruction: str
) -> None:
    run(workspace, Scripted(darker), replace(make_case(), forward=instruction), tiny_clip, "clip")
    assert stored(workspace) == {}


def test_without_clip_among_the_metrics_there_is_no_direction(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path
) -> None:
    run(workspace, Scripted(darker), make_case(), tiny_clip, "psnr")
    assert stored(workspace) == {}


def test_weights_without_words_leave_the_run_and_its_other_metrics_as_they_are(
    workspace: Workspace, make_case: Callable[..., Case], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for file in save_tiny_clip(tmp_path / "words").glob("tokenizer*"):
        file.unlink()
    run(workspace, Scripted(darker), make_case(), tmp_path / "words", "clip")
    assert stored(workspace) == {}
    assert workspace.query("SELECT count(value) FROM measurements WHERE metric = 'clip'")[0][0] == 2
    assert caplog.text.count("no text half of CLIP") == 1


def test_what_was_measured_is_found_by_pictures_and_instruction(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path
) -> None:
    run(workspace, Scripted(darker), make_case(), tiny_clip, "clip")
    known = clip_directions(workspace)
    (step, made), *_ = forward_steps(workspace)
    given = step.inputs[0]
    assert known.of(given, made.digest, "Add a red ball.")["clip_direction"].value is not None
    assert known.of(given, made.digest, "Add a blue ball.") == {}
    assert known.of(given, made.digest, "Flip it.")["clip_direction"].missing is not None
    assert known.of(made.digest, given, "Add a red ball.") == {}


def test_a_lost_picture_costs_its_own_direction_and_caption(
    workspace: Workspace, tiny_clip: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before, after, lost = (Picture.from_pixels(textured(seed=seed)) for seed in range(3))
    texts = clip_direction.Captions("a picture", "a picture with a red ball")
    gone = workspace.pictures.open(lost.facts)
    directions = DirectionMeasurer(MetricSet(["clip"], MetricOptions(clip=str(tiny_clip), device="cpu")))
    edits = [ForwardEdit(before, after, texts), ForwardEdit(before, gone, texts)]
    assert [row[:2] for row in directions.measure(edits)] == [(before.digest, after.digest)]
    captioned = [CaptionedPicture(one, "a ball", "c" * 64) for one in (gone, after)]
    assert [row[1] for row in CaptionMeasurer(directions).measure(captioned)] == [after.digest]
    named = [record for record in caplog.records if lost.digest in record.message]
    assert len(named) == 2 and not any(record.exc_info for record in named)


def test_only_the_newest_weights_count(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path, tmp_path: Path
) -> None:
    run(workspace, Scripted(darker), make_case(), tiny_clip, "clip")
    others = save_tiny_clip(tmp_path / "others")
    (others / "note.json").write_text("{}")
    run(workspace, Scripted(darker), make_case(), others, "clip")
    version = clip.version(MetricOptions(clip=str(others)))
    assert len(workspace.query("SELECT * FROM measurements WHERE metric = 'clip_direction'")) == 4
    assert {version in one.version for one in clip_directions(workspace).values.values()} == {True}


def test_forward_success_of_a_run_is_by_its_directions_and_flips_by_any_change(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path
) -> None:
    run(workspace, Scripted(darker), make_case(), tiny_clip, "psnr", "clip")
    flip = replace(make_case(), id="one/flip", forward="Flip the image horizontally.")
    run(workspace, Scripted(darker), flip, tiny_clip, "psnr", "clip")
    towards = sum(value is not None and value > TOWARDS for _, value in stored(workspace).values())
    success = forward_success(load_results(workspace))["scripted"]
    assert (success.happened, success.judged, success.unknown) == (towards + 2, 4, 0)
    assert success.says is not None and "by CLIP" in success.says


def test_directions_of_several_texts_are_no_mixed_versions(
    workspace: Workspace, make_case: Callable[..., Case], tiny_clip: Path
) -> None:
    hat = replace(make_case(), id="one/hat", forward="Add a hat.")
    for case in (make_case(), hat):
        run(workspace, Scripted(darker), case, tiny_clip, "clip")
    sql = "SELECT DISTINCT version FROM measurements WHERE metric = 'clip_direction'"
    assert len(workspace.query(sql)) == 2
    assert "mixed_versions" not in {finding.kind for finding in audit(load_audit_input(workspace))}
