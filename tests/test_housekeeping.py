"""Names, hiding, removing, merging and freeing space: nothing is mixed, forked or lost by it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench import api, housekeeping
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.picture import Picture
from convergebench.report.export.measurements import MeasurementRow, measurement_rows
from convergebench.report.paper import Heading, write_paper
from convergebench.results import load_results
from convergebench.store import Workspace
from convergebench.store.spending import WorkspaceSpending, total_spent_usd
from made_pictures import textured
from set_imitations import write_magicbrush_test

JPEG, BLUR = "jpeg", "jpeg?quality=20"


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(("anna", "lake")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
    return folder


@pytest.fixture
def run(pictures: Path, tmp_path: Path) -> Callable[..., Any]:
    """Runs a tiny benchmark and returns what happened."""

    def run(*models: str, workspace: str = "results", **settings: Any) -> Any:
        chosen = {"rounds": 1, "limit": 2, "metrics": ("psnr",)} | settings
        fresh = chosen.pop("fresh", False)
        with api.run(
            models, f"folder:{pictures}", workspace=tmp_path / workspace, fresh=fresh, **chosen
        ) as done:
            return done.outcome

    return run


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with sessions of four turns, each with a target and a mask."""
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    suite, folder = f"magicbrush?data={write_magicbrush_test(tmp_path / 'data')}", tmp_path / "sessions"
    with api.run(["identity"], suite, workspace=folder, limit=2, metrics=("psnr",)) as done:
        assert done.outcome.edits == 4
    return folder


def named_by_cases(folder: Path, *hints: str) -> set[str]:
    with Workspace.existing(folder) as workspace:
        cases = [json.loads(row[0]) for row in workspace.query("SELECT hints FROM case_facts")]
    return {digest for case in cases for hint in hints for digest in case[hint].split()}


def stored(folder: Path) -> set[str]:
    return {file.stem for file in (folder / "pictures").glob("??/*")}


def models_in(folder: Path) -> list[str]:
    with api.open(folder) as opened:
        return sorted(row.model for row in opened.ranking("psnr").rows)


def returns_in(folder: Path, **selected: Any) -> list[tuple[str, str]]:
    with api.open(folder, **selected) as opened:
        return sorted((item.model, item.digest or "") for item in opened.results().returns)


def measurements_in(folder: Path) -> list[MeasurementRow]:
    with Workspace.existing(folder) as workspace:
        return list(measurement_rows(workspace))


def test_a_name_labels_a_model_and_forks_nothing(run: Callable[..., Any], tmp_path: Path) -> None:
    assert run("mine=jpeg").edits == 4
    assert models_in(tmp_path / "results") == ["mine"]
    again = run(JPEG)
    assert (again.edits, again.replayed) == (0, 4)
    assert models_in(tmp_path / "results") == ["mine"]
    assert run("other=jpeg").edits == 0
    assert models_in(tmp_path / "results") == ["other"]


