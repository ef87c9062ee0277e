"""A site from the submissions of made-up labs: sound, tampered with, partial, and of other versions."""

from __future__ import annotations

import errno
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

import convergebench
from convergebench.analysis import headline_rankings
from convergebench.errors import WrongUse
from convergebench.leaderboard import build_leaderboard
from convergebench.leaderboard.entries import LeftOut, newest_of
from convergebench.results import load_results
from convergebench.store import Workspace
from leaderboard.conftest import METRICS, Built, Change, rewritten, submit


def test_values_that_were_changed_are_found_by_their_digest(built: Built) -> None:
    assert "rows/measurements.jsonl was changed" in built.left_out["changed.zip"].reason


def test_values_that_were_forged_with_their_digests_are_found_by_measuring_again(built: Built) -> None:
    reason = built.left_out["forged.zip"].reason
    assert "values are not what its pictures give, such as undid 1 where 0." in reason


def test_a_partial_submission_is_compared_on_the_shared_cases_only(built: Built) -> None:
    main, *_ = built.data["tables"]
    (ranking,) = main["rankings"]
    assert ranking["shared_cases"] == 4
    own = {main["entries"][name]["by"]: count for name, count in ranking["own_cases"].items()}
    assert own == {"North <i>Lab</i>": 6, "East": 4, "South": 4, "West": 6}
    assert {row["headline_score"]["n"] for row in ranking["rows"]} == {4}
    assert "4 entries on the 4 of 6 cases that all share" in (built.site / "index.html").read_text()


def test_the_score_of_an_entry_is_that_of_its_own_workspace_on_those_cases(built: Built, east: Path) -> None:
    with Workspace.existing(east) as workspace:
        ((_, alone), *_) = headline_rankings(load_results(workspace))
    assert alone.headline is not None and alone.headline.rows[0].score is not None
    main, *_ = built.data["tables"]
    scores = {
        main["entries"][row["model"]]["by"]: row["headline_score"]["value"]
        for row in main["rankings"][0]["rows"]
    }
    assert scores["East"] == pytest.approx(alone.headline.rows[0].score.mean, abs=1e-9)
    assert scores["South"] == scores["East"]


def test_other_versions_are_measured_again_with_pictures_and_kept_apart_without(built: Built) -> None:
    main, apart = built.data["tables"]
    assert {one["by"]: one["checked"] for one in main["entries"].values()} == {
        "North <i>Lab</i>": "measured again", "East": "measured again", "South": "measured again",
        "West": "unverified",
    }  # fmt: skip
    assert apart["other_versions"] == {"ssim": "0"}
    assert [one["by"] for one in apart["entries"].values()] == ["South, thumbnails"]


def test_what_the_audit_found_stands_beside_an_entry(pictures: Path, tmp_path: Path) -> None:
    """Here returns that are the source itself, as of a model that remembers it."""
    sources: dict[bytes, Image.Image] = {}

    def remembering(image: Image.Image, instruction: str, seed: int) -> Image.Image:
        if image.tobytes() in sources:
            return sources[image.tobytes()]
        edited = image.copy()
        edited.paste((200, 30, 30), (20, 20, 60, 60))
        sources[edited.tobytes()] = image
        return edited

    with convergebench.run(
        {"remembering": remembering, "classical": "classical"}, f"folder:{pictures}", 1, limit=3,
        workspace=tmp_path / "results", metrics=METRICS,
    ):  # fmt: skip
        pass
    submit(tmp_path / "results", tmp_path / "files" / "one.zip", "Lab")
    built = build_leaderboard(tmp_path / "files", tmp_path / "site", metric_names=METRICS)
    front = built.page.read_text()
    assert front.count("audit: 1 finding") == 1
    assert "identical to the source after an edit that cannot be undone exactly" in front


