"""A strip as a slide: the source and some returns of each model's median case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from convergebench.analysis import FailedStep, Results, Return, headline_ranking, median_chains
from convergebench.errors import WrongUse
from convergebench.report.figures.curve_panel import styles_of
from convergebench.report.figures.talk.slide import HEIGHT, LABEL, SMALL, footnote, short, slide
from convergebench.types import Digest, Pixels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_MODELS = 5
_LONGEST_SIDE = 520
_ROW = 2.6
"""Inches for a row of pictures, if there are few."""
_LOST = "lost or\ndamaged"


def strip_slide(
    results: Results, source_of: Callable[[str], Pixels | None], picture_of: Callable[[Digest], Pixels | None]
) -> Figure:
    """`source_of` takes a source picture's id; both give None for a picture that cannot be read."""
    order = [row.model for row in headline_ranking(results).rows if row.role == "model"]
    models = (order or list(results.roles()))[:_MOST_MODELS]
    chosen = {model: key for model, key in median_chains(results).items() if model in models}
    returns = {(item.model, item.case, item.seed, item.round): item for item in results.returns}
    if not any(item.digest for item in returns.values()):
        raise WrongUse("these results have no pictures; choose --figure curves")
    rounds = sorted({number for number in (1, 3, results.rounds) if number <= results.rounds})
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    sources = {(item.model, item.case): item.picture for item in begun}
    shown = [model for model in models if model in chosen]
    figure = slide("What is left after each round", min(HEIGHT, 1.6 + _ROW * len(shown)))
    grid = figure.subplots(len(shown), 1 + len(rounds), squeeze=False)
    styles = styles_of(results.roles())
    for line, model in zip(grid, shown, strict=True):
        key = chosen[model]
        _draw(line[0], source_of(sources[model, key.case]), _LOST)
        _name(line[0], short(model, 24), styles[model]["color"])
        for axis, number in zip(line[1:], rounds, strict=True):
            item = returns.get((model, key.case, key.seed, number))
            _draw(axis, picture_of(item.digest) if item and item.digest else None, _reason(item))
    for axis, title in zip(grid[0], ("source", *(f"round {number}" for number in rounds)), strict=True):
        axis.set_title(title, fontsize=LABEL)
    more = f" The first {len(shown)} of {len(order)} models." if len(order) > len(shown) else ""
    footnote(figure, f"{results.suite}. For each model its median case.{more}")
    return figure


def _reason(item: Return | None) -> str:
    return _LOST if item else "no picture"


def _draw(axis: Axes, pixels: Pixels | None, reason: str) -> None:
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[["top", "right", "left", "bottom"]].set_visible(pixels is None)
    if pixels is None:
        axis.text(0.5, 0.5, reason, ha="center", va="center", fontsize=SMALL, color="#666666")
        return
    axis.imshow(_small(pixels))


def _name(axis: Axes, name: str, colour: str) -> None:
    axis.annotate(
        name, (0, 0.5), xycoords="axes fraction", xytext=(-14, 0), textcoords="offset points",
        ha="right", va="center", fontsize=LABEL, color=colour, weight="bold", parse_math=False,
    )  # fmt: skip


def _small(pixels: Pixels) -> Pixels:
    """A slide needs no more, and an SVG holds every pixel."""
    import numpy as np
    from PIL import Image

    picture = Image.fromarray(pixels)
    picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE), Image.Resampling.LANCZOS)
    return np.asarray(picture)
