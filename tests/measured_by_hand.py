"""What a person sees of a workspace's returns, recorded without measuring it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from convergebench.results import Records, load_results
from convergebench.store import Workspace
from convergebench.types import Measurement


def measure_by_hand(folder: Path, values_of: Callable[[str], Mapping[str, float]]) -> None:
    """Every return of a model has its values, and every forward edit happened."""
    with Workspace.create(folder) as workspace:
        records, results = Records.of(workspace), load_results(workspace)
        sources = {one.case.id: digest for one, digest in records.beginnings(results.suite)}
        rows = [
            (sources[one.case], one.digest, Measurement(name, "1", value))
            for one in results.returns
            for name, value in values_of(one.model).items()
        ]
        rows += [
            (step.inputs[0], step.picture, Measurement("edit_evidence", "1", 1.0))
            for step in records.steps
            if step.role == "forward" and step.picture
        ]
        workspace.record_measurements(rows).result()
