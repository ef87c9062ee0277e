"""Each fault is put into real workspaces, and must be found; a clean one must stay clean."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from convergebench.analysis import audit, on_shared_cases, ranking
from convergebench.importing.import_file import import_path
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.results import load_audit_input, load_results
from convergebench.store import Enrolment
from convergebench.types import EditorFacts, Failure, Measurement, Step, SuiteId
from made_pictures import textured

HEADER = ("model", "image", "edit_pair", "image_type", "edit_category", "round",
          "psnr", "ssim", "lpips", "clip_similarity")  # fmt: skip
RULER = MetricSet(["psnr", "ssim"])


def row(model, picture, round, ssim, lpips=0.0):
    return (model, f"portrait_0{picture}.jpg", "hat_add_remove", "portrait", "accessories", round,
            20 * ssim, ssim, lpips, 0.5 + ssim / 2)  # fmt: skip


def import_rows(workspace, rows, folder: Path):
    path = folder / "detailed.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return import_path(workspace, path, None, "imported", RULER)


def kinds(workspace):
    return {finding.kind: finding for finding in audit(load_audit_input(workspace))}


@pytest.fixture
def published(workspace, tmp_path):
    """The predecessor's faults in small: doubled keys, no LPIPS, unequal sets, and a chain that stops."""
    rows = [row("full", picture, n, 0.9 - 0.1 * n) for picture in range(1, 8) for n in (1, 2, 3)]
    rows += [row("some", picture, n, 0.95 - 0.1 * n) for picture in range(1, 7) for n in (1, 2, 3)]
    rows += [row("tiny", picture, n, 0.5 - n / 100) for picture in (1, 2) for n in (1, 2, 3)][:-1]
    rows += [row("full", 1, n, 0.9 - 0.1 * n) for n in (1, 2)] + [row("full", 2, 3, 0.1)] * 2
    import_rows(workspace, rows, tmp_path)
    return workspace


def test_doubled_keys_are_counted_and_those_that_disagree(published):
    found = kinds(published)["duplicate_keys"]
    assert (found.count, found.parts) == (3, {"full": 3})
    assert found.sentence.startswith(
        "3 keys (model, case, round) occur 2 to 3 times; 1 of them with different"
    )


def test_one_doubled_key_is_told_in_the_singular(workspace, tmp_path):
    import_rows(workspace, [row("m", 1, 1, 0.9), row("m", 1, 1, 0.8)], tmp_path)
    assert kinds(workspace)["duplicate_keys"].sentence.startswith(
        "1 key (model, case, round) occurs 2 times;"
    )


def test_of_a_doubled_key_the_last_row_counts(published):
    (value,) = (
        item.values["ssim"].value
        for item in load_results(published).returns
        if (item.model, item.picture, item.round) == ("full", "portrait_02", 3)
    )
    assert value == 0.1


def test_a_metric_that_is_zero_throughout_was_never_computed(published):
    found = kinds(published)["never_computed"]
    assert found.count == 21 + 18 + 5 + 4
    assert found.sentence.startswith("LPIPS was never computed: 0.0 in all 48 rows")


def test_such_a_metric_is_missing_in_rankings_and_not_perfect(published):
    summary = ranking(load_results(published)).rows[0].metrics["lpips"]
    assert summary.mean is None and summary.reason.startswith("never computed")


def test_unequal_sets_are_told_by_model(published):
    assert kinds(published)["unequal_cases"].parts == {"full": 7, "some": 6, "tiny": 1}


def test_chains_that_stop_are_found(published):
    assert kinds(published)["missing_rounds"].parts == {"tiny": 1}


def test_the_corrected_ranking_is_on_shared_cases(published):
    shared = on_shared_cases(load_results(published))
    ranked = ranking(shared.results)
    assert (len(shared.cases), shared.left_out) == (6, {"tiny": 1})
    assert [(line.model, line.n) for line in ranked.rows] == [("some", 6), ("full", 6)]
    assert all(line.imported for line in ranked.rows)


def test_clean_rows_have_no_findings(workspace, tmp_path):
    import_rows(workspace, [row("m", p, n, 0.9 - n / 10, n / 10) for p in (1, 2) for n in (1, 2)], tmp_path)
    assert kinds(workspace) == {}


def test_an_editor_that_changes_nothing_is_no_metric_that_was_never_computed(workspace, tmp_path):
    still = [("m", "a.jpg", "hat", "portrait", "accessories", n, "inf", 1.0, 0.0, 1.0) for n in (1, 2, 3)]
    import_rows(workspace, still, tmp_path)
    assert kinds(workspace) == {}
    assert ranking(load_results(workspace)).rows[0].metrics["lpips"].mean == 0


