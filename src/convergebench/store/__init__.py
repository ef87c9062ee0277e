"""Where everything that happened is kept."""

from convergebench.store.pictures import PictureStore
from convergebench.store.workspace import DATABASE, Enrolment, Workspace

__all__ = ["DATABASE", "Enrolment", "PictureStore", "Workspace"]
