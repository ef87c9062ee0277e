"""All input of the template, as one document for json.dumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from convergebench._version import __version__
from convergebench.analysis import Ranking, Results, audit, contraction, has_scale, ranking
from convergebench.analysis.headline.headline_ranking import headline_ranking
from convergebench.analysis.round_trip.drift_profile import drift_profile
from convergebench.report.formatting import counted, metric_title
from convergebench.report.paper import numbers, provenance, sentences
from convergebench.report.paper.counting import counts_of, listed
from convergebench.report.paper.figures import curves_figure, dimensions_figure, survival_figure
from convergebench.report.paper.grids import Grid
from convergebench.report.paper.judged import JudgedTable, judged_tables
from convergebench.report.paper.pictures import Copies, example_strip, worst_strips
from convergebench.report.tables.ranking_notes import ranking_notes
from convergebench.results import Records, load_audit_input
from convergebench.store import Workspace

TITLE = "How much of a picture is left? Repeated editing and undoing, measured"


@dataclass(frozen=True)
class Heading:
    title: str = TITLE
    authors: tuple[str, ...] = ()


def content_of(workspace: Workspace, results: Results, heading: Heading, folder: Path) -> dict[str, Any]:
    """The document; figures and pictures are written into the folder on the way."""
    records = Records.of(workspace)
    ranked = ranking(results, results.chief)
    seen = headline_ranking(results)
    copies = Copies(records, results, folder)
    example = example_strip(copies, results, ranked)
    worst = worst_strips(copies, results, ranked)
    judged = judged_tables(records)
    document = {
        "title": heading.title,
        "authors": list(heading.authors),
        "date": f"{datetime.now(UTC):%d %B %Y}".lstrip("0"),
        "suite": results.suite,
        "version": __version__,
        "rounds": results.rounds,
        "round": ranked.round,
        "trips": counted(ranked.round, "round trip"),
        "chief": metric_title(ranked.metric),
        "counts": asdict(counts_of(results)),
        "sentences": _sentences(results, ranked, seen, judged, [bool(strip.pictures) for strip in worst]),
        "explained": _explained(ranked),
        "tables": _tables(records, results, ranked, seen),
        "edits": [_plain(grid) for grid in numbers.edit_grids(results, ranked)],
        "figures": _figures(results, ranked, folder),
        "judged": [{"caption": one.caption, "table": _plain(one.table)} for one in judged],
        "fingerprints": [
            {"model": row.model, "sentence": row.sentence} for row in ranked.rows if row.sentence is not None
        ],
        "pictures": {"example": example and asdict(example), "worst": [asdict(strip) for strip in worst]},
        "findings": [one.sentence for one in audit(load_audit_input(records, results.suite))],
    }
    cleaned: dict[str, Any] = _well_formed(document)
    return cleaned


def _sentences(
    results: Results,
    ranked: Ranking,
    seen: Ranking,
    judged: Sequence[JudgedTable],
    pictured: Sequence[bool],
) -> dict[str, list[str]]:
    counts = counts_of(results)
    found = {
        "tested": sentences.tested(counts),
        "headline": [*sentences.seen(seen), *sentences.headline(ranked)],
        "seen": sentences.seen(seen),
        "setup": sentences.setup(results, counts),
        "ranking": sentences.ranking_sentences(ranked),
        "degradation": sentences.degradation(results, ranked),
        "survival": sentences.survival(ranked),
        "convergence": sentences.convergence(_verdicts(results, ranked), results, ranked),
        "judged": [_judged(judged)],
        "dimensions": sentences.dimensions(ranked),
        "parts": sentences.parts(results, ranked),
        "drift": sentences.drift(ranked, _leading(results, ranked)),
        "worst": [_worst(pictured)],
        "missing": sentences.missing(results),
        "limits": sentences.limits(results, ranked, counts.picture_count),
        "provenance": [f"This document was made by convergebench {__version__}."],
    }
    return {name: list(said) for name, said in found.items()}


def _verdicts(results: Results, ranked: Ranking) -> dict[str, str]:
    if not has_scale(ranked.metric):
        return {}
    models = [row.model for row in ranked.rows if row.rank is not None]
    return {model: contraction(results, model, ranked.metric.name).verdict for model in models}


def _leading(results: Results, ranked: Ranking) -> dict[str, str | None]:
    """Of models that are ranked and have drift values at the last round."""
    profiles = {row.model: drift_profile(results, row.model) for row in ranked.rows if row.rank is not None}
    return {model: found[-1].leading for model, found in profiles.items() if found}


def _judged(judged: Sequence[JudgedTable]) -> str:
    if judged:
        return "Vision-language models were asked for verdicts; a verdict that is missing enters no mean."
    return (
        "No judge has graded edits in this workspace, so that how well the edits were done is not reported."
    )


def _worst(pictured: Sequence[bool]) -> str:
    if not pictured:
        return "There is no case to show."
    if any(pictured):
        return (
            "For each ranked model the chain that lost most, the largest loss first, scaled down. Magnified "
            "at the end: the place where its last return differs most from the source, in both."
        )
    return "For each ranked model the chain that lost most; these results came without pictures."


def _explained(ranked: Ranking) -> dict[str, str]:
    chief = metric_title(ranked.metric)
    intervals = "95 % intervals in brackets"
    score = next((row.score for row in ranked.rows if row.score is not None), None)
    of = (
        f"Here it is of {listed([name.upper() for name in score.metrics])}."
        if score and score.metrics
        else ""
    )
    return {
        "ranking": f"Ranked by {chief}, {ranked.metric.better} is better; {intervals}. Models that share a "
        "letter cannot be told apart. Half-life in rounds, AUC and scores as in the text; n returns, and how "
        "many are missing. Floors, below the line, have no rank.",
        "shared": "Columns as above.",
        "metrics": "Infinite values, of pictures that came back unchanged, are left out of means.",
        "curves": "Means with bands of 95 %, by source picture; floors are dotted and grey.",
        "dynamics": f"By {chief}; {intervals}. Settling within x: at this pace it comes to rest at most so "
        "far from the source. Edits done: forward edits that happened, by the test that the text names.",
        "scores": of,
        "parts": "Means with 95 % intervals, and n.",
    }  # fmt: skip


def _tables(records: Records, results: Results, ranked: Ranking, seen: Ranking) -> dict[str, Any]:
    found = dict(numbers.grids_of(results, ranked)) | dict(provenance.grids_of(records, results))
    tables = {name: _plain(grid) for name, grid in found.items()}
    tables["ranking"]["notes"] = list(ranking_notes(ranked))
    if seen.headline is not None:
        tables["seen"] = {**_plain(numbers.ranking_grid(seen)), "notes": list(ranking_notes(seen))}
    return tables


def _figures(results: Results, ranked: Ranking, folder: Path) -> dict[str, str]:
    """The figures with data to draw."""
    files = {name: f"figures/{name}.pdf" for name in ("curves", "survival", "dimensions")}
    drawn = {
        "curves": curves_figure(results, folder / files["curves"]),
        "survival": survival_figure(results, ranked, folder / files["survival"]),
        "dimensions": dimensions_figure(results, ranked, folder / files["dimensions"]),
    }
    return {name: files[name] for name, is_there in drawn.items() if is_there}


def _plain(grid: Grid) -> dict[str, Any]:
    return {**asdict(grid), "left": list(grid.left), "rules": list(grid.rules)}


def _well_formed(value: Any) -> Any:
    """The same with text that any reader of JSON takes: no halves of characters, no control characters."""
    if isinstance(value, str):
        whole = value.encode("utf-8", "replace").decode("utf-8")
        return "".join(sign if sign.isprintable() else " " for sign in whole)
    if isinstance(value, Mapping):
        return {key: _well_formed(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_well_formed(one) for one in value]
    return value
