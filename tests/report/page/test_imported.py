"""Imported tables on the page: figures without pictures."""

from __future__ import annotations

import pytest

from convergebench.cli.main import code_of
from report.page.conftest import Visit, write

ROWS = """model,image,edit_pair,image_type,edit_category,round,psnr,ssim,lpips,clip_similarity
flux,a.jpg,hat,portrait,accessories,1,30,0.9,0.1,0.95
flux,a.jpg,hat,portrait,accessories,2,25,0.8,0.2,0.90
qwen,a.jpg,hat,portrait,accessories,1,31,0.92,0.1,0.96
qwen,a.jpg,hat,portrait,accessories,2,27,0.85,0.2,0.93
"""
NO_PICTURES = "These results were measured elsewhere and imported; there are no pictures of them here."


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report of an imported table."""
    folder = tmp_path_factory.mktemp("imported")
    (folder / "rows.csv").write_text(ROWS)
    assert code_of(["import", str(folder / "rows.csv"), "-w", str(folder / "results")]) == 0
    return (write(folder / "results", folder / "report") / "index.html").as_uri()


def test_a_model_without_pictures_has_figures_and_no_strip(visit: Visit, imported: str) -> None:
    page = visit.open(imported)
    standing = page.locator(".standing").first.inner_text()
    assert "0.850" in standing and NO_PICTURES in standing
    assert page.locator(".no-picture").count() == 0 and "null" not in page.inner_text("main")


@pytest.mark.parametrize("view", ["gallery", "gallery?model=flux", "drift", "film"])
def test_a_view_of_pictures_says_that_there_are_none(visit: Visit, imported: str, view: str) -> None:
    shown = visit.open(imported, f"#/{view}").inner_text("main")
    assert NO_PICTURES in shown
    assert "Run it again" not in shown and "by these choices" not in shown


def test_two_models_without_pictures_are_compared_by_their_values(visit: Visit, imported: str) -> None:
    page = visit.open(imported, "#/compare")
    assert page.locator(".bars li").count() == 1
    assert page.locator(".no-picture").count() == 0
