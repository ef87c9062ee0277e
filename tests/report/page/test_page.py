from __future__ import annotations

import io
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from convergebench.store import Workspace
from report.page.conftest import Visit
from report.page.filled import NO_CLIP, REFUSAL, ROUNDS, WIDTH, add_film, cases, source_of, worn

VIEWS = {
    "overview": "What is left after 3 edits and undos",
    "film": "anna/hat",
    "gallery": "Gallery",
    "drift": "Drift",
    "compare": "steady and fading",
    "edits": "Single edits",
    "judging": "Judging",
    "runs": "Runs",
}
FILM = "#/film?case=lake%2Fball&model={model}&round={round}&mode={mode}"


def pixels(locator: Any, edge: int = 3) -> NDArray[np.int64]:
    """What is seen, without the edge, which may share its screen pixels with what is beside it."""
    seen = np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"), np.int64)
    return seen[edge : seen.shape[0] - edge, edge : seen.shape[1] - edge]


STAGE = ".stage:not([hidden])"
PICTURE = f"{STAGE} .world"
LOADED = "[...document.querySelectorAll('.stage:not([hidden]) img:not([hidden])')].every((i) => i.complete)"


def open_film(
    visit: Visit, address: str, mode: str, model: str = "fading", round: int = 3, more: str = ""
) -> Any:
    page = visit.open(address, FILM.format(model=model, round=round, mode=mode) + more)
    page.wait_for_selector(STAGE)
    visit.until(LOADED)
    return page


def test_every_view_opens(visit: Visit, either: str) -> None:
    for view, heading in VIEWS.items():
        page = visit.open(either, f"#/{view}")
        assert page.inner_text("h1") == heading
        assert page.locator("#views a[aria-current=page]").count() == 1


def test_the_ranking_says_how_sure_it_is_and_what_is_missing(visit: Visit, address: str) -> None:
    page = visit.open(address)
    shown = page.locator(".overview section").first
    assert shown.locator(".standings").first.locator("h2 a").all_inner_texts() == [
        "steady",
        "refuser",
        "fading",
    ]
    assert "0.980 [0.980, 0.980]" in " ".join(shown.locator(".standing").first.inner_text().split())
    shown.locator("summary:has-text('as a table')").click()
    rows = shown.locator("tbody tr")
    names = [row.locator("th a").inner_text() for row in rows.all()]
    assert names == ["steady", "refuser", "fading", "identity"]
    order = [" ".join(text.split("\n")) for text in rows.all_inner_texts()]
    assert re.search(r"0\.980 .*\[0\.980, 0\.980\]", order[0])
    headings = page.locator(".overview section").first.locator("thead th").all_inner_texts()
    cells = rows.nth(1).locator("th, td").all_inner_texts()
    assert [cells[headings.index(one)] for one in ("n", "missing")] == ["3", "1"]
    assert f"refused by the model: {REFUSAL} (refuser 1)" in page.inner_text(".notes")


def test_another_metric_is_ranked_drawn_and_linked_to(visit: Visit, address: str) -> None:
    page = visit.open(address)
    page.select_option("label:has-text('Metric') select", "psnr")
    page.wait_for_selector("h3:has-text('PSNR over the rounds')")
    assert "metric=psnr" in page.url
    assert "37.0" in page.inner_text(".reading")


def test_curves_can_be_of_one_category_with_its_own_n(visit: Visit, address: str) -> None:
    page = visit.open(address)
    page.select_option("label:has-text('Cases') select", "category:accessories")
    visit.until("location.hash.includes('part=category')")
    visit.until(
        "document.querySelector('.reading tbody tr:nth-child(2)').innerText.split(/\\s+/).includes('2')"
    )


