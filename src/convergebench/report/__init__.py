"""Views of the results: tables, files, curves and pictures."""

from convergebench.report.comparison import final_pictures
from convergebench.report.csv import export
from convergebench.report.grid import GridCell, GridRow, picture_grid
from convergebench.report.markdown import report
from convergebench.report.notes import ranking_notes
from convergebench.report.plots import plot_curves
from convergebench.report.tables import json_ranking, ranking_table

__all__ = [
    "GridCell",
    "GridRow",
    "export",
    "final_pictures",
    "json_ranking",
    "picture_grid",
    "plot_curves",
    "ranking_notes",
    "ranking_table",
    "report",
]
