"""What a person sees, then rankings and curves by metric."""

from functools import partial
from typing import Any

from convergebench.report.page.breakage import KINDS
from convergebench.report.page.metric_sections import metric_section
from convergebench.report.page.overview import cases_of, model_numbers, overview_section
from convergebench.report.page.page_data import PageData
from convergebench.report.page.progress import progress_section
from convergebench.report.page.ranking_table import headline_tables
from convergebench.report.page.score import score_facts
from convergebench.report.page.sections._section import ASSETS, Builders, PageSection
from convergebench.report.page.strips import pictures_of_strips
from convergebench.results.sessions import suites_with_sessions


def _overview(page: PageData) -> dict[str, Any]:
    found = overview_section(page.results, live=page.live)
    for case in found["cases"]:
        known = page.records.case(page.results.suite, case["id"])
        case["asked"] = known.forward if known else ""
    return {
        **found,
        "score": score_facts() if page.round_scores else None,
        "breakage_kinds": [[name, f"rgb{colour}"] for name, colour in KINDS],
        "sessions": len(suites_with_sessions(page.records)),
        "verdicts": len(page.judgements),
        "single_edits": len(page.single_edits),
        "refinements": len(page.refinements),
    }


def _strips(page: PageData) -> list[dict[str, Any]]:
    """With the names of the files to take along."""
    films = {
        (film.model, film.case, film.seed): film.trajectory
        for films in page.filmstrips.values()
        for film in films
    }
    models, cases = list(page.results.roles()), cases_of(page.results)
    found = []
    for strip in page.strips:
        trajectory = films.get((models[strip["model"]], cases[strip["case"]].id, strip["seed"]), -1)
        export = page.exports.get(trajectory)
        found.append({**strip, "export": export.name if export else None})
    return found


def _builders(page: PageData) -> Builders:
    numbers = model_numbers(page.results)
    metrics = {
        f"metric/{facts.name}": partial(metric_section, page.ranked, facts.name, numbers)
        for facts in page.results.metrics
    }
    live: Builders = {"progress": lambda: progress_section(page.records, page.steps_taken)}
    return {
        **(live if page.live else {}),
        "overview": partial(_overview, page),
        "headline": partial(headline_tables, page.ranked, numbers),
        "strips": lambda: _strips(page),
        **metrics,
    }


MEMBERS = (
    PageSection(
        "overview",
        "Overview",
        ASSETS / "overview.js",
        _builders,
        order=10,
        pictures={"strips": pictures_of_strips},
        needs_rounds=True,
        prepared=("overview", "headline", "strips", "metric/ssim"),
    ),
)
