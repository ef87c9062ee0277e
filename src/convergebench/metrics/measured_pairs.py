"""Which pictures of a chain are compared with each other, beside every return with the source."""

from __future__ import annotations

from collections.abc import Set

from convergebench.metrics import MetricSet
from convergebench.picture import Picture

CHANGE_METRICS = ("psnr", "ssim")
"""The cheap ones, which such pairs are measured with as far as a run has them."""


def change_metrics(ruler: MetricSet) -> MetricSet:
    """Those of the ruler's metrics that such pairs are measured with.

    None that the ruler does not have, or results would show a metric that nobody asked for.
    """
    return MetricSet([facts.name for facts in ruler.facts if facts.name in CHANGE_METRICS], sources=1)


class MeasuredPairs:
    """Follows one chain: a forward edit goes with its input, a return with the return before."""

    def __init__(self, source: Picture, returns: Set[str]) -> None:
        self._returns = returns
        self._latest = source
        self._last_return: Picture | None = None

    def pair_with(self, role: str, picture: Picture) -> tuple[Picture, Picture] | None:
        """The picture that this next one is to be compared with, and itself; None where there is none.

        Pictures that are the same file need no measuring.
        """
        if role in self._returns:
            before, self._last_return = self._last_return, picture
        else:
            before = self._latest
        self._latest = picture
        return None if before is None or before.digest == picture.digest else (before, picture)