def test_a_metric_without_values_says_why(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/overview?metric=clip")
    assert f"missing: {NO_CLIP}" in page.inner_text(".standing")


DRAWN = """async ([low, high, metric]) => {
    const points = [low, high].map((mean, place) => ({ round: place + 1, mean }));
    const series = [{ name: "a", style: "colour0", points }];
    const { node } = convergebench.chart.chart({ series, rounds: 2, metric, cursor: 1 });
    document.body.append(node);
    while (!node.querySelector("svg")) await new Promise(requestAnimationFrame);
    return [...node.querySelectorAll(".grid text[text-anchor=end]:not(.axis)")].map((one) => one.textContent);
}"""


@pytest.mark.parametrize(
    ("low", "high"), [(0.89, 1.0), (0.9, 1.0), (0.99951, 1.0), (0.0, 100.0), (0.0, 12.0), (18.4, 31.0)]
)
def test_a_charts_scale_is_labelled_with_the_numbers_of_its_lines(
    visit: Visit, address: str, low: float, high: float
) -> None:
    marks = scale(visit.open(address), low, high, {})
    assert len(marks) >= 3
    steps = [after - before for before, after in pairwise(marks)]
    assert steps == pytest.approx([steps[0]] * len(steps))


def test_a_chart_of_one_value_has_no_numbers_that_cannot_be(visit: Visit, address: str) -> None:
    score = {"better": "higher", "perfect": 100, "worst": 0}
    assert max(scale(visit.open(address), 100, 100, score)) == 100


def scale(page: Any, low: float, high: float, metric: dict[str, Any]) -> list[float]:
    return [float(text.replace("−", "-")) for text in page.evaluate(DRAWN, [low, high, metric])]


def test_the_charts_cursor_reads_other_rounds_by_keyboard(visit: Visit, address: str) -> None:
    page = visit.open(address)
    page.focus(".chart")
    page.keyboard.press("ArrowLeft")
    assert "SSIM at round 2" in page.inner_text(".reading")
    assert page.get_attribute(".chart", "aria-valuetext") == "round 2 of 3"


def test_the_slider_shows_the_source_left_and_the_result_right(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "slider")
    seen = pixels(page.locator(PICTURE))
    case = cases()[2]
    source, result = source_of(case).pixels, worn(source_of(case), "fading", 3, forward=False).pixels
    middle = seen.shape[1] // 2
    expected = [source[:, : WIDTH // 2 - 4].mean(), result[:, WIDTH // 2 + 4 :].mean()]
    found = [seen[:, : middle - 24].mean(), seen[:, middle + 24 :].mean()]
    assert np.abs(np.subtract(expected, found)).max() < 6
    assert abs(expected[0] - expected[1]) > 12


def test_the_difference_of_equal_pictures_is_black_and_of_unequal_ones_is_not(
    visit: Visit, address: str
) -> None:
    page = open_film(visit, address, "difference", model="identity")
    assert pixels(page.locator(PICTURE)).max() <= 8  # two levels of rounding, amplified four times
    page = open_film(visit, address, "difference", model="fading")
    assert pixels(page.locator(PICTURE)).mean() > 60


def test_side_by_side_shows_both(visit: Visit, either: str) -> None:
    page = open_film(visit, either, "side")
    assert page.locator(STAGE).count() == 2
    assert page.locator(".stage-label:visible").all_inner_texts() == ["source", "return 3"]
    page.keyboard.press("3")
    assert page.locator(".stage-label:visible").all_inner_texts() == ["source", "return 3"]


def test_all_rounds_are_zoomed_and_panned_together(visit: Visit, address: str) -> None:
    page = visit.open(address, FILM.format(model="fading", round=3, mode="rounds") + "&zoom=8")
    page.wait_for_selector(".rounds-grid .stage")
    assert page.locator(".stage-label:visible").all_inner_texts() == [
        "source",
        *(f"return {n}" for n in (1, 2, 3)),
    ]
    where = "[...document.querySelectorAll('.rounds-grid .world')].map((one) => one.style.transform)"
    before = page.evaluate(where)
    page.locator(".rounds-grid .stage").nth(1).hover()
    page.mouse.wheel(0, 120)
    visit.until(f"{where}[0] !== '{before[0]}'")
    assert len(set(page.evaluate(where))) == 1


def test_a_finger_goes_to_the_next_round(visit: Visit, written: Path) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 800})
    page = visit.open((written / "index.html").as_uri(), "#/film?case=lake%2Fball&round=1")
    page.wait_for_selector(STAGE)
    swipe = """([from, to]) => {
        const stage = document.querySelector(".stage:not([hidden])");
        const touch = (type, x) => stage.dispatchEvent(new PointerEvent(type, {
            pointerType: "touch", clientX: x, clientY: 200, bubbles: true }));
        stage.setPointerCapture = () => {};
        touch("pointerdown", from);
        touch("pointerup", to);
    }"""
    page.evaluate(swipe, [300, 100])
    assert page.inner_text(".scrub output") == "return 2 of 3"
    page.evaluate(swipe, [100, 300])
    assert page.inner_text(".scrub output") == "return 1 of 3"
    assert page.locator(".panes").bounding_box()["y"] < page.locator(".viewer-tools").bounding_box()["y"]


def test_onion_skin_lies_between_source_and_result(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "onion")
    case = cases()[2]
    source, result = source_of(case).pixels, worn(source_of(case), "fading", 3, forward=False).pixels
    half = (source.astype(float) + result) / 2
    assert abs(pixels(page.locator(PICTURE)).std() - half.std()) < 4


def test_flicker_shows_source_and_result_in_turn(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "flicker")
    page.wait_for_selector(".panes.swapped")
    page.wait_for_selector(".panes:not(.swapped)")


def test_zoom_shows_every_pixel_of_the_source_as_a_square(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "single", model="steady", more="&zoom=8")
    seen = pixels(page.locator(PICTURE), edge=0)
    result = worn(source_of(cases()[2]), "steady", 3, forward=False).pixels
    big = np.repeat(np.repeat(result, 8, axis=0), 8, axis=1).astype(int)
    height, width, _ = big.shape
    # A screenshot is cut at whole pixels, which may be one more than the picture has.
    starts = [(y, x) for y in range(seen.shape[0] - height + 1) for x in range(seen.shape[1] - width + 1)]
    assert len(starts) in (1, 2, 4)
    assert min(np.abs(seen[y : y + height, x : x + width] - big).max() for y, x in starts) <= 2


def test_keys_walk_through_rounds_cases_and_modes(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "slider", round=2)
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".scrub output") == "return 3 of 3"
    page.keyboard.press("Home")
    assert page.inner_text(".scrub output") == "source"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    assert page.inner_text(".scrub output") == "edit 1 of 3"
    page.keyboard.press("6")
    assert page.locator("button[aria-pressed=true]:has-text('Difference')").count() == 1
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("h1:has-text('lake/cat')")
    assert "round=1" in page.url and "step=edit" in page.url and "mode=difference" in page.url


