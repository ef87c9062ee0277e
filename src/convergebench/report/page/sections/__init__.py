"""The sections of the page: one module each, with a script in assets.

A module has its sections in the tuple MEMBERS. Another package names a section, or a tuple of them, under the
entry point group `convergebench.page_sections`.
"""

from convergebench.report.page.sections._catalogue import ENTRY_POINTS, Sections, page_sections
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection

__all__ = ["ASSETS", "ENTRY_POINTS", "Builders", "PageSection", "Sections", "page_sections"]
