"""The columns of a ranking: one module each, for the terminal, Markdown, LaTeX, CSV, JSON, page and paper.

A module has its columns in the tuple MEMBERS. Another package names a column, or a tuple of them, under the
entry point group `convergebench.columns`.
"""

from convergebench.report.columns._catalogue import ENTRY_POINTS, chosen_columns, columns_in, columns_of
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values, View
from convergebench.report.columns._text import written, written_interval, written_number

__all__ = [
    "ENTRY_POINTS",
    "TABLES",
    "ColumnValue",
    "RankingColumn",
    "Values",
    "View",
    "chosen_columns",
    "columns_in",
    "columns_of",
    "written",
    "written_interval",
    "written_number",
]
