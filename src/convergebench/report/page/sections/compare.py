"""Two models on the cases that both have."""

from functools import partial

from convergebench.report.page.metric_sections import pairs_section, seen_pairs_section
from convergebench.report.page.overview import compared_rounds
from convergebench.report.page.page_data import PageData
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection


def _builders(page: PageData) -> Builders:
    """Each model against those after it: by what a person sees, and by metric and round."""
    models = list(page.results.roles())
    seen = {
        f"seen/{first}": lambda first=first: seen_pairs_section(
            page.chains, page.ranked.rounds, models[first:]
        )
        for first in range(len(models))
    }
    return seen | {
        f"pairs/{facts.name}/{round}/{first}": partial(
            pairs_section, page.ranked, facts.name, round, models[first:]
        )
        for facts in page.results.metrics
        for round in compared_rounds(page.results, facts, live=page.live)
        for first in range(len(models))
    }


MEMBERS = (PageSection("compare", "Compare", ASSETS / "compare.js", _builders, order=50, needs_rounds=True),)