class Chain:
    """Steps of one model on one case, put into the workspace by hand."""

    def __init__(self, workspace, case, model="m", role="model"):
        self.workspace = workspace
        self.run = workspace.start_run({"suite": "tiny@0"}, "test")
        enrolment = Enrolment("round_trip", "tiny@0", EditorFacts(model, "1", role=role), case, 0, 2)
        (self.trajectory,) = workspace.enrol([enrolment], fresh=False)
        self.source = self.latest = Picture.from_file(case.source.path)
        workspace.pictures.put(self.source)
        self.position = 0

    def step(self, made: Picture, given: Picture | None = None) -> Chain:
        role = ("forward", "backward")[self.position % 2]
        inputs = ((given or self.latest).digest,)
        step = Step(self.position, role, self.position // 2 + 1, "Edit", 0, inputs, made.facts, 0.1, 0.0, 1)
        self.workspace.record_step(self.trajectory, self.run, step).result()
        if role == "backward":
            self.measured(made, "1")
        self.latest, self.position = made, self.position + 1
        return self

    def refused(self) -> None:
        failure = Failure("refused", "no")
        step = Step(0, "forward", 1, "Edit", 0, (self.source.digest,), failure, 0.1, 0.0, 1)
        self.workspace.record_step(self.trajectory, self.run, step).result()

    def measured(self, made: Picture, version: str) -> None:
        row = (self.source.digest, made.digest, Measurement("ssim", version, 0.5))
        self.workspace.record_measurements([row]).result()


def made(seed, **shape):
    return Picture.from_pixels(textured(seed=seed, **shape))


def test_a_sound_chain_has_no_findings(workspace, make_case):
    Chain(workspace, make_case()).step(made(1)).step(made(2)).step(made(3)).step(made(4))
    assert kinds(workspace) == {}


def test_chains_that_never_returned_lack_rounds_too(workspace, make_case):
    Chain(workspace, make_case("one")).step(made(1)).step(made(2)).step(made(3)).step(made(4))
    Chain(workspace, make_case("two")).refused()
    Chain(workspace, make_case("three"))
    found = kinds(workspace)["missing_rounds"]
    assert found.sentence == "2 chains of 3 lack rounds, 2 of them without a single return: m 2."
    assert (found.count, found.parts) == (2, {"m": 2})


def test_a_model_without_a_return_shares_no_case_and_takes_none_from_the_others(workspace, make_case):
    one, two = make_case("one"), make_case("two")
    for case in (one, two):
        Chain(workspace, case, "a").step(made(1)).step(made(2)).step(made(3)).step(made(4))
    Chain(workspace, one, "b").step(made(1)).step(made(2)).step(made(3)).step(made(4))
    Chain(workspace, one, "none").refused()
    found = kinds(workspace)["unequal_cases"]
    assert found.parts == {"a": 2, "b": 1}
    assert found.sentence.endswith("at round 2: a 2, b 1; 1 shared by all. Without any: none.")


def test_pictures_that_do_not_follow_each_other_are_found(workspace, make_case):
    Chain(workspace, make_case()).step(made(1)).step(made(2)).step(made(3), given=made(9)).step(made(4))
    assert kinds(workspace)["broken_chains"].parts == {"m": 1}


def test_a_refusal_in_disguise_is_found(workspace, make_case):
    chain = Chain(workspace, make_case())
    chain.step(chain.source).step(made(2)).step(made(3)).step(made(4))
    assert kinds(workspace)["unchanged_edits"].parts == {"m": 1}


def test_a_return_that_is_the_source_itself_may_be_a_cached_original(workspace, make_case):
    chain = Chain(workspace, make_case())
    chain.step(made(1)).step(chain.source).step(made(3)).step(made(4))
    found = kinds(workspace)["cached_originals"]
    assert found.parts == {"m": 1}
    assert found.sentence.startswith("1 return is identical to the source after an edit that cannot be")


def test_the_source_s_pixels_in_another_file_are_a_cached_original_too(workspace, make_case):
    chain = Chain(workspace, make_case())
    buffer = BytesIO()
    Image.fromarray(chain.source.pixels).save(buffer, "BMP")
    again = Picture.from_bytes(buffer.getvalue())
    assert again.digest != chain.source.digest
    chain.step(made(1)).step(again).step(made(3)).step(made(4))
    assert "cached_originals" not in kinds(workspace)
    rows = [
        (chain.source.digest, picture.digest, Measurement("psnr", "1", decibels))
        for picture, decibels in ((again, math.inf), (made(4), 20.0))
    ]
    workspace.record_measurements(rows).result()
    assert kinds(workspace)["cached_originals"].parts == {"m": 1}


@pytest.mark.parametrize(("category", "is_found"), [("geometric", False), ("geometric+weather", True)])
def test_only_flips_and_turns_can_be_undone_exactly(workspace, make_case, category, is_found):
    chain = Chain(workspace, replace(make_case(), category=category))
    chain.step(made(1)).step(chain.source).step(made(3)).step(made(4))
    assert ("cached_originals" in kinds(workspace)) == is_found


def test_a_source_given_back_after_no_edit_is_no_cached_original(workspace, make_case):
    chain = Chain(workspace, make_case())
    chain.step(chain.source).step(chain.source).step(made(3)).step(made(4))
    assert set(kinds(workspace)) == {"unchanged_edits"}


def test_probes_and_floors_may_give_back_the_source(workspace, make_case):
    chain = Chain(workspace, make_case(), role="probe")
    chain.step(made(1)).step(chain.source).step(made(3)).step(made(4))
    assert kinds(workspace) == {}


def test_resized_returns_are_found(workspace, make_case):
    Chain(workspace, make_case()).step(made(1)).step(made(2, width=80)).step(made(3)).step(made(4))
    assert kinds(workspace)["resized_outputs"].parts == {"m": 1}


def test_mixed_versions_of_a_metric_are_found(workspace, make_case):
    chain = Chain(workspace, make_case()).step(made(1)).step(made(2)).step(made(3)).step(made(4))
    chain.measured(made(4), "2")
    assert kinds(workspace)["mixed_versions"].parts == {"1": 2, "2": 1}


def test_a_model_of_the_same_name_stands_beside_the_imported_one(workspace, make_case, tmp_path):
    Chain(workspace, make_case(), "qwen").step(made(1)).step(made(2))
    path = tmp_path / "detailed.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, row("qwen", 1, 1, 0.5, 0.1), row("qwen", 1, 2, 0.4, 0.2)])
    import_path(workspace, path, None, "tiny@0", RULER)
    roles = load_results(workspace, SuiteId("tiny@0")).roles()
    assert list(roles) == ["qwen", "qwen (imported)"]
    assert len(load_results(workspace, SuiteId("tiny@0"), ["qwen (imported)"]).returns) == 2
