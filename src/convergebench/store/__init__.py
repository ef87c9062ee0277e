"""Where everything that happened is kept."""

from convergebench.store.imported import ImportedReturn, imported_rows, imported_suites, record_imported
from convergebench.store.pictures import PictureStore
from convergebench.store.workspace import DATABASE, Enrolment, Tried, Workspace

__all__ = [
    "DATABASE",
    "Enrolment",
    "ImportedReturn",
    "PictureStore",
    "Tried",
    "Workspace",
    "imported_rows",
    "imported_suites",
    "record_imported",
]
