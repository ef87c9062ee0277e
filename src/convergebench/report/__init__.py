"""Views of the results: tables, files, curves and pictures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from convergebench.report.export.csv_files import csv_text, export, under_one_heading

if TYPE_CHECKING:
    from convergebench.report.export.formats import FORMATS, export_as
    from convergebench.report.figures.curves import plot_curves
    from convergebench.report.figures.grid_rows import grid_rows
    from convergebench.report.figures.picture_grid import GridCell, GridRow, picture_grid
    from convergebench.report.figures.worst_crops import worst_crop_rows
    from convergebench.report.markdown import report
    from convergebench.report.tables.audit import audit_lines, corrected_title, csv_audit, json_audit
    from convergebench.report.tables.comparison import (
        csv_paired,
        json_paired,
        paired_notes,
        paired_table,
        profile_lines,
    )
    from convergebench.report.tables.ranking import csv_ranking, json_ranking, ranking_table
    from convergebench.report.tables.ranking_notes import ranking_notes
    from convergebench.report.tables.rounds import json_rounds, rounds_table
    from convergebench.report.tables.worst import csv_worst, json_worst, worst_notes, worst_table

__all__ = [
    "FORMATS",
    "GridCell",
    "GridRow",
    "audit_lines",
    "corrected_title",
    "csv_audit",
    "csv_paired",
    "csv_ranking",
    "csv_text",
    "csv_worst",
    "export",
    "export_as",
    "grid_rows",
    "json_audit",
    "json_paired",
    "json_ranking",
    "json_rounds",
    "json_worst",
    "paired_notes",
    "paired_table",
    "picture_grid",
    "plot_curves",
    "profile_lines",
    "ranking_notes",
    "ranking_table",
    "report",
    "rounds_table",
    "under_one_heading",
    "worst_crop_rows",
    "worst_notes",
    "worst_table",
]

_HOMES = {
    name: home
    for home, names in {
        "export.formats": ("FORMATS", "export_as"),
        "figures.curves": ("plot_curves",),
        "figures.grid_rows": ("grid_rows",),
        "figures.picture_grid": ("GridCell", "GridRow", "picture_grid"),
        "figures.worst_crops": ("worst_crop_rows",),
        "markdown": ("report",),
        "tables.audit": ("audit_lines", "corrected_title", "csv_audit", "json_audit"),
        "tables.comparison": ("csv_paired", "json_paired", "paired_notes", "paired_table", "profile_lines"),
        "tables.ranking": ("csv_ranking", "json_ranking", "ranking_table"),
        "tables.ranking_notes": ("ranking_notes",),
        "tables.rounds": ("json_rounds", "rounds_table"),
        "tables.worst": ("csv_worst", "json_worst", "worst_notes", "worst_table"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that a command loads only what it needs."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
