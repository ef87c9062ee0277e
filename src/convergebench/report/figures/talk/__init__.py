"""Figures for talks: one statement each, in letters that can be read from the last row."""

from convergebench.report.figures.talk.catalogue import FIGURES, ShownPictures, plot_figure

__all__ = ["FIGURES", "ShownPictures", "plot_figure"]