def only_first_case(source: Path, target: Path) -> Path:
    """The submission of somebody who edited a single case."""
    with zipfile.ZipFile(source) as file:
        trajectory, _, _, case, *_ = json.loads(file.read("rows/trajectories.jsonl").splitlines()[0])

    def kept(column: int, value: object) -> Change:
        return lambda data: b"".join(
            line for line in data.splitlines(keepends=True) if json.loads(line)[column] == value
        )

    changes = {
        "rows/trajectories.jsonl": kept(0, trajectory), "rows/steps.jsonl": kept(1, trajectory),
        "rows/case_facts.jsonl": kept(0, case), "rows/suite_cases.jsonl": kept(0, case),
        "manifest.json": lambda data: data.replace(b'"cases": 6', b'"cases": 1').replace(b"Lab", b"Little"),
    }  # fmt: skip
    return rewritten(source, target, changes, sign=True)


def test_a_small_submission_does_not_shrink_the_comparison_of_the_others(north: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    large = submit(north, folder / "large.zip", "Lab", "none")
    only_first_case(large, folder / "little.zip")
    built = build_leaderboard(folder, tmp_path / "site")
    (table,) = built.board.tables
    (ranking,) = table.rankings
    assert ranking.own_cases == {"classical (Lab, unverified)": 6}
    assert table.kept_apart == {"classical (Little, unverified)": 1}
    assert "Too few shared cases to be compared" in (tmp_path / "site" / "index.html").read_text()
    assert ranking.cases == 6


def test_of_one_days_submissions_the_one_that_was_measured_again_counts(built: Built) -> None:
    entries = [one for table in built.board.board.tables for one in table.entries.values()]
    measured = next(one for one in entries if one.submission.verification.is_measured)
    other = next(one for one in entries if not one.submission.verification.is_measured)
    submission = replace(measured.submission, verification=other.submission.verification, digest="f")
    unverified = replace(measured, submission=submission)
    assert newest_of([measured, unverified]) == [measured]


def test_a_model_submitted_twice_has_a_history(built: Built) -> None:
    page = (built.site / "history.html").read_text()
    assert "classical · own pictures (" in page and "classical-ghost · own pictures (" in page
    assert page.count("<tbody>") == 2


def test_whatever_is_left_out_is_on_the_site_with_its_reason(built: Built) -> None:
    reasons = {name: one.reason for name, one in built.left_out.items()}
    assert reasons.keys() == {
        "broken.zip", "changed.zip", "forged.zip", "link.zip", "twice.zip", "west-old.zip"
    }  # fmt: skip
    assert reasons["link.zip"] == "it is not a plain file"
    assert reasons["twice.zip"] == "it is the same file as another one"
    assert reasons["broken.zip"].startswith("it cannot be read as a ZIP file")
    assert built.left_out["west-old.zip"] == LeftOut(
        "west-old.zip", built.left_out["west-old.zip"].digest, "a wrong setting", is_withdrawn=True
    )
    front = (built.site / "index.html").read_text()
    assert all(name in front for name in reasons)


def test_a_withdrawal_that_cannot_be_read_stops_the_build(built: Built, tmp_path: Path) -> None:
    (tmp_path / "withdrawn.toml").write_text('[[withdrawn]]\ndigest = "all of them"\n')
    with pytest.raises(WrongUse, match="is not the digest of a submission"):
        build_leaderboard(tmp_path, tmp_path / "site")


def test_a_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.txt").touch()
    with pytest.raises(WrongUse, match="holds other files"):
        build_leaderboard(tmp_path, tmp_path / "site")


def test_the_old_site_stays_where_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "submissions").mkdir()
    site = tmp_path / "out" / "site"
    for title in ("Last week", "Today"):
        built = build_leaderboard(tmp_path / "submissions", site, title=title)
        assert title in built.page.read_text()

    def disk_full(source: Path, target: Path) -> None:
        Path(target).mkdir()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "move", disk_full)
    with pytest.raises(OSError, match="No space left"):
        build_leaderboard(tmp_path / "submissions", site, title="Tomorrow")
    assert "Today" in built.page.read_text()
    assert list(site.parent.iterdir()) == [site]
