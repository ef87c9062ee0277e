"""The registered toggle lays a result back by what the drift metrics measured."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from convergebench import metrics
from convergebench.picture import Picture
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, SourcePicture, Step
from made_pictures import textured
from report.page.conftest import Visit, write
from report.page.test_page import LOADED, PICTURE, STAGE, pixels

WIDTH, HEIGHT = 320, 240


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of one return that was turned by 2°, zoomed by 3 % and shifted."""
    folder = tmp_path_factory.mktemp("moved")
    smooth = cv2.GaussianBlur(textured(WIDTH, HEIGHT, seed=3), (0, 0), 2)
    affine = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 2, 1.03) + np.array([[0, 0, 5], [0, 0, -3]])
    turned = cv2.warpAffine(smooth, affine, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REFLECT)
    source, result = (Picture.from_pixels(np.asarray(one, np.uint8)) for one in (smooth, turned))
    case = Case("one/pair", (SourcePicture("one", Path("gone"), source.digest),), "Add.", "Remove.")
    with Workspace.create(folder / "results") as workspace:
        run = workspace.start_run({"suite": "moved@1"}, "0.1.0")
        enrolment = Enrolment("round_trip", "moved@1", EditorFacts("mover", "1"), case, 0, 1)
        (trajectory,) = workspace.enrol([enrolment], fresh=False)
        for picture in (source, result):
            workspace.pictures.put(picture)
        for position, role in enumerate(("forward", "backward")):
            step = Step(position, role, 1, "", 0, (source.digest,), result.facts, 1.0, 0.0, 1)
            workspace.record_step(trajectory, run, step).result()
        (found,) = metrics.MetricSet(["ssim", *metrics.expand(["geometry"])]).measure([(source, result)])
        rows = [(source.digest, result.digest, one) for one in found.values()]
        workspace.record_measurements(rows).result()
    return write(folder / "results", folder / "report")


def test_a_moved_result_lies_on_the_source_when_registered(visit: Visit, moved: Path) -> None:
    page = visit.open((moved / "index.html").as_uri(), "#/film?mode=difference&zoom=2")
    page.wait_for_selector(STAGE)
    visit.until(LOADED)
    inner = (slice(80, -80), slice(100, -100))
    raw = pixels(page.locator(PICTURE))[inner].mean()
    page.check("label:has-text('registered') input")
    assert pixels(page.locator(PICTURE))[inner].mean() < raw / 4
    assert "laid back by shift +5" in page.inner_text("figcaption")
    assert "registered=yes" in page.url
