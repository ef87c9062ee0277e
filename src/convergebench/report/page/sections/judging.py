"""What judges said of which picture."""

from functools import partial

from convergebench.report.page.judging import (
    judging_section,
    pictures_of_verdicts,
    piece_keys,
    verdicts_section,
)
from convergebench.report.page.page_data import PageData
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection


def _builders(page: PageData) -> Builders:
    judgements = page.judgements
    if not judgements:
        return {}
    verdicts = {
        f"verdicts/{piece}": partial(verdicts_section, page.records, judgements, piece)
        for piece in piece_keys(judgements)
    }
    return {"judging": lambda: judging_section(page.records, judgements, page.steps), **verdicts}


MEMBERS = (
    PageSection(
        "judging",
        "Judging",
        ASSETS / "judging.js",
        _builders,
        order=80,
        pictures={"verdicts": pictures_of_verdicts},
    ),
)
