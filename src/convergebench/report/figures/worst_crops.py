"""The worst region of each return next to the same region of its source, magnified: rows of a picture
grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from convergebench.analysis import WorstCase
from convergebench.metrics.flip import WorstBox
from convergebench.picture import resized_to
from convergebench.report.figures.picture_grid import GridCell, GridRow
from convergebench.results.worst_regions import WorstRegions
from convergebench.types import Digest, Pixels


def worst_crop_rows(
    cases: Iterable[WorstCase], regions: WorstRegions, picture_of: Callable[[Digest], Pixels]
) -> tuple[GridRow, ...]:
    """Rows for picture_grid: source and return of each case whose worst region is known."""
    rows = []
    for made in (case.returned for case in cases):
        region = regions.get((made.case, made.digest))
        if region is None:
            continue
        source = picture_of(region.source)
        height, width = source.shape[:2]
        returned = resized_to(picture_of(made.digest), width, height)
        cells = [
            GridCell(_crop(source, region.box), made.case),
            GridCell(
                _crop(returned, region.box), f"round {made.round}, at {region.box.left}, {region.box.top}"
            ),
        ]
        rows.append(GridRow(f"{made.model}, seed {made.seed}", cells))
    return tuple(rows)


def _crop(pixels: Pixels, box: WorstBox) -> Pixels:
    return pixels[box.top : box.top + box.height, box.left : box.left + box.width]
