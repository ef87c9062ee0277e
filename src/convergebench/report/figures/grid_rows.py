"""The rows of a picture grid: the sources, then each model's returns at the last round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from convergebench.analysis import RETURN, MissingValue, Results, Return, headline_ranking, ranking, reading
from convergebench.analysis.headline.seen_values import face_distance_of, kept_seen, undid_seen
from convergebench.report.figures.picture_grid import GridCell, GridRow
from convergebench.report.formatting import decimals, metric_title, number
from convergebench.types import Digest, MetricFacts, Pixels

LOST = "the picture is lost or damaged"


def grid_rows(
    results: Results,
    source_of: Callable[[str], Pixels | None],
    picture_of: Callable[[Digest], Pixels | None],
    metric: str = "ssim",
    columns: int = 6,
) -> tuple[GridRow, ...]:
    """Rows for picture_grid; `source_of` takes a source picture's id, `picture_of` a digest. Both give None
    for a picture that is lost.

    Models are in the order of the ranking; the columns are cases of as many different pictures as possible.
    Of several seeds, the lowest is shown.
    """
    last = max((item.round for item in results.returns), default=results.rounds)
    ranked = ranking(results, metric, last)
    order = headline_ranking(results) if last == results.rounds else ranked
    final = {
        (item.model, item.case): item
        for item in sorted(results.returns, key=lambda item: -item.seed)
        if item.round == last
    }
    missing = {(gap.model, gap.case): gap for gap in ranked.missing_values if gap.what == RETURN}
    shown = _spread(list(final.values()), columns)

    def cell(model: str, case: str) -> GridCell:
        item = final.get((model, case))
        if item is None:
            return GridCell(None, _reason(missing.get((model, case))))
        if not item.digest:
            return GridCell(None, f"imported without pictures: {_caption(item, ranked.metric)}")
        pixels = picture_of(item.digest)
        return GridCell(pixels, LOST if pixels is None else _caption(item, ranked.metric))

    sources = GridRow("source", [GridCell(source_of(item.picture), item.case) for item in shown])
    if not any(item.digest for item in final.values()):
        return ()
    return (
        sources,
        *(GridRow(row.model, [cell(row.model, item.case) for item in shown]) for row in order.rows),
    )


def _spread(final: Sequence[Return], columns: int) -> list[Return]:
    """One return per displayed case: pictures and kinds alternate, cases that most models have come first."""
    coverage = Counter(item.case for item in final)
    left = {item.case: item for item in final}
    pictures, kinds = Counter[str](), Counter[str]()
    chosen: list[Return] = []
    while left and len(chosen) < columns:
        best = min(
            left.values(), key=lambda i: (pictures[i.picture], kinds[i.kind], -coverage[i.case], i.case)
        )
        pictures[best.picture] += 1
        kinds[best.kind] += 1
        chosen.append(left.pop(best.case))
    return sorted(chosen, key=lambda item: (item.kind, item.case))


def _caption(item: Return, facts: MetricFacts) -> str:
    """What the return undid and kept in the score if measured, otherwise the metric."""
    seen = [
        ("undid", undid_seen(item.values, face_distance_of(item.values))),
        ("kept", kept_seen(item.values)),
    ]
    if any(value is not None for _, value in seen):
        return ", ".join(f"{name} {number(value, 2)}" for name, value in seen if value is not None)
    value = reading(item, facts)
    if isinstance(value, str):
        return f"{metric_title(facts)} missing: {value}"
    return f"{metric_title(facts)} {number(value, decimals(facts))}"


def _reason(gap: MissingValue | None) -> str:
    if gap is None:
        return "not requested"
    return f"{gap.failed_at}: {gap.reason}" if gap.failed_at else gap.reason
