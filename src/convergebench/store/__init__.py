"""The workspace: database, pictures and claims."""

from convergebench.store.connection import DATABASE
from convergebench.store.enrolment import Enrolment
from convergebench.store.imported_returns import (
    imported_models,
    imported_rows,
    imported_suites,
    record_imported,
)
from convergebench.store.picture_location import is_remote, open_pictures
from convergebench.store.pictures import PictureFolder, PictureStore
from convergebench.store.schema import IS_NEWEST
from convergebench.store.selection import EVERYTHING, Selection
from convergebench.store.visibility import hidden_models, hidden_runs, read_model_names
from convergebench.store.workspace import MeasurementKey, Workspace

__all__ = [
    "DATABASE",
    "EVERYTHING",
    "IS_NEWEST",
    "Enrolment",
    "MeasurementKey",
    "PictureFolder",
    "PictureStore",
    "Selection",
    "Workspace",
    "hidden_models",
    "hidden_runs",
    "imported_models",
    "imported_rows",
    "imported_suites",
    "is_remote",
    "open_pictures",
    "read_model_names",
    "record_imported",
]
