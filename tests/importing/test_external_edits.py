"""Single edits made elsewhere: everything that is named is counted, and nothing stands in for another."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.benchmarks.registry import benchmark_of
from convergebench.errors import WrongUse
from convergebench.importing.external_edits import (
    Coverage,
    ExternalEdit,
    coverage,
    import_edits,
    read_edits,
    without_damaged,
)
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Failure, PictureFacts, Suite
from made_pictures import textured


def write_picture(path: Path, seed: int = 0) -> str:
    picture = Picture.from_pixels(textured(seed=seed))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture.encoded)
    return picture.digest


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    return load_gedit_mini("en", Sampling(limit=4))


def covered_by(suite: Suite, files: dict[str, Path]) -> Coverage:
    ids = [case.id for case in suite.cases]
    return coverage([ExternalEdit(case, file) for case, file in files.items()], ids, ids)


def outcomes(workspace: Workspace, suite: Suite) -> list[PictureFacts | Failure]:
    found = []
    for case in suite.cases:
        (row,) = workspace.query(
            "SELECT id, max(generation) FROM trajectories WHERE case_fingerprint = ?", case.fingerprint
        )
        (step,) = workspace.steps(row["id"])
        found.append(step.outcome)
    return found


def test_paths_in_a_list_are_relative_to_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = tmp_path / "made" / "edits.jsonl"
    listing.parent.mkdir()
    listing.write_text('{"id": "a", "image_path": "pictures/a.png"}\n\n{"id": 7, "image_path": "/x/b.png"}\n')
    monkeypatch.chdir("/")
    assert read_edits(listing, "m") == [
        ExternalEdit("a", listing.parent / "pictures" / "a.png"),
        ExternalEdit("7", Path("/x/b.png")),
    ]


def test_an_id_in_a_list_may_hold_a_separator_of_lines(tmp_path: Path) -> None:
    listing = tmp_path / "edits.jsonl"
    listing.write_text('{"id": "a\u2028b\u0085c", "image_path": "a.png"}', encoding="utf-8")
    assert read_edits(listing, "m") == [ExternalEdit("a\u2028b\u0085c", tmp_path / "a.png")]


@pytest.mark.parametrize("line", ["no json", '{"id": "a"}', "[1]", '"text"'])
def test_a_line_that_is_not_as_it_must_be_is_named(line: str, tmp_path: Path) -> None:
    listing = tmp_path / "edits.jsonl"
    listing.write_text('{"id": "a", "image_path": "a.png"}\n' + line)
    with pytest.raises(WrongUse, match="line 2: must be"):
        read_edits(listing, "m")


@pytest.mark.parametrize("given", ["root", "root/mine"])
def test_result_folders_are_found_by_the_models_name_or_directly(given: str, tmp_path: Path) -> None:
    write_picture(tmp_path / "root" / "mine" / "Awareness_1" / "en" / "3.png")
    write_picture(tmp_path / "root" / "other" / "Awareness_1" / "en" / "4.png")
    found = read_edits(tmp_path / given, "mine", benchmark_of("wiseedit").results)
    assert [one.case for one in found] == ["Awareness_1/en/3"]


def test_a_folder_is_refused_where_the_benchmark_has_no_layout_for_results(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"no layout for result folders; give a \.jsonl list"):
        read_edits(tmp_path, "m", None)


def test_everything_that_is_wrong_is_listed(tmp_path: Path) -> None:
    write_picture(tmp_path / "good.png")
    write_picture(tmp_path / "other.png")
    (tmp_path / "bad.png").write_bytes(b"no picture")
    named = [
        ExternalEdit("good", tmp_path / "good.png"),
        ExternalEdit("bad", tmp_path / "bad.png"),
        ExternalEdit("lost", tmp_path / "lost.png"),
        ExternalEdit("twice", tmp_path / "good.png"),
        ExternalEdit("twice", tmp_path / "other.png"),
        ExternalEdit("unheard of", tmp_path / "good.png"),
        ExternalEdit("of another subset", tmp_path / "good.png"),
    ]
    chosen = ["good", "bad", "lost", "twice", "absent"]
    found = without_damaged(coverage(named, chosen, {*chosen, "of another subset"}))
    assert found.usable == {"good": tmp_path / "good.png"}
    assert found.missing == ("absent",)
    assert found.duplicate == ("twice",)
    assert found.unknown == ("unheard of",)
    assert found.not_chosen == 1
    assert set(found.unreadable) == {"bad", "lost"}
    assert (found.cases, found.is_complete) == (5, False)


def test_the_same_line_twice_is_no_contradiction(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.png")
    found = coverage([ExternalEdit("a", tmp_path / "a.png")] * 2, ["a"], {"a"})
    assert found.is_complete


@given(
    named=st.lists(st.sampled_from("abcdefxyz")),
    chosen=st.sets(st.sampled_from("abcdef")),
)
def test_every_chosen_case_and_every_name_is_counted_once(named: list[str], chosen: set[str]) -> None:
    known = set("abcdef")
    entries = [ExternalEdit(case, Path(f"/nowhere/{place}")) for place, case in enumerate(named)]
    found = without_damaged(coverage(entries, sorted(chosen), known))
    assert found.cases == len(chosen)
    named_here = set(found.usable) | set(found.unreadable) | set(found.duplicate) | set(found.unknown)
    assert len(named_here) + found.not_chosen == len(set(named))


def test_pictures_and_gaps_enter_the_workspace_as_single_edits(
    tmp_path: Path, workspace: Workspace, suite: Suite
) -> None:
    first, second, *_ = suite.cases
    digest = write_picture(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture")
    covered = covered_by(suite, {first.id: tmp_path / "a.png", second.id: tmp_path / "b.png"})
    found = import_edits(workspace, tmp_path / "edits.jsonl", suite, "mine", covered)
    assert found == without_damaged(covered) and list(found.unreadable) == [second.id]
    made, unreadable, *absent = outcomes(workspace, suite)
    assert isinstance(made, PictureFacts) and made.digest == digest
    assert isinstance(unreadable, Failure) and unreadable.kind == "bad_output"
    assert absent == [Failure("absent", "none was given for this case")] * 2
    assert {row["protocol"] for row in workspace.query("SELECT protocol FROM trajectories")} == {"one_shot"}
    assert workspace.pictures.load(digest).digest == digest


def test_bringing_the_same_list_again_adds_nothing(
    tmp_path: Path, workspace: Workspace, suite: Suite
) -> None:
    write_picture(tmp_path / "a.png")
    covered = covered_by(suite, {suite.cases[0].id: tmp_path / "a.png"})
    for _ in range(2):
        import_edits(workspace, tmp_path, suite, "mine", covered)
    assert len(workspace.query("SELECT * FROM steps")) == len(suite.cases)


def test_a_picture_that_comes_later_or_is_replaced_or_taken_away_counts(
    tmp_path: Path, workspace: Workspace, suite: Suite
) -> None:
    def brought(files: dict[str, Path]) -> PictureFacts | Failure:
        import_edits(workspace, tmp_path, suite, "mine", covered_by(suite, files))
        return outcomes(workspace, suite)[0]

    case = suite.cases[0].id
    assert isinstance(brought({}), Failure)
    for seed in (1, 2):
        digest = write_picture(tmp_path / f"{seed}.png", seed)
        made = brought({case: tmp_path / f"{seed}.png"})
        assert isinstance(made, PictureFacts) and made.digest == digest
    assert isinstance(brought({}), Failure)
    assert len(workspace.query("SELECT * FROM editors")) == 1


def test_a_list_says_what_it_needs_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "edits.jsonl").write_text("\n")
    with pytest.raises(WrongUse, match="is empty"):
        read_edits(tmp_path / "edits.jsonl", "m")
