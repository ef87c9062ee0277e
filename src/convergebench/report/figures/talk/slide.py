"""A slide: its size, fonts and title, on white."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.atomic_files import replacing
from convergebench.report.figures.curve_panel import legend_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import LayoutEngine

WIDTH, HEIGHT = 12.8, 7.2
TITLE, LABEL, SMALL = 20, 15, 12
"""Sizes of letters in points."""
_DPI = 150


def slide(title: str, height: float = HEIGHT) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout=_layout(), facecolor="white")
    shown = "\n".join(textwrap.wrap(legend_name(title), 88))
    figure.suptitle(shown, x=0.015, ha="left", weight="bold", fontsize=TITLE, parse_math=False)
    return figure


def _layout() -> LayoutEngine:
    """With a margin around everything."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return ConstrainedLayoutEngine(w_pad=0.2, h_pad=0.14, wspace=0.02, hspace=0.02)


def footnote(figure: Figure, text: str) -> None:
    shown = "\n".join(textwrap.wrap(legend_name(text), 150))
    figure.supxlabel(shown, x=0.015, ha="left", fontsize=SMALL, color="#444444", parse_math=False)


def large(axis: Axes, letters: int = LABEL) -> None:
    """Large letters, light horizontal lines, no box."""
    axis.tick_params(labelsize=letters, length=4, color="#999999")
    axis.xaxis.label.set_fontsize(letters)
    axis.yaxis.label.set_fontsize(letters)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color("#999999")


def name_rows(axis: Axes, places: Sequence[int], names: Sequence[str], colours: Sequence[Any]) -> None:
    """Models along the left side, each in its colour."""
    axis.set_yticks(list(places), [short(name) for name in names], fontsize=LABEL)
    for label, colour in zip(axis.get_yticklabels(), colours, strict=True):
        label.set_parse_math(False)
        label.set_color(colour)


def short(name: str, most: int = 34) -> str:
    shown = legend_name(name)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def save(figure: Figure, path: Path) -> None:
    """The same results give the same file."""
    with replacing(path) as part:
        figure.savefig(part, dpi=_DPI, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
