"""The ranking as a table for the terminal, and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from convergebench.analysis import ConvergenceScore, HalfLife, Interval, MetricSummary, Ranking, RankingRow
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import (
    ABSENT,
    decimals,
    duration,
    mean_with_interval,
    metric_title,
    number,
)
from convergebench.report.tables.ranking_notes import ranking_notes
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    from rich.table import Table

_BESIDE = ("ssim", "lpips", "clip")
"""Structure, perception and meaning."""


def ranking_table(ranking: Ranking) -> Table:
    """A table that fits 100 columns, floors below a line; print ranking_notes(ranking) under it."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=f"{ranking.suite}, round {ranking.round}{edits_title(ranking)}",
        title_justify="left",
        title_style="bold",
        box=box.HORIZONTALS,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("model", overflow="fold", min_width=8)
    table.add_column(f"{metric_title(ranking.metric)} @ R{ranking.round}", no_wrap=True)
    for heading in _headings(ranking)[3:]:
        table.add_column(_broken(heading), justify="right", no_wrap=True)
    for row, following in zip(ranking.rows, (*ranking.rows[1:], None), strict=True):
        is_last_above_floors = following is not None and row.role != "floor" and following.role == "floor"
        style = "dim" if row.role == "floor" else ""
        table.add_row(*_cells(ranking, row), style=style, end_section=is_last_above_floors)
    return table


def edits_title(ranking: Ranking) -> str:
    """What stands behind the title of a ranking that is not the main one; empty for that."""
    return "" if ranking.edits == "reversible" else f", {ranking.edits} edits"


def ranking_cells(ranking: Ranking) -> list[list[str]]:
    """The table's text: a heading, then a row a model."""
    return [_headings(ranking), *(_cells(ranking, row) for row in ranking.rows)]


def csv_ranking(ranking: Ranking) -> list[Row]:
    """A heading, then a row a model, with all metrics' means at full precision."""
    names = [facts.name for facts in ranking.metrics]
    heading = ("rank", "model", "role", "group", "n", "missing", *names, "low", "high", "half_life", "auc",
               "score", "gated_score", "mean_seconds", "cost_usd", "edits")  # fmt: skip
    rows: list[Row] = [heading]
    for row in ranking.rows:
        chief = row.metrics[ranking.metric.name]
        score = (row.score.together, row.score.gated) if row.score else (None, None)
        rows.append(
            (row.rank, row.model, row.role, row.group, row.n, row.missing,
             *(row.metrics[name].mean for name in names), chief.low, chief.high,
             row.half_life.median if row.half_life else None, row.auc.mean if row.auc else None,
             *(one.mean if one else None for one in score), row.mean_seconds, row.cost_usd, ranking.edits)
        )  # fmt: skip
    return rows


def json_ranking(ranking: Ranking) -> dict[str, Any]:
    """The ranking for json.dumps: infinite values are the string "inf", missing ones null with a reason."""
    return {
        "suite": ranking.suite,
        "round": ranking.round,
        "edits": ranking.edits,
        "ranked_by": ranking.metric.name,
        "better": ranking.metric.better,
        "shared_cases": ranking.shared_cases,
        "unequal_cases": ranking.unequal_cases,
        "rows": [_json_row(row) for row in ranking.rows],
        "notes": list(ranking_notes(ranking)),
    }


def _headings(ranking: Ranking) -> list[str]:
    chief = metric_title(ranking.metric)
    others = [metric_title(facts) for facts in _others(ranking)]
    score = "gated score" if is_gated(ranking) else "score"
    convergence = ["group", "half-life", "AUC", score]
    return ["#", "model", f"{chief} @ R{ranking.round}", *convergence, *others, "n", "missing", "s/edit", "$"]


def _broken(heading: str) -> str:
    """In two lines where it has two words, since the numbers below are short.

    >>> _broken("half-life"), _broken("s/edit"), _broken("gated score")
    ('half-\\nlife', 's/\\nedit', 'gated\\nscore')
    """
    return heading.replace(" ", "\n").replace("-", "-\n").replace("/", "/\n").replace("missing", "miss-\ning")


