"""What a person sees, in the paper: the table with its sentence, and the worst regions magnified."""

from __future__ import annotations

import json
from pathlib import Path

from convergebench.results import Records
from convergebench.results.step_contexts import step_contexts
from convergebench.store import Workspace
from convergebench.types import Measurement
from report.page.filled import fill
from report.paper.conftest import text_of, write


def measure_by_region(folder: Path) -> None:
    """Invented values for every step, stored as a run stores them."""
    with Workspace.create(folder) as workspace:
        records = Records.of(workspace)
        trajectories = {one.id: one for one in records.trajectories}
        contexts = step_contexts(records.steps, trajectories)
        sources = {step.trajectory: step.inputs[0] for step in records.steps if step.position == 0}
        values = {"undid": 0.9, "kept": 0.7, "edit_evidence": 1.0}
        box = json.dumps({"box": [2, 2, 8, 8]})
        rows = []
        for step in records.steps:
            context = contexts.get((step.trajectory, step.position))
            if step.picture is None or context is None:
                continue
            rows += [(context, step.picture, Measurement(name, "1", value)) for name, value in values.items()]
            peak = Measurement("flip_peak", "1", 0.5, detail=box)
            rows.append((sources[step.trajectory], step.picture, peak))
        workspace.record_measurements(rows).result()


def test_the_paper_ranks_by_what_a_person_sees_and_magnifies_the_worst_regions(tmp_path: Path) -> None:
    fill(tmp_path / "results")
    measure_by_region(tmp_path / "results")
    paper = write(tmp_path / "results", tmp_path / "paper")
    said = text_of(paper.pdf)
    assert "What a person sees" in said and "not usable for a single round (rest changed)" in said
    assert "source, magnified" in said
    assert list((paper.pdf.parent / "figures/pictures").glob("*-2-2-8-8.jpg"))


def test_without_measures_by_region_there_is_no_such_table(said: str) -> None:
    assert "What a person sees" not in said
