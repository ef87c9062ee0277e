"""The figures by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.analysis import Results
from convergebench.errors import WrongUse, unknown_name
from convergebench.report.figures.curves import SUFFIXES
from convergebench.report.figures.talk.curves import curves_slide
from convergebench.report.figures.talk.drift import drift_slide
from convergebench.report.figures.talk.headline import headline_slide
from convergebench.report.figures.talk.slide import save
from convergebench.report.figures.talk.strip import strip_slide
from convergebench.report.figures.talk.survival import survival_slide
from convergebench.types import Digest, Pixels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = ("strip", "curves", "survival", "drift", "headline")


@dataclass(frozen=True)
class ShownPictures:
    """Where a figure gets pictures from; None for a picture that cannot be read."""

    source_of: Callable[[str], Pixels | None]
    """By the id of a source picture."""
    picture_of: Callable[[Digest], Pixels | None]


def plot_figure(
    name: str,
    results: Results,
    pictures: ShownPictures,
    paths: Sequence[Path],
    metrics: Sequence[str] | None = None,
) -> None:
    """Draw one of FIGURES into each of these files; the suffix selects PNG, SVG or PDF."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise WrongUse(f"cannot draw a {path.suffix or 'suffix-less'} file; use one of {known}")
    figure = _figure(name, results, pictures, metrics)
    for path in paths:
        save(figure, path)


def _figure(name: str, results: Results, pictures: ShownPictures, metrics: Sequence[str] | None) -> Figure:
    match name:
        case "strip":
            return strip_slide(results, pictures.source_of, pictures.picture_of)
        case "curves":
            return curves_slide(results, metrics)
        case "survival":
            return survival_slide(results)
        case "drift":
            return drift_slide(results)
        case "headline":
            return headline_slide(results)
    raise unknown_name("figure", name, FIGURES)
