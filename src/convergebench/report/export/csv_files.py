"""Results as CSV: the predecessor's four files, and the missing values."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis import MissingValue, Results, missing_values
from convergebench.analysis.round_trip.return_table import TrajectoryFacts
from convergebench.atomic_files import replacing
from convergebench.shown_text import csv_rows

Row: TypeAlias = Sequence[str | int | float | None]
"""None is an empty cell: missing, never zero."""

_IDENTITY = ("model", "image", "edit_pair", "image_type", "edit_category")
_SUMMARISED = ("psnr", "ssim", "clip")
_MOMENTS = tuple(f"{name}_{moment}" for name in _SUMMARISED for moment in ("mean", "std"))
_PLACES = 4


def export(results: Results, folder: Path, lacking: Sequence[Results] = ()) -> list[Path]:
    """Write all files into the folder, each whole or not at all; a missing value is an empty cell.

    missing.csv covers `lacking`, such as the results of every suite, or by default these results, and both
    kinds of edits. The other files cover these results and their kind. A model that ran with several seeds is
    called name#seed, so that model, image, edit pair and round identify one row.
    """
    files = {
        "benchmark_results_detailed.csv": _detailed(results),
        "benchmark_summary_by_round.csv": _summary_by_round(results),
        "benchmark_summary_final.csv": _summary_final(results),
        "benchmark_by_experiment.csv": _by_experiment(results),
        "missing.csv": _missing(lacking or [results]),
    }
    for name, rows in files.items():
        write_rows(rows, folder / name)
    return [folder / name for name in files]


def both_kinds(results: Results) -> tuple[Results, ...]:
    """These results, followed by those of the partially reversible edits, if any."""
    return (results,) if results.partial is None else (results, results.partial)


def under_one_heading(tables: Sequence[Sequence[Row]]) -> list[Row]:
    """The rows of all tables under the union of their headings; a cell that a table lacks is empty.

    >>> under_one_heading([[("model", "psnr"), ("a", 30)], [("model", "ssim"), ("a", 0.9)]])
    [('model', 'psnr', 'ssim'), ('a', 30, None), ('a', None, 0.9)]
    """
    heading = tuple(dict.fromkeys(name for first, *_ in tables for name in first))
    named = [dict(zip(first, row, strict=True)) for first, *rows in tables for row in rows]
    return [heading, *(tuple(row.get(name) for name in heading) for row in named)]


def csv_text(rows: Iterable[Row]) -> str:
    """Rows as CSV text for printing."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(csv_rows(rows))
    return text.getvalue()


def write_rows(rows: Iterable[Row], path: Path) -> Path:
    """Rows as a CSV file, whole or not at all."""
    with replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(csv_rows(rows))
    return path


def _detailed(results: Results) -> Iterator[Row]:
    yield (*_IDENTITY, "round", "psnr", "ssim", "lpips", "clip_similarity")
    labels, table = _labels(results), results.table
    every, rounds = table.facts(), table.round.tolist()
    columns = [_cells(table.numbers(name)) for name in ("psnr", "ssim", "lpips", "clip")]
    for place in _in_order(results):
        values = (column[place] for column in columns)
        yield (*_identity(every[place], labels), rounds[place], *values)


def _summary_by_round(results: Results) -> Iterator[Row]:
    yield ("model", "round", "n_samples", *_MOMENTS)
    labels, table = _labels(results), results.table
    grouped: dict[tuple[str, int], list[int]] = {}
    for place, (one, number) in enumerate(zip(table.facts(), table.round.tolist(), strict=True)):
        grouped.setdefault((labels[one.model, one.seed], number), []).append(place)
    columns = [table.numbers(name) for name in _SUMMARISED]
    for (label, number), places in sorted(grouped.items()):
        yield (label, number, len(places), *_moments(columns, places))


def _summary_final(results: Results) -> Iterator[Row]:
    yield ("model", "n_evaluations", *_MOMENTS)
    labels = _labels(results)
    begun = {model for model, _ in labels}
    # A model without results has a row too, with n = 0.
    grouped: dict[str, list[int]] = {label: [] for label in labels.values()}
    grouped |= {model: [] for model in results.roles() if model not in begun}
    last = results.table.at(np.flatnonzero(results.table.round == results.rounds))
    for place, one in enumerate(last.facts()):
        grouped[labels[one.model, one.seed]].append(place)
    columns = [last.numbers(name) for name in _SUMMARISED]
    for label, places in sorted(grouped.items()):
        yield (label, len(places), *map(_rounded, _moments(columns, places)))


def _by_experiment(results: Results) -> Iterator[Row]:
    yield (*_IDENTITY, *(f"{name}_r{results.rounds}" for name in _SUMMARISED))
    labels, table = _labels(results), results.table
    every = table.facts()
    columns = [_cells(table.numbers(name)) for name in _SUMMARISED]
    for place in _in_order(results):
        if table.round[place] == results.rounds:
            yield (*_identity(every[place], labels), *(_rounded(column[place]) for column in columns))


def _missing(lacking: Sequence[Results]) -> Iterator[Row]:
    yield ("suite", "edits", "model", "case", "round", "what", "kind", "reason")
    for results in lacking:
        for part in both_kinds(results):
            labels = _labels(part)
            for gap in missing_values(part):
                label = gap.model if gap.seed is None else labels[gap.model, gap.seed]
                yield (part.suite, part.edits, label, gap.case, gap.round, gap.what, gap.kind, _reason(gap))


def _reason(gap: MissingValue) -> str:
    if not gap.case:
        return f"{gap.reason} ({gap.count})"
    return f"{gap.reason} (at the {gap.failed_at})" if gap.failed_at else gap.reason


def _labels(results: Results) -> dict[tuple[str, int], str]:
    """The name of each model and seed: the model's own name if it has one seed."""
    seeds: dict[str, set[int]] = {}
    for one, _ in results.table.by_trajectory():
        seeds.setdefault(one.model, set()).add(one.seed)
    for trouble in results.troubles:
        seeds.setdefault(trouble.model, set()).add(trouble.seed)
    return {
        (model, seed): model if len(used) == 1 else f"{model}#{seed}"
        for model, used in seeds.items()
        for seed in used
    }


def _in_order(results: Results) -> list[int]:
    """The places of the returns, sorted by model and case in order of appearance, then by seed and round."""
    table, every = results.table, results.table.facts()
    models = {model: number for number, model in enumerate(results.roles())}
    cases = {case: number for number, case in enumerate(dict.fromkeys(one.case for one in every))}
    places = [(models[one.model], cases[one.case], one.seed) for one in every]
    model, case, seed = np.array(places, np.int64).reshape(-1, 3).T
    order: list[int] = np.lexsort((table.round, seed, case, model)).tolist()
    return order


def _identity(one: TrajectoryFacts, labels: dict[tuple[str, int], str]) -> tuple[str, ...]:
    return labels[one.model, one.seed], one.picture, one.pair, one.kind, one.category


def _cells(values: NDArray[np.float64]) -> list[float | None]:
    """The numbers of a column; None where one is missing."""
    return [None if math.isnan(value) else value for value in values.tolist()]


def _moments(columns: Sequence[NDArray[np.float64]], places: Sequence[int]) -> Iterator[float | None]:
    """Mean and population deviation of each column over its finite values, as in the predecessor."""
    for column in columns:
        values = column[np.asarray(places, np.intp)]
        finite = values[np.isfinite(values)]
        if len(finite):
            yield from (float(np.mean(finite)), float(np.std(finite)))
        else:
            yield from (None if np.isnan(values).all() else math.inf, None)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _PLACES)
