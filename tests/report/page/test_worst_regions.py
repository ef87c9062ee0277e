from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convergebench.metrics.flip import WorstBox
from convergebench.results import Records, load_results
from convergebench.store import Workspace
from convergebench.types import Measurement
from report.page.conftest import Visit, write
from report.page.filled import fill
from report.page.test_page import open_film, pixels

BOX = WorstBox(8, 4, 16, 16)


@pytest.fixture
def located(tmp_path: Path) -> Path:
    """A workspace whose last returns of one case were measured by region."""
    folder = tmp_path / "results"
    fill(folder)
    with Workspace.create(folder) as workspace:
        results = load_results(workspace)
        sources = {one.case.id: digest for one, digest in Records.of(workspace).beginnings(results.suite)}
        measured = Measurement("flip_peak", "1", 0.5, detail=json.dumps({"box": BOX}))
        rows = [(sources[one.case], one.digest, measured) for one in results.returns if one.round == 3]
        workspace.record_measurements(rows).result()
    return folder


def crops(page: Any) -> list[Any]:
    return list(page.locator(".crop").all())


def test_the_worst_region_stands_beside_the_sources(visit: Visit, located: Path, tmp_path: Path) -> None:
    address = (write(located, tmp_path / "written") / "index.html").as_uri()
    page = open_film(visit, address, "single")
    visit.until("[...document.querySelectorAll('.crop img')].every((i) => i.complete && i.naturalWidth)")
    of_source, of_return = (pixels(one).mean(axis=(0, 1)) for one in crops(page))
    with Workspace.existing(located) as workspace:
        results = load_results(workspace)
        (made,) = (r for r in results.returns if (r.model, r.case, r.round) == ("fading", "lake/ball", 3))
        sources = {one.case.id: digest for one, digest in Records.of(workspace).beginnings(results.suite)}
        for seen, digest in ((of_source, sources["lake/ball"]), (of_return, made.digest)):
            whole = workspace.pictures.load(digest).pixels
            part = whole[BOX.top : BOX.top + BOX.height, BOX.left : BOX.left + BOX.width]
            assert np.abs(seen - part.mean(axis=(0, 1))).max() < 6
    assert "16 × 16 px at 8, 4" in page.inner_text(".worst-region")


def test_a_return_that_was_not_measured_by_region_has_no_crops(
    visit: Visit, located: Path, tmp_path: Path
) -> None:
    address = (write(located, tmp_path / "written") / "index.html").as_uri()
    assert crops(open_film(visit, address, "single", round=2)) == []
