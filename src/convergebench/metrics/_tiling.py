"""Pictures in stripes of rows that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

_ELEMENTS = 200_000


def stripes(height: int, width: int, window: int) -> Iterator[slice]:
    """The rows of each stripe: neighbours overlap so that each window is in exactly one stripe.

    >>> [(s.start, s.stop) for s in stripes(40, 4000, 7)]
    [(0, 22), (16, 38), (32, 40)]
    """
    rows, overlap = stripe_rows(width), window - 1
    for top in range(0, height - overlap, rows):
        yield slice(top, min(top + rows + overlap, height))


def stripe_rows(width: int) -> int:
    return max(_ELEMENTS // (3 * width), 1)
