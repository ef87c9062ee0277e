"""One chain of each model, the median one, as a strip: the source and a few of its returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convergebench.analysis import FailedStep, Results, Return, median_chains
from convergebench.report.page.crops import crop_name
from convergebench.report.page.overview import case_numbers, model_numbers
from convergebench.report.page.page_picture import PagePicture
from convergebench.results.worst_regions import WorstRegions
from convergebench.types import Digest


def strip_rounds(rounds: int) -> list[int]:
    """The first, the third and the last.

    >>> strip_rounds(10), strip_rounds(3), strip_rounds(2)
    ([1, 3, 10], [1, 3], [1, 2])
    """
    return sorted({number for number in (1, 3, rounds) if number <= rounds})


def strips_section(
    ranked: Results, browsed: Results, sources: Mapping[str, Digest], regions: WorstRegions
) -> list[dict[str, Any]]:
    """A strip for every model with pictures, by its number in the page: imported tables have none. A round
    without a picture has the reason."""
    model, case = model_numbers(browsed), case_numbers(browsed)
    chosen = median_chains(ranked)
    of_chain: dict[tuple[str, str, int], dict[int, Return]] = {}
    for item in ranked.returns:
        if chosen[item.model] == (item.case, item.seed):
            of_chain.setdefault((item.model, item.case, item.seed), {})[item.round] = item
    strips = []
    for name, key in chosen.items():
        failed = [one for one in ranked.troubles if (one.model, one.case, one.seed) == (name, *key)]
        found = of_chain.get((name, *key), {})
        if found and not any(item.digest for item in found.values()):
            continue
        shots = [_shot(number, found.get(number), failed, regions) for number in strip_rounds(ranked.rounds)]
        strips.append(
            {"model": model[name], "case": case[key.case], "seed": key.seed,
             "source": sources.get(key.case), "shots": shots}
        )  # fmt: skip
    return strips


def _shot(
    number: int, item: Return | None, failed: list[FailedStep], regions: WorstRegions
) -> dict[str, Any]:
    region = regions.get((item.case, item.digest)) if item else None
    reason = next((_failure(one) for one in failed if one.round <= number), "no picture yet")
    return {
        "round": number,
        "digest": item.digest if item else None,
        "crop": crop_name(region.source, item.digest, region.box)
        if item and region and region.source != item.digest
        else None,
        "reason": None if item else reason,
    }


def _failure(one: FailedStep) -> str:
    return f"{one.kind_of_failure.replace('_', ' ')}: {one.reason}"


def pictures_of_strips(strips: list[dict[str, Any]]) -> Iterator[PagePicture]:
    for strip in strips:
        for digest in (strip["source"], *(shot["digest"] for shot in strip["shots"])):
            if digest:
                yield PagePicture(digest)
