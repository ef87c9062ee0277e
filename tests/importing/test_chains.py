from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from convergebench.analysis import audit, contraction, forward_success
from convergebench.errors import WrongUse
from convergebench.importing.import_file import import_path
from convergebench.metrics import MetricSet
from convergebench.picture import encode_png
from convergebench.results import load_audit_input, load_results
from made_pictures import textured

RULER = MetricSet(["psnr", "ssim"])


@pytest.fixture
def chains(tmp_path) -> Path:
    """Two pictures with one edit each, blurred a little at every return."""
    for number in range(2):
        folder = tmp_path / "made" / f"picture{number}" / "dot_add_remove"
        folder.mkdir(parents=True)
        image = textured(seed=number)
        (folder / "I0_source.png").write_bytes(encode_png(image))
        for n in (1, 2, 3):
            forward = image.copy()
            forward[10:20, 10:20] = (255, 0, 0)
            image = np.ascontiguousarray(cv2.GaussianBlur(image, (0, 0), 0.7))
            (folder / f"I{n}_forward.png").write_bytes(encode_png(forward))
            (folder / f"I{n}_backward.png").write_bytes(encode_png(image))
    return tmp_path / "made"


def bring(workspace, folder, model="elsewhere"):
    return import_path(workspace, folder, model, "imported", RULER)


def test_pictures_made_elsewhere_are_measured_and_marked(workspace, chains):
    assert bring(workspace, chains).returns == 6
    results = load_results(workspace)
    assert {(item.model, item.case, item.picture, item.pair) for item in results.returns} == {
        ("elsewhere", f"picture{n}/dot_add_remove", f"picture{n}", "dot_add_remove") for n in (0, 1)
    }  # fmt: skip
    assert all(item.imported and 0 < item.values["ssim"].value < 1 for item in results.returns)


def test_how_long_it_took_and_what_it_cost_is_unknown(workspace, chains):
    bring(workspace, chains)
    (use,) = load_results(workspace).uses
    assert (use.mean_seconds, use.cost_usd, use.complete) == (None, None, 2)


def test_forward_edits_and_moves_are_measured_too(workspace, chains):
    bring(workspace, chains)
    results = load_results(workspace)
    assert forward_success(results)["elsewhere"].rate == 1
    found = contraction(results, "elsewhere")
    assert (found.n, found.verdict) == (2, "settling")


def test_importing_again_adds_nothing_and_new_rounds_are_added(workspace, chains):
    last = chains / "picture0" / "dot_add_remove" / "I3_backward.png"
    content = last.read_bytes()
    last.unlink()
    bring(workspace, chains)
    assert len(load_results(workspace).returns) == 5
    last.write_bytes(content)
    bring(workspace, chains)
    bring(workspace, chains)
    assert len(load_results(workspace).returns) == 6
    assert workspace.query("SELECT count(picture) FROM steps")[0][0] == 12


def test_other_pictures_under_the_same_name_take_the_place_of_the_first(workspace, chains):
    bring(workspace, chains)
    before = {item.digest for item in load_results(workspace).returns}
    (chains / "picture0" / "dot_add_remove" / "I2_backward.png").write_bytes(encode_png(textured(seed=9)))
    bring(workspace, chains)
    after = {item.digest for item in load_results(workspace).returns}
    assert len(after) == 6 and len(after - before) == 1


def test_a_round_without_its_picture_is_missing(workspace, chains):
    (chains / "picture1" / "dot_add_remove" / "I2_backward.png").unlink()
    assert bring(workspace, chains).incomplete == {
        "picture1/dot_add_remove": "the folder holds no I2_backward picture"
    }
    (finding,) = audit(load_audit_input(workspace))
    assert finding.kind == "missing_rounds" and "1 of them with holes" in finding.sentence


