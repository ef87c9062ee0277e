from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convergebench.analysis import Results, missing_values, paired_difference, ranking
from convergebench.analysis.round_trip.forward_success import forward_success, forward_test
from convergebench.analysis.round_trip.headline_rounds import headline_rounds
from convergebench.analysis.round_trip.share_matrix import share_matrices
from convergebench.analysis.round_trip.worst_cases import worst_cases
from convergebench.report.export.csv_files import export
from convergebench.results import load_results
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, Failure, Measurement, PictureFacts, Step

ROUNDS = 3


def fill(workspace: Workspace, cases: list[Case], *, is_forward_measured: bool) -> None:
    """Four models; the first chain of each ends early, and every other kind of gap occurs among them."""
    run, elsewhere = workspace.start_run({}, "test"), workspace.start_run({"imported": "elsewhere"}, "test")
    for model in range(4):
        editor = EditorFacts(f"model{model}", "1", price_usd=0.01)
        wanted = [Enrolment("round_trip", "tiny@0", editor, case, 0, ROUNDS) for case in cases]
        for number, trajectory in enumerate(workspace.enrol(wanted, fresh=False)):
            source = before = cases[number].source.digest
            for position in range(2 * ROUNDS):
                role, made = ("forward", "backward")[position % 2], f"{trajectory:032}{position:032}"
                unchanged = model == 2 and role == "backward"
                facts = PictureFacts(source if unchanged else made, 8, 8, "image/png")
                failed = number == 0 and position == 2 + model
                outcome = Failure("refused", "no hats") if failed else facts
                step = Step(position, role, position // 2 + 1, "Add.", 0, (before,), outcome, 1 / 3, 0.1, 1)
                workspace.record_step(trajectory, elsewhere if model == 3 else run, step).result()
                if failed:
                    break
                if role == "backward" and number + position != 4:
                    workspace.record_measurements(measured(source, facts.digest, position, model))
                elif is_forward_measured:
                    workspace.record_measurements([(before, made, Measurement("psnr", "1", 20.0))])
                before = facts.digest


def measured(source: str, picture: str, position: int, model: int) -> list[tuple[str, str, Measurement]]:
    found = [Measurement("psnr", "1", np.inf if source == picture else 40.0 - position - model)]
    if position == 3:
        found.append(Measurement("ssim", "1", None, "too small"))
    elif model != 1 or position == 5:
        found.append(Measurement("ssim", "1", 1 / (1 + position * (1 + model) / 7)))
    return [(source, picture, one) for one in found]


def both_forms(
    workspace: Workspace, make_case: Callable[..., Case], *, is_forward_measured: bool
) -> tuple[Results, Results]:
    """The same results, with their returns as columns and as objects."""
    cases = [make_case(f"picture{number}", seed=number) for number in range(4)]
    fill(workspace, cases, is_forward_measured=is_forward_measured)
    columns = load_results(workspace)
    return columns, replace(columns, returns=tuple(columns.returns))


@pytest.mark.parametrize("is_forward_measured", [False, True])
def test_statistics_from_columns_are_those_from_the_returns_themselves(
    workspace: Workspace, make_case: Callable[..., Case], is_forward_measured: bool
) -> None:
    columns, objects = both_forms(workspace, make_case, is_forward_measured=is_forward_measured)
    assert len(objects.returns) == len(columns.returns) > 30
    for of in (
        lambda results: results.roles(),
        lambda results: results.returned_rounds,
        lambda results: {model: list(found) for model, found in results.returns_by_model.items()},
        lambda results: {key: list(found) for key, found in results.returns_by_round().items()},
        lambda results: [results.has(name) for name in ("psnr", "ssim", "lpips")],
        lambda results: [ranking(results, name, number) for name in ("psnr", "ssim") for number in (1, 2, 3)],
        missing_values,
        lambda results: paired_difference(results, "model0", "model1", "psnr", 2),
        lambda results: headline_rounds(results, "ssim"),
        lambda results: worst_cases(results, "ssim", 3),
        forward_test,
        forward_success,
    ):
        assert of(columns) == of(objects)
    for of_columns, of_objects in zip(
        share_matrices(columns, "ssim").values(), share_matrices(objects, "ssim").values(), strict=True
    ):
        assert (of_columns.keys, of_columns.pictures) == (of_objects.keys, of_objects.pictures)
        np.testing.assert_array_equal(of_columns.shares, of_objects.shares)


def test_files_from_columns_are_those_from_the_returns_themselves(
    workspace: Workspace, make_case: Callable[..., Case], tmp_path: Path
) -> None:
    columns, objects = both_forms(workspace, make_case, is_forward_measured=False)
    for folder, results in (("columns", columns), ("objects", objects)):
        (tmp_path / folder).mkdir()
        assert len(export(results, tmp_path / folder)) == 5
    for path in (tmp_path / "columns").iterdir():
        assert path.read_text() == (tmp_path / "objects" / path.name).read_text()
        assert len(path.read_text().splitlines()) > 4
