import dataclasses
import re

import numpy as np
import pytest
from PIL import Image

from convergebench.report import grid_rows, report
from report.conftest import made_up


def grey(_):
    return np.full((30, 40, 3), 128, np.uint8)


def test_every_link_leads_to_a_file_that_is_there(results, tmp_path):
    page = report(results, tmp_path, grid_rows(results, grey, grey))
    links = re.findall(r"\]\(([^)]+)\)", page.read_text())
    assert {"degradation_curves.png", "model_comparison_round10.png", "missing.csv"} <= set(links)
    assert all((tmp_path / link).stat().st_size > 0 for link in links)
    assert Image.open(tmp_path / "model_comparison_round10.png").width > 1000


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Without pictures."""
    return report(made_up(), tmp_path_factory.mktemp("page"))


def test_without_pictures_the_page_does_not_speak_of_them(page):
    assert "model_comparison" not in page.read_text()
    assert not list(page.parent.glob("model_comparison*"))


def test_the_ranking_and_both_breakdowns_are_on_the_page(page):
    text = page.read_text()
    assert "| 1 | qwen | 0.6" in text
    assert r"| model | accessories | scene\_objects |" in text
    assert "| model | portrait | scene |" in text


def test_what_is_missing_is_grouped_with_its_reason(page):
    text = page.read_text()
    line = next(line for line in text.splitlines() if line.startswith("| seedream | return | 28 |"))
    assert "1 more" in line and line.endswith("edited |")


def test_what_is_missing_of_partially_reversible_edits_is_on_the_page_too(results, tmp_path):
    partial = dataclasses.replace(results, edits="partially reversible")
    text = report(dataclasses.replace(results, partial=partial), tmp_path).read_text()
    assert "| seedream | return | 56 |" in text


def test_a_reason_cannot_break_the_table(results, tmp_path):
    nasty = tuple(dataclasses.replace(trouble, reason="no | <b>way\n# loud") for trouble in results.troubles)
    text = report(dataclasses.replace(results, troubles=nasty), tmp_path).read_text()
    assert r"no \| \<b>way # loud |" in text


def test_a_reason_names_no_address(results, tmp_path):
    told = "no answer from http://10.0.0.7:8000/v1"
    troubles = tuple(dataclasses.replace(trouble, reason=told) for trouble in results.troubles)
    text = report(dataclasses.replace(results, troubles=troubles), tmp_path).read_text()
    assert text.count("no answer from (address)") > 1 and "10.0.0.7" not in text