def test_the_scrubber_moves_the_cursor_of_the_curve_and_all_models(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "slider", more="&model=steady")
    page.locator(".scrub input").fill("1")
    assert page.get_attribute(".timeline .chart", "aria-valuenow") == "1"
    assert [text.split("\n")[1] for text in page.locator("figcaption").all_inner_texts()] == ["return 1"] * 2


def test_a_deep_link_opens_model_case_round_mode_and_zoom(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "onion", model="steady", round=2, more="&zoom=4&step=edit")
    assert page.inner_text("h1") == "lake/ball"
    assert "steady" in page.inner_text("figcaption") and "edit 2" in page.inner_text("figcaption")
    pressed = page.locator("button[aria-pressed=true]").all_inner_texts()
    assert pressed == ["Onion skin", "4×", "Edit"]


def test_a_refused_edit_is_told_and_no_other_picture_stands_in(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/film?case=anna%2Fhat&model=refuser&round=2&mode=single")
    page.wait_for_selector(".absent:not([hidden])")
    assert page.inner_text(".absent") == f"No picture: refused. {REFUSAL}"
    assert page.locator(STAGE).count() == 0


def test_native_sizes_are_printed_where_they_differ(visit: Visit, address: str) -> None:
    page = open_film(visit, address, "single", model="refuser")
    assert "192 × 128 PNG" in page.inner_text("figcaption")
    assert "shown at the source’s 96 × 64" in page.inner_text("figcaption")


def test_the_gallery_begins_with_the_worst_and_filters(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/gallery")
    page.select_option("label:has-text('Category') select", "objects")
    visit.until("document.querySelectorAll('.gallery-row').length === 2")
    shots = page.locator(".gallery-row").first.locator(".shot").all_text_contents()
    assert [text.split()[0] for text in shots] == ["fading", "refuser", "steady", "identity"]
    page.check(".chips label:has-text('steady') input")
    visit.until("document.querySelectorAll('.gallery-row .shot').length === 2")
    assert page.locator(".gallery-group .gallery-source img").count() == 2, "one source for each picture"


def test_a_comparison_names_the_better_model_and_links_to_its_cases(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/compare?a=fading&b=steady")
    assert "cannot be told apart" in page.inner_text(".lead"), "with so few pictures no p is small enough"
    assert "−0.380" in page.inner_text(".lead")
    assert page.locator(".scatter a").count() == page.locator(".bars li").count() == 4
    assert page.locator(".reading tbody tr").count() == 2
    assert "accessories" in page.inner_text("section[aria-label='By category']")
    assert page.locator(".tiles").first.locator(".shot").all_inner_texts()[0] == "source"
    page.locator(".bars a").first.click()
    page.wait_for_selector(".panes")
    assert page.locator(".pane").count() == 2


def test_the_runs_tell_settings_fingerprints_and_failures(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/runs")
    told = page.inner_text(".view")
    assert REFUSAL in told and NO_CLIP in told and 'strength = "high"' in told


def test_results_appear_while_a_run_goes_on(
    visit: Visit, tmp_path: Path, serve: Callable[[Path], str]
) -> None:
    folder = tmp_path / "results"
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({"suite": "tiny@1"}, "0.1.0")
        page = visit.open(serve(folder))
        assert "Nothing is measured yet" in page.inner_text("#content")
        for name in ("steady", "fading"):
            add_film(workspace, run, name, cases()[0], rounds=1 if name == "fading" else ROUNDS)
        page.wait_for_selector(".standing:has-text('steady')")
        visit.until("document.querySelectorAll('.live .newest img').length === 8")
        assert "7 of 12 edits" in page.inner_text(".live") or "8 of 12 edits" in page.inner_text(".live")
        assert "$0.08" in page.inner_text(".live")
        add_film(workspace, run, "steady", cases()[2])
        visit.until("document.querySelector('.overview > .quiet')?.innerText.includes('2 cases')")


def test_new_results_do_not_disturb_somebody_who_looks_at_a_film(
    visit: Visit, tmp_path: Path, serve: Callable[[Path], str]
) -> None:
    folder = tmp_path / "results"
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({"suite": "tiny@1"}, "0.1.0")
        add_film(workspace, run, "steady", cases()[0], rounds=1)
        page = visit.open(serve(folder), "#/film?mode=single&round=3")
        assert "has not come this far" in page.inner_text(".absent")
        page.wait_for_timeout(300)
        page.keyboard.press("4")
        add_film(workspace, run, "fading", cases()[0])
        page.wait_for_selector("#status button")
        assert page.locator(".chips label").count() == 1
        page.click("#status button")
        page.wait_for_selector(".chips label:has-text('fading')")
        assert page.inner_text("button[aria-pressed=true] >> nth=0") == "Onion skin"


def test_an_unknown_place_opens_something_useful(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/constructor?metric=__proto__&part=nothing&round=-4")
    assert page.inner_text("h1") == VIEWS["overview"]
    page = visit.open(address, "#/film?case=lake%2Fball&model=nobody&round=999&mode=x&zoom=y")
    assert page.locator(".pane").count() == 1


def test_a_dead_link_names_its_case_and_shows_no_other(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/film?case=nowhere")
    assert "no case “nowhere” in tiny@1" in page.inner_text(".notice")
    assert page.locator(".pane, .stage").count() == 0
    page.fill(".picker input", "add ball")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('lake/ball')")


def test_a_comparison_can_be_made_at_any_round(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/compare?a=fading&b=steady&round=1")
    assert "at round 1" in page.inner_text(".lead") and "−0.127" in page.inner_text(".lead")
    page.locator(".controls input[type=range]").fill("2")
    visit.until("document.querySelector('.lead').innerText.includes('at round 2')")
    assert "−0.253" in page.inner_text(".lead") and "round=2" in page.url
    page.locator(".bars a").first.click()
    page.wait_for_selector(".panes")
    assert page.inner_text(".scrub output") == "return 2 of 3"
