import csv
import dataclasses
import math

import pytest

from convergebench.analysis import ModelUse, Results, Return
from convergebench.report import export
from convergebench.types import Measurement, MetricFacts

METRICS = (
    MetricFacts("psnr", "1", "higher", math.inf, 0, "quality", "dB"),
    MetricFacts("ssim", "2", "higher", 1, 0, "quality"),
)
WHOSE = "model,image,edit_pair,image_type,edit_category"
MOMENTS = "psnr_mean,psnr_std,ssim_mean,ssim_std,clip_mean,clip_std"
HEADERS = {
    "benchmark_results_detailed.csv": f"{WHOSE},round,psnr,ssim,lpips,clip_similarity",
    "benchmark_summary_by_round.csv": f"model,round,n_samples,{MOMENTS}",
    "benchmark_summary_final.csv": f"model,n_evaluations,{MOMENTS}",
    "benchmark_by_experiment.csv": f"{WHOSE},psnr_r10,ssim_r10,clip_r10",
    "missing.csv": "suite,edits,model,case,round,what,kind,reason",
}


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def one_round(*pairs: tuple[float | None, float]) -> Results:
    """A model with one return for each pair of PSNR and SSIM."""
    returns = tuple(
        Return(
            "m", "model", f"p{place}/hat", f"p{place}", "hat", "portrait", "accessories", 0, 1, "",
            {"psnr": Measurement("psnr", "1", psnr, None if psnr is not None else "no psnr, \"sorry\""),
             "ssim": Measurement("ssim", "2", ssim)},
        )
        for place, (psnr, ssim) in enumerate(pairs)
    )  # fmt: skip
    return Results("s", 1, METRICS, returns, (), ())


def test_every_file_has_its_published_name_and_header(results, tmp_path):
    paths = export(results, tmp_path)
    assert {path.name: path.read_text().splitlines()[0] for path in paths} == HEADERS
    assert {path.name for path in tmp_path.iterdir()} == set(HEADERS)


def test_the_header_names_the_last_round(two_seeds, tmp_path):
    export(two_seeds, tmp_path)
    header = (tmp_path / "benchmark_by_experiment.csv").read_text().splitlines()[0]
    assert header.endswith("psnr_r2,ssim_r2,clip_r2")


def test_deviations_are_of_the_population(tmp_path):
    export(one_round(*((float(psnr), 0.5) for psnr in (2, 4, 4, 4, 5, 5, 7, 9))), tmp_path)
    (summary,) = rows_of(tmp_path / "benchmark_summary_by_round.csv")
    assert (summary["n_samples"], summary["psnr_mean"], summary["psnr_std"]) == ("8", "5.0", "2.0")


def test_the_final_files_have_four_decimals_at_most(tmp_path):
    export(one_round((20 / 3, 2 / 3)), tmp_path)
    (final,) = rows_of(tmp_path / "benchmark_summary_final.csv")
    (experiment,) = rows_of(tmp_path / "benchmark_by_experiment.csv")
    assert (final["psnr_mean"], final["ssim_mean"], final["ssim_std"]) == ("6.6667", "0.6667", "0.0")
    assert (experiment["psnr_r1"], experiment["ssim_r1"], experiment["clip_r1"]) == ("6.6667", "0.6667", "")


def test_a_missing_value_is_an_empty_cell_everywhere(results, tmp_path):
    export(results, tmp_path)
    assert {row["clip_similarity"] for row in rows_of(tmp_path / "benchmark_results_detailed.csv")} == {""}
    assert {row["clip_mean"] for row in rows_of(tmp_path / "benchmark_summary_final.csv")} == {""}


def test_infinite_values_are_written_and_left_out_of_means(tmp_path):
    export(one_round((math.inf, 1.0), (20.0, 0.5), (None, 0.5)), tmp_path)
    detailed = rows_of(tmp_path / "benchmark_results_detailed.csv")
    assert [row["psnr"] for row in detailed] == ["inf", "20.0", ""]
    (summary,) = rows_of(tmp_path / "benchmark_summary_by_round.csv")
    assert (summary["n_samples"], summary["psnr_mean"], summary["psnr_std"]) == ("3", "20.0", "0.0")


