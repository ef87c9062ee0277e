from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.store import Workspace
from measured_by_hand import measure_by_hand
from report.page.conftest import Visit, write
from report.page.filled import SUITE, fill

KEPT = {"steady": 0.95, "refuser": 0.9, "fading": 0.3}


@pytest.fixture
def seen(tmp_path: Path) -> str:
    """The address of a report whose returns and forward edits were measured by region."""
    folder = tmp_path / "results"
    fill(folder)
    measure_by_hand(folder, lambda model: {"undid": 0.9, "kept": KEPT.get(model, 1.0)})
    return (write(folder, tmp_path / "written") / "index.html").as_uri()


def test_the_headline_stands_first_with_its_sentence(visit: Visit, seen: str) -> None:
    page = visit.open(seen)
    assert "rounds" in page.inner_text(".verdict-line")
    first = page.locator(".overview section").first
    assert first.get_attribute("aria-label") == "Headline"
    assert first.locator(".standings").first.locator("h2 a").all_inner_texts() == [
        "steady",
        "refuser",
        "fading",
    ]
    first.locator("summary:has-text('as a table')").click()
    headings = set(first.locator("thead th").all_inner_texts())
    assert headings >= {"score", "did the edit", "undid it", "kept R1", "kept R3", "usable for", "ended by"}
    names = first.locator("tbody th a").all_inner_texts()
    assert names.index("steady") < names.index("fading") < names.index("identity")
    assert (
        page.get_by_label("Curves of SSIM").bounding_box()["y"]
        < page.get_by_label("Ranking of the models").bounding_box()["y"]
    )


def test_a_verdict_during_a_run_is_said_to_be_one_so_far(
    visit: Visit, seen: str, tmp_path: Path, serve: Callable[[Path], str]
) -> None:
    with Workspace.create(tmp_path / "results") as workspace:
        run = workspace.start_run({"suite": SUITE}, "0.1.0")
        page = visit.open(serve(tmp_path / "results"))
        assert page.inner_text(".verdict-line").startswith("So far: steady ")
        workspace.finish_run(run, "finished")
    visit.until("document.querySelector('.verdict-line').innerText.startsWith('steady ')")


def test_the_curves_of_the_score_come_before_those_of_metrics(visit: Visit, seen: str) -> None:
    page = visit.open(seen)
    curves = page.get_by_label("Curves of score")
    rows = curves.locator("tbody tr").all_inner_texts()
    cells = {name: mean.split()[0] for name, mean, *_ in (row.split("\t") for row in rows)}
    assert cells.keys() == {"steady", "refuser", "fading"}, "probes and floors do not edit"
    assert (cells["steady"], cells["fading"]) == ("92.5", "52.0"), "100 √(0.9 · 0.95) and 100 √(0.9 · 0.3)"
    assert curves.bounding_box()["y"] < page.get_by_label("Curves of SSIM").bounding_box()["y"]


def test_the_gallery_shows_the_score_of_the_round_and_begins_with_the_worst(visit: Visit, seen: str) -> None:
    page = visit.open(seen, "#/gallery?round=1")
    assert page.get_by_label("Metric").input_value() == "headline_score"
    shots = page.locator(".gallery-row").first.locator("a.shot").all_inner_texts()
    scores = {shot.split()[0]: shot.split()[1] for shot in shots}
    assert list(scores) == ["fading", "refuser", "steady", "identity"]
    assert scores == {"fading": "52.0", "refuser": "90.0", "steady": "92.5", "identity": "–"}
    page.get_by_label("Metric").select_option("ssim")
    page.wait_for_selector("a.shot:has-text('fading 0.')")


def test_a_filmstrip_shows_the_score_and_why_a_floor_has_none(visit: Visit, seen: str) -> None:
    page = visit.open(seen, "#/film?case=anna%2Fhat&model=steady&model=identity&round=1")
    assert "score 92.5" in page.locator(".pane").first.inner_text()
    assert "score missing: probes and floors do not edit" in page.locator(".pane").last.inner_text()


def test_the_worst_returns_beside_drift_are_those_of_the_score(visit: Visit, seen: str) -> None:
    page = visit.open(seen, "#/drift")
    assert "worst by score" in page.get_by_label("fading").inner_text()
    assert "worst by SSIM" in page.get_by_label("identity").inner_text()


def test_calibration_stays_below_its_line_however_the_table_is_sorted(visit: Visit, seen: str) -> None:
    page = visit.open(seen)
    first = page.locator(".overview section").first
    first.locator("summary:has-text('as a table')").click()
    for _ in range(2):
        first.get_by_role("button", name="kept R1").click()
        last = first.locator("tbody tr").last
        assert last.locator("th a").inner_text() == "identity"
        assert last.locator("td").first.evaluate("cell => getComputedStyle(cell).borderTopWidth") == "2px"


def test_comparing_two_models_begins_with_the_score_and_what_it_consists_of(visit: Visit, seen: str) -> None:
    page = visit.open(seen, "#/compare?a=fading&b=steady")
    table = page.get_by_label("What a person sees").locator("table")
    rows = {row[0]: row[1:] for row in (line.split("\t") for line in table.inner_text().splitlines())}
    assert list(rows)[1:6] == ["score", "did the edit", "undid it", "kept R1", "kept R3"]
    assert [cell.strip() for cell in rows["kept R3"][:2]] == ["0.30", "0.95"]
    assert rows["kept R3"][2].startswith("−0.65")
    page.get_by_role("button", name="Swap").click()
    page.wait_for_selector("h1:text-is('steady and fading')")
    swapped = page.get_by_label("What a person sees").locator("tr", has_text="kept R3").inner_text()
    assert "+0.65" in swapped
    metrics = page.get_by_label("Metric").locator("option").all_inner_texts()
    assert {"SSIM", "undid"} <= set(metrics)


LINES = """cells => cells.map(cell => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return new Set([...text.getClientRects()].map(line => line.top)).size;
})"""


def test_words_in_tables_stay_on_one_line_in_a_narrow_window(visit: Visit, seen: str) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 800})
    verdicts = visit.open(seen, "#/compare").get_by_label("Both models by what a person sees")
    assert set(verdicts.locator("td:last-child").evaluate_all(LINES)) == {1}
    missing = visit.open(seen, "#/runs").get_by_label("What is missing, and why")
    assert set(missing.locator("td:nth-child(3)").evaluate_all(LINES)) == {1}


def test_without_regions_the_ranking_by_metric_stands_first(visit: Visit, written: Path) -> None:
    page = visit.open((written / "index.html").as_uri())
    assert page.locator(".overview section").first.get_attribute("aria-label") == "Ranking"
    assert page.locator(".verdict-line").count() == 0
    assert "null" not in page.locator("main").inner_text().split()
    page = visit.open((written / "index.html").as_uri(), "#/compare")
    page.wait_for_selector("h2:has-text('By metric')")
    assert page.get_by_label("What a person sees").count() == 0
