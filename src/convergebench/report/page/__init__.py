"""The page: one front end that opens from a folder on disk, or is served during a run."""

from convergebench.report.page.page_results import holds_only_single_edits, other_results, page_results
from convergebench.report.page.sections import Sections
from convergebench.report.page.static_site import write_site

__all__ = ["Sections", "holds_only_single_edits", "other_results", "page_results", "write_site"]
