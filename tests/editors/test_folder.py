"""Pictures made elsewhere: chains in folders and lists of single edits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from convergebench.editors import open_editor
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Case, Failure, PictureFacts, Refused, Step
from editors.engine_run import edit_once, request, run_cases
from made_pictures import textured


def write_picture(path: Path, seed: int) -> str:
    picture = Picture.from_pixels(textured(seed=seed))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture.encoded)
    return picture.digest


def write_chain(folder: Path, rounds: int, seed: int = 100) -> list[str]:
    names = [f"I{n}_{role}.png" for n in range(1, rounds + 1) for role in ("forward", "backward")]
    return [write_picture(folder / name, seed + number) for number, name in enumerate(names)]


def digests(steps: list[Step]) -> list[str]:
    return [step.outcome.digest for step in steps if isinstance(step.outcome, PictureFacts)]


@pytest.mark.parametrize("place", ["one/ball", "one__ball"])
def test_a_chain_becomes_a_trajectory_of_exactly_its_pictures(
    place: str, tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case()
    made = write_chain(tmp_path / "made" / place, rounds=2)
    shutil.copyfile(case.source.path, tmp_path / "made" / place / "I0_source.png")
    outcome = run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), case, rounds=2)
    assert outcome.complete == 1
    assert digests(workspace.steps(1)) == made
    assert {step.cost_usd for step in workspace.steps(1)} == {None}
    source = workspace.steps(1)[0].inputs[0]
    measured = workspace.query("SELECT picture FROM measurements WHERE reference = ? AND value > 0", source)
    assert {row["picture"] for row in measured} >= set(made[1::2])


def test_a_chain_that_is_too_short_ends_where_its_pictures_end(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    made = write_chain(tmp_path / "made" / "one" / "ball", rounds=1)
    outcome = run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), make_case(), rounds=3)
    assert (outcome.complete, outcome.failures["refused"]) == (0, 1)
    *done, missing = workspace.steps(1)
    assert digests(done) == made
    assert missing.outcome == Failure("refused", "no picture for one/ball, forward of round 2")
    assert missing.attempts == 1


def test_pictures_that_are_added_later_are_found_by_the_next_run(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    chain = tmp_path / "made" / "one" / "ball"
    write_chain(chain, rounds=1)
    run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), make_case(), rounds=2)
    write_chain(chain, rounds=2)
    outcome = run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), make_case(), rounds=2)
    assert outcome.complete == 1


def test_a_chain_that_began_with_another_picture_is_refused(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    chain = tmp_path / "made" / "one" / "ball"
    write_chain(chain, rounds=1)
    write_picture(chain / "I0_source.png", seed=99)
    run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), make_case())
    (step,) = workspace.steps(1)
    assert isinstance(step.outcome, Failure)
    assert "began with another picture" in step.outcome.reason


def test_a_source_that_another_decoder_read_a_little_differently_is_the_same_picture(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case, chain = make_case(), tmp_path / "made" / "one" / "ball"
    write_chain(chain, rounds=1)
    pixels = Picture.from_file(case.source.path).pixels
    nearly = Picture.from_pixels(np.where(pixels < 255, pixels + 1, pixels).astype(np.uint8))
    (chain / "I0_source.png").write_bytes(nearly.encoded)
    assert run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), case).complete == 1


def test_a_damaged_picture_is_a_failure_and_no_other_stands_in(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    chain = tmp_path / "made" / "one" / "ball"
    write_chain(chain, rounds=1)
    (chain / "I1_forward.png").write_bytes(b"no picture")
    run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), make_case())
    (step,) = workspace.steps(1)
    assert isinstance(step.outcome, Failure)
    assert step.outcome.kind == "bad_output"


def test_one_chain_does_not_stand_for_two_seeds(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    write_chain(tmp_path / "made" / "one" / "ball", rounds=1)
    run_cases(workspace, open_editor(f"folder:{tmp_path / 'made'}"), make_case(), seed=1)
    (step,) = workspace.steps(1)
    assert isinstance(step.outcome, Failure)
    assert "no picture for seed 1" in step.outcome.reason


def test_a_list_gives_the_first_edit_of_each_case_by_paths_relative_to_itself(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = write_picture(tmp_path / "made" / "pictures" / "a.png", seed=7)
    rows = [
        {"id": "one/ball", "image_path": "pictures/a.png"},
        {"id": "two/ball", "image_path": "pictures/lost.png"},
    ]
    listing = tmp_path / "made" / "edits.jsonl"
    listing.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    monkeypatch.chdir("/")
    run_cases(workspace, open_editor(f"folder:{listing}"), make_case("one"), make_case("two", seed=1))
    (first, second), (lost,) = workspace.steps(1), workspace.steps(2)
    assert digests([first]) == [digest]
    assert second.outcome == Failure("refused", "no picture for one/ball, backward of round 1")
    assert lost.outcome == Failure("refused", "no picture for two/ball, forward of round 1")


def test_the_id_of_a_case_in_a_list_may_hold_a_separator_of_lines(
    tmp_path: Path, workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    digest = write_picture(tmp_path / "a.png", seed=7)
    case = make_case("one\u2028two")
    row = {"id": case.id, "image_path": "a.png"}
    (tmp_path / "edits.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    run_cases(workspace, open_editor(f"folder:{tmp_path / 'edits.jsonl'}"), case)
    assert digests(workspace.steps(1)[:1]) == [digest]


def test_the_same_pictures_elsewhere_are_of_the_same_version_and_others_are_not(tmp_path: Path) -> None:
    write_chain(tmp_path / "made" / "case", rounds=1)
    shutil.copytree(tmp_path / "made", tmp_path / "moved")
    before = open_editor(f"folder:{tmp_path / 'made'}").facts.version
    assert open_editor(f"folder:{tmp_path / 'moved'}").facts.version == before
    write_picture(tmp_path / "moved" / "case" / "I1_forward.png", seed=5)
    assert open_editor(f"folder:{tmp_path / 'moved'}").facts.version != before


def test_outside_a_suite_there_is_nothing_to_look_up(tmp_path: Path) -> None:
    write_chain(tmp_path / "made" / "case", rounds=1)
    with pytest.raises(Refused, match="cases of a suite"):
        edit_once(open_editor(f"folder:{tmp_path / 'made'}"), request())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not JSON", "line 2.*must be"),
        ('{"id": "b"}', "line 2.*must be"),
        ('["b", "b.png"]', "line 2.*must be"),
        ('{"id": "a", "image_path": "b.png"}', "line 2.*duplicate case a"),
    ],
)
def test_a_wrong_line_is_named(line: str, says: str, tmp_path: Path) -> None:
    listing = tmp_path / "edits.jsonl"
    listing.write_text('{"id": "a", "image_path": "a.png"}\n' + line)
    with pytest.raises(WrongUse, match=says):
        open_editor(f"folder:{listing}")


def test_a_place_without_pictures_is_a_wrong_name(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="has no pictures"):
        open_editor(f"folder:{tmp_path}")
    with pytest.raises(WrongUse, match="neither a folder nor"):
        open_editor(f"folder:{tmp_path / 'nowhere'}")
