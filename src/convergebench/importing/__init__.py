"""Import external results: tables of values, and folders of pictures."""

from convergebench.importing.import_file import SUITE, ImportSummary, import_path

__all__ = ["SUITE", "ImportSummary", "import_path"]
