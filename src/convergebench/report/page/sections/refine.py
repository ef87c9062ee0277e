"""Refinements, round by round."""

from functools import partial

from convergebench.report.page.page_data import PageData
from convergebench.report.page.refinements import pictures_of_refined, refine_section, refined_section
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection
from convergebench.report.page.step_index import by_picture


def _builders(page: PageData) -> Builders:
    cases = page.refinements
    if not cases:
        return {}
    steps, judged = by_picture(page.steps), page.judgements_by_result
    refined = {
        f"refined/{number}": partial(refined_section, page.workspace, case, steps, judged)
        for number, case in enumerate(cases)
    }
    return {"refine": lambda: refine_section(cases, judged), **refined}


MEMBERS = (
    PageSection(
        "refine",
        "Refine",
        ASSETS / "refine.js",
        _builders,
        order=70,
        pictures={"refined": pictures_of_refined},
        is_there=lambda page: bool(page.refinements),
    ),
)
