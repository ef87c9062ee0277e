"""Figures for talks, each alone."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from convergebench.analysis import FailedStep, Results
from convergebench.errors import WrongUse
from convergebench.report.figures.talk import FIGURES, ShownPictures, plot_figure
from convergebench.report.figures.talk.strip import strip_slide
from convergebench.types import Measurement
from made_pictures import textured

PICTURES = ShownPictures(lambda picture: textured(64, 48), lambda digest: textured(64, 48, seed=2))
DRIFT = {"shift_x": 3.0, "shift_y": 0.0, "cast_l": 0.2}


@pytest.fixture
def drawn(results: Results) -> Results:
    """The results with pictures, drifts, and a name that a program would obey."""
    names = {"qwen": "qwen\x1b[2J $x$ <b>&\u202e"}
    values = {name: Measurement(name, "1", value) for name, value in DRIFT.items()}
    returns = tuple(
        replace(item, model=names.get(item.model, item.model), digest="ab", values={**item.values, **values})
        for item in results.returns
    )
    return replace(results, returns=returns, uses=(), troubles=())


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_drawn_alone_as_svg_and_png(drawn: Results, tmp_path: Path, name: str) -> None:
    files = [tmp_path / f"{name}.svg", tmp_path / f"{name}.png"]
    plot_figure(name, drawn, PICTURES, files)
    ET.parse(files[0])  # well-formed, whatever a model is called
    with Image.open(files[1]) as picture:
        assert picture.width >= 1400
        pixels = np.asarray(picture.convert("L"))
    assert 0.01 < (pixels < 250).mean() < 0.9
    assert (pixels[0] > 250).all() and (pixels[:, -1] > 250).all()  # nothing is cut off


def test_a_model_whose_edits_all_failed_stands_beside_its_source(results: Results) -> None:
    gone = [item for item in results.returns if item.model == "qwen" and item.round == 1]
    failed = tuple(
        FailedStep(
            one.model, one.case, one.picture, one.pair, one.kind, one.category, one.seed, 1, "forward",
            "refused", "no",
        )
        for one in gone
    )  # fmt: skip
    rest = tuple(replace(one, digest="ab") for one in results.returns if one.model == "grok")
    known = {one.picture for one in results.returns}
    figure = strip_slide(
        replace(results, returns=rest, troubles=failed, uses=()),
        lambda picture: textured(64, 48) if picture in known else None,
        PICTURES.picture_of,
    )
    texts = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert "qwen" in texts and texts.count("no picture") == 3
    assert not any("lost" in text for text in texts)


def test_what_cannot_be_drawn_is_refused_with_what_to_do(results: Results, tmp_path: Path) -> None:
    lost = ShownPictures(lambda picture: None, lambda digest: None)
    for name, why in (
        ("drift", "drift was not measured"),
        ("strip", "no pictures"),
        ("pie", "no figure 'pie'"),
    ):
        bare = replace(results, returns=tuple(replace(item, digest="") for item in results.returns))
        with pytest.raises(WrongUse, match=why):
            plot_figure(name, bare, lost, [tmp_path / "x.svg"])
    with pytest.raises(WrongUse, match=r"use one of \.png"):
        plot_figure("headline", results, lost, [tmp_path / "x.bmp"])
    assert list(tmp_path.iterdir()) == []
