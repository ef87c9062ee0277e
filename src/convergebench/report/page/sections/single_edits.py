"""Single edits with their verdicts."""

from functools import partial

from convergebench.report.page.page_data import PageData
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection
from convergebench.report.page.single_edits import edit_section, edits_section, pictures_of_edit


def _builders(page: PageData) -> Builders:
    cases = page.single_edits
    if not cases:
        return {}
    edits = {
        f"edit/{number}": partial(edit_section, page.workspace, edits, page.verdicts)
        for number, edits in enumerate(cases)
    }
    return {"edits": lambda: edits_section(cases, page.judgements, page.verdicts), **edits}


MEMBERS = (
    PageSection(
        "edits",
        "Single edits",
        ASSETS / "edits.js",
        _builders,
        order=60,
        pictures={"edit": pictures_of_edit},
        is_there=lambda page: bool(page.single_edits),
    ),
)
