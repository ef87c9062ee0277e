"""Where everything that happened is kept."""

from convergebench.store.imported import ImportedReturn, imported_rows, imported_suites, record_imported
from convergebench.store.labels import told_apart
from convergebench.store.picture_place import is_remote, open_pictures
from convergebench.store.pictures import PictureFolder, PictureStore
from convergebench.store.schema import IS_NEWEST, setting
from convergebench.store.workspace import DATABASE, Enrolment, Tried, Workspace

__all__ = [
    "DATABASE",
    "IS_NEWEST",
    "Enrolment",
    "ImportedReturn",
    "PictureFolder",
    "PictureStore",
    "Tried",
    "Workspace",
    "imported_rows",
    "imported_suites",
    "is_remote",
    "open_pictures",
    "record_imported",
    "setting",
    "told_apart",
]
