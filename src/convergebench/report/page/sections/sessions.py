"""Sessions of several turns: what is kept and how many pass, by turn."""

from convergebench.report.page.page_data import PageData
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection
from convergebench.report.page.sessions import sessions_section
from convergebench.results.sessions import suites_with_sessions


def _builders(page: PageData) -> Builders:
    if not suites_with_sessions(page.records):
        return {}
    return {"sessions": lambda: sessions_section(page.records)}


MEMBERS = (
    PageSection(
        "sessions",
        "Sessions",
        ASSETS / "sessions.js",
        _builders,
        order=55,
        is_there=lambda page: bool(suites_with_sessions(page.records)),
    ),
)
