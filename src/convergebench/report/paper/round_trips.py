"""What round trips contribute to the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from convergebench.analysis import Ranking, Results, audit, ranking
from convergebench.analysis.headline.headline_ranking import headline_ranking
from convergebench.report.formatting import metric_title
from convergebench.report.paper import numbers, sentences
from convergebench.report.paper.counting import counts_of, listed
from convergebench.report.paper.dynamics import dynamics_grid, dynamics_of, dynamics_sentences
from convergebench.report.paper.figures import Widths, curves_figure, dimensions_figure, survival_figure
from convergebench.report.paper.grids import Grid
from convergebench.report.paper.part import DrawnFigure, PaperPart
from convergebench.report.paper.pictures import Copies, example_strip, worst_strips
from convergebench.results import Records, load_audit_input
from convergebench.shown_text import counted


def round_trip_part(
    records: Records, results: Results, copies: Copies, folder: Path, template: str
) -> PaperPart:
    """Also writes figures and pictures into the folder."""
    ranked = ranking(results, results.chief)
    seen = headline_ranking(results)
    counts = counts_of(results)
    dynamics = dynamics_of(results, ranked)
    example = example_strip(copies, results, ranked)
    worst = worst_strips(copies, results, ranked)
    findings = [one.sentence for one in audit(load_audit_input(records, results.suite))]
    claims: dict[str, Sequence[str]] = {
        **sentences.of_round_trips(results, ranked, seen, counts),
        "convergence": list(dynamics_sentences(dynamics, results, ranked)),
        "worst": [sentences.worst([bool(strip.pictures) for strip in worst])],
        "explained-ranking": [_explained(ranked)],
        "explained-scores": _score_metrics(ranked),
        "audit": [
            "The audit of the workspace found:"
            if findings
            else "The audit of the workspace found nothing that would make a comparison wrong."
        ],
    }
    tables: dict[str, Sequence[Grid]] = {
        name: [grid] for name, grid in numbers.grids_of(results, ranked, seen)
    }
    tables["dynamics"] = dynamics_grid(dynamics, results, ranked)
    tables["metrics"] = numbers.metrics_grids(ranked)
    tables["edits"] = numbers.edit_grids(results, ranked)
    return PaperPart(
        names=("round-trips",),
        values={
            "trips": counted(ranked.round, "round trip"),
            "round": str(ranked.round),
            "chief": metric_title(ranked.metric),
            "models": counts.models,
            "cases": counts.cases,
            "pictures": counts.pictures,
        },
        claims=claims,
        tables=tables,
        figures=_figures(results, ranked, folder, template),
        strips={"example": [example] if example else [], "worst": worst},
        lists={
            "fingerprints": [f"{row.model}: {row.sentence}." for row in ranked.rows if row.sentence],
            "findings": findings,
            "limits": list(sentences.limits(results, ranked, counts.picture_count)),
        },
    )


def _explained(ranked: Ranking) -> str:
    return (
        f"Ranked by {metric_title(ranked.metric)}, {ranked.metric.better} is better; 95 % intervals in "
        "brackets. Models that share a letter do not differ significantly. Half-life in rounds, AUC and "
        "scores as in the text; n returns, and how many are missing. Floors, below the line, have no rank."
    )


def _score_metrics(ranked: Ranking) -> list[str]:
    score = next((row.convergence for row in ranked.rows if row.convergence is not None), None)
    if score is None or not score.metrics:
        return []
    return [f"Here it is of {listed([name.upper() for name in score.metrics])}."]


def _figures(results: Results, ranked: Ranking, folder: Path, template: str) -> Mapping[str, DrawnFigure]:
    """The figures with data to draw."""
    widths = Widths.of(template)
    files = {name: f"figures/{name}.pdf" for name in ("curves", "survival", "dimensions")}
    drawn = {
        "curves": curves_figure(results, folder / files["curves"], widths.page),
        "survival": survival_figure(results, ranked, folder / files["survival"], widths.column),
        "dimensions": dimensions_figure(results, ranked, folder / files["dimensions"], widths.column),
    }
    return {name: DrawnFigure(files[name], name == "curves") for name, is_there in drawn.items() if is_there}