def test_a_renamed_model_keeps_its_results_and_is_found_by_all_its_names(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    run(JPEG)
    before = [digest for _, digest in returns_in(tmp_path / "results")]
    assert housekeeping.rename_model(tmp_path / "results", "jpeg", "usual") == "usual"
    assert [digest for _, digest in returns_in(tmp_path / "results")] == before
    for name in ("usual", "jpeg"):
        assert {model for model, _ in returns_in(tmp_path / "results", models=[name])} == {"usual"}
    assert housekeeping.rename_model(tmp_path / "results", "usual", "") == "jpeg"


def test_two_models_of_one_name_stay_two(run: Callable[..., Any], tmp_path: Path) -> None:
    run("mine=jpeg", f"mine={BLUR}")
    labels = models_in(tmp_path / "results")
    assert len(labels) == 2 and all(label.startswith("mine@") for label in labels)
    with pytest.raises(WrongUse, match="2 models are called mine"):
        housekeeping.rename_model(tmp_path / "results", "mine", "x")


def test_one_model_under_two_names_in_one_run_is_refused(run: Callable[..., Any]) -> None:
    with pytest.raises(WrongUse, match="a=jpeg and jpeg are the same model"):
        run("a=jpeg", "jpeg")


def test_hidden_models_and_runs_are_read_by_nobody_and_come_back(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    run(JPEG, BLUR)
    housekeeping.hide(folder, models=[BLUR])
    assert models_in(folder) == [JPEG]
    first = returns_in(folder)
    run(JPEG, fresh=True, seed=0)
    housekeeping.hide(folder, runs=[1])
    assert len(returns_in(folder)) == len(first)  # the second generation
    housekeeping.hide(folder, runs=[2])
    with pytest.raises((WorkspaceError, WrongUse)):
        models_in(folder)
    housekeeping.unhide(folder, models=[BLUR], runs=[1, 2])
    assert models_in(folder) == [JPEG, BLUR]


def test_a_workspace_with_hidden_models_alone_says_how_to_show_them(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    run(JPEG)
    housekeeping.hide(folder, models=[JPEG])
    with Workspace.existing(folder) as workspace:
        with pytest.raises(WorkspaceError, match=r"is hidden.*hide --undo"):
            load_results(workspace)
        with pytest.raises(WorkspaceError, match=r"is hidden.*hide --undo"):
            write_paper(workspace, None, tmp_path / "paper", Heading())


def test_hiding_a_run_that_extended_another_leaves_the_first_rounds(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    run(JPEG, rounds=1)
    one_round = returns_in(folder)
    run(JPEG, rounds=2)
    assert len(returns_in(folder)) == 2 * len(one_round)
    housekeeping.hide(folder, runs=[2])
    assert returns_in(folder) == one_round


def test_measurements_of_rounds_that_a_hidden_run_made_are_not_exported(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    run(JPEG, rounds=1, metrics=("psnr", "regions"))
    one_round = measurements_in(folder)
    run(JPEG, rounds=3, metrics=("psnr", "regions"))
    assert {row.round for row in measurements_in(folder)} == {1, 2, 3}
    housekeeping.hide(folder, runs=[2])
    assert measurements_in(folder) == one_round


def test_removed_edits_are_made_again_and_their_pictures_can_be_freed(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    run(JPEG, BLUR)
    kept = returns_in(folder, models=[JPEG])
    assert housekeeping.size(folder).unneeded_pictures == 0
    assert housekeeping.remove(folder, models=[BLUR]).steps == 4
    assert models_in(folder) == [JPEG]
    assert housekeeping.size(folder).unneeded_pictures > 0
    freed = housekeeping.collect_garbage(folder)
    assert freed.bytes > 0 and housekeeping.size(folder).unneeded_pictures == 0
    with Workspace.existing(folder) as workspace:
        for _, digest in kept:
            workspace.pictures.load(digest)
    assert run(BLUR).edits == 4


def test_a_removed_run_takes_the_rounds_behind_it_along(run: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run(JPEG, rounds=1)
    one_round = returns_in(folder)
    run(JPEG, rounds=2)
    housekeeping.remove(folder, runs=[2])
    assert returns_in(folder) == one_round
    assert [one.id for one in housekeeping.contents(folder).runs] == [1]
    assert run(JPEG, rounds=2).edits == 4


def test_nothing_is_collected_while_a_run_is_working(run: Callable[..., Any], tmp_path: Path) -> None:
    run(JPEG)
    with Workspace.create(tmp_path / "results") as workspace:
        assert workspace.claim(1)
        with pytest.raises(WorkspaceError, match="a run is working"):
            housekeeping.collect_garbage(tmp_path / "results")
        workspace.release(1)


def test_targets_and_masks_are_needed_by_their_cases(sessions: Path) -> None:
    assert housekeeping.collect_garbage(sessions).pictures == ()
    needed = named_by_cases(sessions, "targets", "masks")
    assert len(needed) == 8 and needed <= stored(sessions)


def test_targets_and_masks_are_merged_with_their_cases(sessions: Path, tmp_path: Path) -> None:
    housekeeping.merge(tmp_path / "merged", sessions)
    assert stored(tmp_path / "merged") == stored(sessions)


def test_lost_targets_are_named_and_stored_again_by_the_next_run(sessions: Path, tmp_path: Path) -> None:
    targets = named_by_cases(sessions, "targets")
    with Workspace.create(sessions) as workspace:
        workspace.pictures.remove(targets)
    lost = housekeeping.find_lost(sessions).lost
    assert {one.digest for one in lost if one.remedy == "fetch"} == targets
    with api.run(["identity"], f"magicbrush?data={tmp_path / 'data'}", workspace=sessions, limit=2):
        assert housekeeping.find_lost(sessions).lost == ()


def test_merging_adds_what_is_not_there_and_nothing_twice(run: Callable[..., Any], tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    run(JPEG, workspace="here")
    run(f"mine={BLUR}", workspace="there")
    added = housekeeping.merge(here, there)
    assert (added.runs, added.steps, added.missing_pictures) == (1, 4, 0)
    assert models_in(here) == ["jpeg", "mine"]
    shutil.rmtree(there / "pictures" / "incoming")
    again = housekeeping.merge(here, there)
    assert (again.runs, again.trajectories, again.steps, again.pictures) == (0, 0, 0, 0)
    assert run(BLUR, workspace="here").edits == 0


def test_merging_a_longer_trajectory_continues_the_shorter(run: Callable[..., Any], tmp_path: Path) -> None:
    run(JPEG, workspace="here", rounds=1)
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    run(JPEG, workspace="there", rounds=2)
    assert housekeeping.merge(tmp_path / "here", tmp_path / "there").trajectories == 0
    assert returns_in(tmp_path / "here") == returns_in(tmp_path / "there")


def test_merging_different_results_of_one_model_keeps_both_and_reads_the_later(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    """The same request with another outcome, as from a hosted model that changed."""
    for name in ("later", "earlier"):
        run(JPEG, workspace=name)
    with Workspace.create(tmp_path / "earlier") as workspace:
        workspace.write_rows("UPDATE steps SET at = '2020-01-01'", [()]).result()
        other = Picture.from_pixels(textured(seed=9))
        workspace.pictures.put(other)
        workspace.write_rows("UPDATE steps SET picture = ? WHERE position = 1", [(other.digest,)]).result()
    later = returns_in(tmp_path / "later")
    assert housekeeping.merge(tmp_path / "later", tmp_path / "earlier").trajectories == 2
    assert returns_in(tmp_path / "later") == later
    with Workspace.existing(tmp_path / "later") as workspace:
        numbers = workspace.query("SELECT generation FROM trajectories ORDER BY generation")
    assert [row[0] for row in numbers] == [0, 0, 1, 1]


def spend(folder: Path, run: int, usd: float) -> None:
    with Workspace.create(folder) as workspace:
        asyncio.run(WorkspaceSpending(workspace, run, None).record(usd))


def spent(folder: Path) -> float:
    with Workspace.existing(folder) as workspace:
        return total_spent_usd(workspace)


def test_what_merged_runs_cost_counts_once(run: Callable[..., Any], tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for workspace, model, usd in (("here", JPEG, 1.0), ("there", BLUR, 2.0)):
        run(model, workspace=workspace)
        spend(tmp_path / workspace, 1, usd)
    for _ in range(2):
        housekeeping.merge(here, there)
        assert spent(here) == 3.0
    spend(there, 1, 4.0)  # it was still at work
    housekeeping.merge(here, there)
    assert spent(here) == 7.0
    housekeeping.merge(there, here)
    assert spent(there) == 7.0


def test_what_was_set_aside_in_a_merged_run_is_settled_by_merging_again(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    run(JPEG, workspace="there")
    with Workspace.create(there) as workspace:
        spending = WorkspaceSpending(workspace, 1, None)
        entry = asyncio.run(spending.reserve(3.0))
        assert entry is not None
        housekeeping.merge(here, there)
        assert spent(here) == 3.0
        spending.settle(entry, 0.5)
    housekeeping.merge(here, there)
    assert spent(here) == 0.5


def test_a_merged_run_is_not_mistaken_for_a_removed_one(run: Callable[..., Any], tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for workspace, model, usd in (("here", JPEG, 1.0), ("there", BLUR, 2.0)):
        run(model, workspace=workspace)
        spend(tmp_path / workspace, 1, usd)
    housekeeping.remove(here, runs=[1])
    for _ in range(2):
        housekeeping.merge(here, there)
        assert spent(here) == 3.0
