"""How the results came about."""

from convergebench.report.page.page_data import PageData
from convergebench.report.page.runs import runs_section
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection


def _builders(page: PageData) -> Builders:
    return {"runs": lambda: runs_section(page.records, page.results)}


MEMBERS = (PageSection("runs", "Runs", ASSETS / "runs.js", _builders, order=90, prepared=("runs",)),)
