"""One case: every step of every model."""

from functools import partial
from typing import Any

from convergebench.report.page.filmstrips import case_section, pictures_of_case
from convergebench.report.page.overview import cases_of
from convergebench.report.page.page_data import PageData
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection


def _case(page: PageData, case: str) -> Any:
    films = page.filmstrips.get(case, ())
    return case_section(
        page.records,
        page.results,
        case,
        films,
        page.steps_taken,
        page.worst_regions,
        page.breakages,
        page.exports,
        page.round_scores,
    )


def _builders(page: PageData) -> Builders:
    return {
        f"case/{number}": partial(_case, page, case.id) for number, case in enumerate(cases_of(page.results))
    }


MEMBERS = (
    PageSection(
        "film",
        "Filmstrip",
        ASSETS / "film.js",
        _builders,
        order=20,
        pictures={"case": pictures_of_case},
        needs_rounds=True,
    ),
)
