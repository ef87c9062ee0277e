"""The workspace: database, pictures and claims."""

from convergebench.store.imported_returns import (
    imported_models,
    imported_rows,
    imported_suites,
    record_imported,
)
from convergebench.store.picture_location import is_remote, open_pictures
from convergebench.store.pictures import PictureFolder, PictureStore
from convergebench.store.schema import IS_NEWEST
from convergebench.store.workspace import DATABASE, Enrolment, MeasurementKey, Workspace

__all__ = [
    "DATABASE",
    "IS_NEWEST",
    "Enrolment",
    "MeasurementKey",
    "PictureFolder",
    "PictureStore",
    "Workspace",
    "imported_models",
    "imported_rows",
    "imported_suites",
    "is_remote",
    "open_pictures",
    "record_imported",
]
