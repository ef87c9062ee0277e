import csv
import math
import sys

import pytest

from convergebench.errors import MissingExtra
from convergebench.report.export.measurements import (
    MeasurementRow,
    measurement_rows,
    write_csv,
    write_parquet,
)
from convergebench.store import Enrolment, Workspace, record_imported
from convergebench.types import ImportedReturn, Measurement
from report.page.filled import NO_CLIP, SUITE, cases, editor, fill, record, source_of, worn

ROW = MeasurementRow(
    "s", "m", "model", "f", "c", "p", "hat", "scene", "objects", "reversible", "round_trip", 0, 1,
    "backward", "source", "ssim", "1", 0.5, None, "d", "e",
)  # fmt: skip


@pytest.fixture
def filled(tmp_path):
    fill(tmp_path / "results")
    with Workspace.create(tmp_path / "results") as workspace:
        yield workspace


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_measured_return_has_a_row_for_each_metric_with_all_that_identifies_it(filled):
    rows = [row for row in measurement_rows(filled) if row.compared_with == "source"]
    (stored,) = filled.query(
        "SELECT count(*) AS n FROM steps s JOIN steps f ON f.trajectory = s.trajectory AND f.position = 0 "
        "JOIN measurements m ON m.picture = s.picture AND m.reference = f.inputs ->> 0 "
        "WHERE s.role = 'backward'"
    )
    assert len(rows) == stored["n"] > 0
    keys = {(row.model, row.case, row.seed, row.round, row.metric) for row in rows}
    assert len(keys) == len(rows)
    fingerprints = {row["fingerprint"]: row["name"] for row in filled.query("SELECT * FROM editors")}
    assert {fingerprints[row.fingerprint] for row in rows} == {row.model for row in rows}


def test_a_row_has_a_value_or_a_reason_and_never_both(filled):
    rows = list(measurement_rows(filled))
    assert all((row.value is None) != (row.missing_reason is None) for row in rows)
    assert {row.missing_reason for row in rows if row.metric == "clip"} == {NO_CLIP}


def test_a_failed_edit_is_a_row_with_its_kind_and_reason(filled):
    stored = [tuple(row) for row in filled.query("SELECT failure, reason FROM steps WHERE failure NOT NULL")]
    rows = [row for row in measurement_rows(filled) if row.metric == "edit"]
    assert sorted(row.missing_reason for row in rows) == sorted(": ".join(row) for row in stored) != []
    assert {(row.compared_with, row.digest) for row in rows} == {("input", None)}


def test_an_edit_that_gave_back_its_input_is_perfect_by_the_metrics_that_changes_are_measured_with(filled):
    case = cases()[0]
    (trajectory,) = filled.enrol([Enrolment("round_trip", SUITE, editor("lazy"), case, 0, 2)], fresh=False)
    source, held = source_of(case), worn(source_of(case), "lazy", 1, forward=False)
    for number, role, given in [(1, "forward", source), (1, "backward", held), (2, "forward", held),
                                (2, "backward", held)]:  # fmt: skip
        record(filled, 1, trajectory, number, role, given, held)
    rows = [row for row in measurement_rows(filled) if row.model == "lazy" and row.compared_with != "source"]
    assert [(row.round, row.compared_with, row.metric, row.value) for row in rows if row.round == 2] == [
        (2, "input", "psnr", math.inf),
        (2, "input", "ssim", 1.0),
        (2, "previous return", "psnr", math.inf),
        (2, "previous return", "ssim", 1.0),
    ]
    assert all(math.isfinite(row.value) for row in rows if row.round == 1 and row.value is not None)


def test_an_edit_that_changed_nothing_has_no_value_by_a_metric_that_its_suite_is_not_measured_with(filled):
    filled.query("DELETE FROM measurements WHERE metric = 'psnr'")
    inputs = [row for row in measurement_rows(filled) if row.compared_with == "input"]
    rows = [row for row in inputs if row.metric != "edit"]
    assert {(row.model, row.metric, row.value) for row in rows} == {("identity", "ssim", 1.0)}


def test_only_the_newest_version_of_a_metric_counts(filled):
    before = list(measurement_rows(filled))
    one = next(row for row in before if row.metric == "ssim" and row.compared_with == "source")
    (source,) = {
        row["reference"]
        for row in filled.query("SELECT reference FROM measurements WHERE picture = ? LIMIT 1", one.digest)
    }
    filled.record_measurements([(source, one.digest, Measurement("ssim", "99", 0.123))]).result()
    after = [row for row in measurement_rows(filled) if row.metric == "ssim"]
    assert {row.version for row in after} == {"99"}


def test_a_suite_can_be_named_and_all_are_there_otherwise(filled):
    values = {1: {"ssim": 0.6, "lpips": 0.0}, 2: {"ssim": 0.7, "lpips": 0.0}}
    rows = [ImportedReturn("old", "p/hat", "p", "hat", "acc", "portrait", 0, n, values[n]) for n in (1, 2)]
    record_imported(filled, filled.start_run({"suite": "brought"}, "0"), "brought", rows)
    brought = list(measurement_rows(filled, "brought"))
    assert {(row.metric, row.value, row.fingerprint, row.digest) for row in brought} == {
        ("ssim", 0.6, None, None), ("ssim", 0.7, None, None), ("lpips", None, None, None),
    }  # fmt: skip
    assert all("never computed" in row.missing_reason for row in brought if row.metric == "lpips")
    assert {row.suite for row in measurement_rows(filled)} == {"brought", "tiny@1"}


def test_csv_and_parquet_hold_the_same(filled, tmp_path):
    from pyarrow import parquet

    write_csv(measurement_rows(filled), tmp_path / "m.csv")
    write_parquet(measurement_rows(filled), tmp_path / "m.parquet")
    stored = parquet.read_table(tmp_path / "m.parquet")
    assert stored.column_names == list(MeasurementRow._fields)
    written = read_csv(tmp_path / "m.csv")
    as_text = [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in stored.to_pylist()
    ]
    assert written == as_text


def test_parquet_is_written_in_batches(tmp_path):
    from pyarrow import parquet

    write_parquet((ROW._replace(round=number) for number in range(120_000)), tmp_path / "m.parquet")
    stored = parquet.ParquetFile(tmp_path / "m.parquet")
    assert (stored.metadata.num_rows, stored.num_row_groups) == (120_000, 3)


def test_without_pyarrow_the_extra_is_named_and_no_file_is_left(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"convergebench\[parquet\]"):
        write_parquet([ROW], tmp_path / "m.parquet")
    assert not list(tmp_path.iterdir())
