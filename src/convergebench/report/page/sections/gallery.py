"""Every return of one model, the worst first."""

from functools import partial

from convergebench.analysis.headline.headline import HEADLINE_SCORE
from convergebench.report.page.metric_sections import values_section
from convergebench.report.page.page_data import PageData
from convergebench.report.page.score import score_values
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection


def _builders(page: PageData) -> Builders:
    values = {
        f"values/{facts.name}": partial(values_section, page.results, facts.name)
        for facts in page.results.metrics
    }
    return {
        "pictures": lambda: page.pictures,
        f"values/{HEADLINE_SCORE}": lambda: score_values(page.results, page.round_scores),
        **values,
    }


MEMBERS = (
    PageSection(
        "gallery",
        "Gallery",
        ASSETS / "gallery.js",
        _builders,
        order=30,
        needs_rounds=True,
        prepared=("pictures", f"values/{HEADLINE_SCORE}", "values/ssim"),
    ),
)