@pytest.mark.parametrize(
    ("damage", "said"), [("removed", "no I0_source picture"), ("truncated", "I0_source: ")]
)
def test_a_chain_without_its_source_is_named_and_the_others_are_imported(workspace, chains, damage, said):
    source = chains / "picture1" / "dot_add_remove" / "I0_source.png"
    source.unlink() if damage == "removed" else source.write_bytes(b"\x89PNG cut")
    brought = bring(workspace, chains)
    assert brought.returns == len(load_results(workspace).returns) == 3
    ((case, reason),) = brought.incomplete.items()
    assert case == "picture1/dot_add_remove" and said in reason and "left out" in reason


def test_an_audit_counts_the_chains_that_were_left_out_until_their_source_is_there(workspace, chains):
    source = chains / "picture1" / "dot_add_remove" / "I0_source.png"
    content = source.read_bytes()
    source.unlink()
    bring(workspace, chains)
    (finding,) = audit(load_audit_input(workspace))
    assert finding.kind == "left_out_chains" and finding.parts == {"elsewhere": 1}
    assert "picture1/dot_add_remove: the folder holds no I0_source picture" in finding.sentence
    source.write_bytes(content)
    bring(workspace, chains)
    assert audit(load_audit_input(workspace)) == ()


def test_chains_whose_sources_are_all_damaged_are_refused(workspace, chains):
    for source in chains.rglob("I0_source.png"):
        source.write_bytes(b"PNG cut")
    with pytest.raises(WrongUse, match=r"no chain in .* has a readable source"):
        bring(workspace, chains)


def test_chains_without_any_source_are_refused(workspace, chains):
    for source in chains.rglob("I0_source.png"):
        source.unlink()
    with pytest.raises(WrongUse, match="I0_source"):
        bring(workspace, chains)


@pytest.mark.parametrize("damage", ["removed", "truncated"])
def test_a_chain_that_stops_after_its_first_edit_is_missing_and_no_refusal(workspace, chains, damage):
    broken = chains / "picture1" / "dot_add_remove"
    for path in broken.glob("I[123]_*.png"):
        if path.name != "I1_forward.png":
            path.unlink()
    if damage == "truncated":
        (broken / "I1_backward.png").write_bytes(b"\x89PNG cut")
    assert list(bring(workspace, chains).incomplete) == ["picture1/dot_add_remove"]
    (missing,) = load_results(workspace).troubles
    assert missing.kind_of_failure == "absent" and "I1_backward" in missing.reason


def test_a_single_chain_is_named_by_its_folder_and_its_picture_by_content(workspace, chains):
    bring(workspace, chains / "picture0" / "dot_add_remove")
    (case,) = {(item.case, item.picture[:8]) for item in load_results(workspace).returns}
    assert case == ("dot_add_remove", "picture-")


def test_pictures_without_a_model_or_folders_without_chains_are_refused(workspace, chains, tmp_path):
    with pytest.raises(WrongUse, match="--model"):
        bring(workspace, chains, model=None)
    with pytest.raises(WrongUse, match="I0_source"):
        bring(workspace, tmp_path / "results")


def test_a_file_is_imported_once(workspace, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("model,image,edit_pair,round,ssim\nm,a.jpg,hat,1,0.5\n")
    assert bring(workspace, path, None).returns == 1
    with pytest.raises(WrongUse, match="already"):
        bring(workspace, path, None)


def test_other_files_are_refused(workspace, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    for path, said in (
        (tmp_path / "notes.txt", "cannot import"),
        (tmp_path / "nothing", "no file or folder"),
    ):
        with pytest.raises(WrongUse, match=said):
            bring(workspace, path)


def test_only_metrics_that_were_asked_for_are_measured_between_returns(workspace, chains):
    import_path(workspace, chains, "elsewhere", "imported", MetricSet(["psnr"]))
    results = load_results(workspace)
    assert [facts.name for facts in results.metrics] == ["psnr"]
    assert results.returns[-1].moved.keys() == results.returns[-1].forwards[0].keys() == {"psnr"}
