"""The page: one front end that opens from a folder on disk, or is served while a run goes on."""

from convergebench.report.site.folder import write_site
from convergebench.report.site.gathered import gathered, holds_only_single_edits
from convergebench.report.site.sections import Sections

__all__ = ["Sections", "gathered", "holds_only_single_edits", "write_site"]