def _others(ranking: Ranking) -> list[MetricFacts]:
    """What fits beside the metric that ranks, where it has a value; the JSON has all."""
    return [
        facts
        for facts in ranking.metrics
        if facts != ranking.metric
        and facts.name in _BESIDE
        and any(row.metrics[facts.name].mean is not None for row in ranking.rows)
    ]


def _cells(ranking: Ranking, row: RankingRow) -> list[str]:
    chief = row.metrics[ranking.metric.name]
    return [
        ABSENT if row.rank is None else str(row.rank),
        row.model,
        mean_with_interval(chief.mean, chief.low, chief.high, ranking.metric),
        row.group or ABSENT,
        half_life_text(row.half_life),
        number(row.auc.mean if row.auc else None, 2),
        _score_text(row, gated=is_gated(ranking)),
        *(number(row.metrics[facts.name].mean, decimals(facts)) for facts in _others(ranking)),
        str(row.n),
        str(row.missing),
        duration(row.mean_seconds),
        number(row.cost_usd, 2),
    ]


def is_gated(ranking: Ranking) -> bool:
    """Whether any model's forward edits were looked at; then the gated score is the one to show."""
    return any(row.score is not None and row.score.gated is not None for row in ranking.rows)


def half_life_text(life: HalfLife | None) -> str:
    """In rounds; later than the last one watched where more than half of the pictures hold out."""
    return ABSENT if life is None else _rounds_text(life.median, life)


def half_life_interval(life: HalfLife | None) -> str:
    """Such as [2.5, >6]; empty where there is none."""
    if life is None or life.low is None or life.high is None:
        return ""
    return f"[{_rounds_text(life.low, life)}, {_rounds_text(life.high, life)}]"


def _rounds_text(rounds: float, life: HalfLife) -> str:
    return f">{life.watched}" if math.isinf(rounds) else number(rounds, 1)


def _score_text(row: RankingRow, *, gated: bool) -> str:
    if row.score is None:
        return ABSENT
    points = row.score.gated if gated else row.score.together
    return number(points.mean if points else None, 1)


def _json_row(row: RankingRow) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "model": row.model,
        "role": row.role,
        "imported": row.imported,
        "n": row.n,
        "missing": row.missing,
        "metrics": {name: _json_summary(summary) for name, summary in row.metrics.items()},
        "mean_seconds": row.mean_seconds,
        "cost_usd": row.cost_usd,
        "failures": dict(row.failures),
        "group": row.group,
        "half_life": _json_half_life(row.half_life),
        "auc": json_interval(row.auc),
        "score": _json_score(row.score),
        "sentence": row.sentence,
    }


def _json_half_life(life: HalfLife | None) -> dict[str, Any] | None:
    if life is None:
        return None
    return {
        "threshold": life.threshold,
        "median": json_number(life.median),
        "low": json_number(life.low),
        "high": json_number(life.high),
        "n": life.n,
        "fell": life.fell,
        "watched": life.watched,
    }


def _json_score(score: ConvergenceScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "together": json_interval(score.together),
        "quality": json_interval(score.quality),
        "semantic": json_interval(score.semantic),
        "gated": json_interval(score.gated),
        "gated_by": score.gated_by,
        "metrics": list(score.metrics),
        "missing": list(score.missing),
    }


def json_interval(interval: Interval | None) -> dict[str, Any] | None:
    """For json.dumps; null where there is none."""
    return None if interval is None else asdict(interval)


def _json_summary(summary: MetricSummary) -> dict[str, Any]:
    return {
        "mean": json_number(summary.mean),
        "low": summary.low,
        "high": summary.high,
        "n": summary.n,
        "clusters": summary.finite.clusters if summary.finite else None,
        "infinite": summary.perfect,
        "missing": summary.missing,
        "missing_reason": summary.reason,
    }


def json_number(value: float | None) -> float | str | None:
    """For json.dumps, which has no infinity."""
    return "inf" if value is not None and math.isinf(value) else value
