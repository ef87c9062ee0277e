"""In which ways each model's pictures drift."""

from convergebench.report.page.drift import drift_section
from convergebench.report.page.page_data import PageData
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection


def _builders(page: PageData) -> Builders:
    return {"drift": lambda: drift_section(page.ranked, page.results.roles())}


MEMBERS = (
    PageSection(
        "drift", "Drift", ASSETS / "drift.js", _builders, order=40, needs_rounds=True, prepared=("drift",)
    ),
)