def test_a_mean_of_infinite_values_alone_is_infinite_and_has_no_deviation(tmp_path):
    export(one_round((math.inf, 1.0), (math.inf, 1.0)), tmp_path)
    (final,) = rows_of(tmp_path / "benchmark_summary_final.csv")
    assert (final["psnr_mean"], final["psnr_std"]) == ("inf", "")


def test_a_model_of_which_nothing_came_back_has_a_final_row_with_n_zero(results, tmp_path):
    refused = dataclasses.replace(results.troubles[0], model="stubborn")
    use = ModelUse("unbegun", "model", 4, 0, 0, 0, None, None)
    export(dataclasses.replace(results, troubles=(refused,), uses=(use,)), tmp_path)
    final = {row.pop("model"): row for row in rows_of(tmp_path / "benchmark_summary_final.csv")}
    for model in ("stubborn", "unbegun"):
        assert final[model].pop("n_evaluations") == "0"
        assert set(final[model].values()) == {""}


def test_several_seeds_keep_every_row_distinct(two_seeds, tmp_path):
    export(two_seeds, tmp_path)
    rows = rows_of(tmp_path / "benchmark_results_detailed.csv")
    keys = {(row["model"], row["image"], row["edit_pair"], row["round"]) for row in rows}
    assert len(keys) == len(rows) == len(two_seeds.returns)
    assert {"qwen#0", "qwen#1", "identity"} <= {row["model"] for row in rows}


def test_full_precision_is_kept_in_the_detail(tmp_path):
    export(one_round((20.123456789012345, 0.6666666666666666)), tmp_path)
    (row,) = rows_of(tmp_path / "benchmark_results_detailed.csv")
    assert (row["psnr"], row["ssim"]) == (repr(20.123456789012345), "0.6666666666666666")


def test_missing_returns_and_values_are_listed_with_kind_and_reason(results, tmp_path):
    export(results, tmp_path)
    missing = rows_of(tmp_path / "missing.csv")
    refused = [row for row in missing if row["kind"] == "refused"]
    assert len(refused) == 4 * 7
    assert {(row["model"], row["what"]) for row in refused} == {("seedream", "return")}
    assert all("forward edit of round 4" in row["reason"] for row in refused)
    unmeasured = [row for row in missing if row["kind"] == "not_measured"]
    assert {row["what"] for row in unmeasured} == {"clip"}
    assert len(unmeasured) == len(results.returns)


def test_what_is_missing_of_partially_reversible_edits_is_listed_with_them(tmp_path):
    partial = dataclasses.replace(one_round((None, 0.5)), edits="partially reversible")
    export(dataclasses.replace(one_round((None, 0.5), (None, 0.6)), partial=partial), tmp_path)
    rows = rows_of(tmp_path / "missing.csv")
    assert [row["edits"] for row in rows] == ["reversible", "reversible", "partially reversible"]


def test_missing_is_of_all_results_that_are_told_while_the_tables_are_of_one(tmp_path):
    here = one_round((None, 0.5))
    export(here, tmp_path, [here, dataclasses.replace(here, suite="other")])
    assert [row["suite"] for row in rows_of(tmp_path / "missing.csv")] == ["s", "other"]
    assert len(rows_of(tmp_path / "benchmark_results_detailed.csv")) == 1


def test_trajectories_that_never_began_are_listed_by_number(tmp_path):
    use = ModelUse("m", "model", 4, 1, 2, 0, None, None)
    export(dataclasses.replace(one_round((20.0, 0.5)), uses=(use,)), tmp_path)
    (row,) = rows_of(tmp_path / "missing.csv")
    assert (row["model"], row["case"], row["kind"]) == ("m", "", "not_run")
    assert row["reason"].endswith("(3)")


def test_reasons_with_commas_and_quotes_survive(tmp_path):
    export(one_round((None, 0.5)), tmp_path)
    (row,) = rows_of(tmp_path / "missing.csv")
    assert row["reason"] == 'no psnr, "sorry"'


def test_a_file_that_cannot_be_finished_leaves_the_old_one_alone(results, tmp_path):
    export(results, tmp_path)
    before = (tmp_path / "missing.csv").read_bytes()
    broken = dataclasses.replace(results, returns=(*results.returns, None))
    with pytest.raises(AttributeError):
        export(broken, tmp_path)
    assert (tmp_path / "missing.csv").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == set(HEADERS)
