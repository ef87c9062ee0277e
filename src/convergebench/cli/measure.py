"""convergebench measure"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.options import (
    AsJson,
    ClipWeights,
    DinoWeights,
    console,
    listed,
    print_json,
)
from convergebench.json_numbers import json_number

if TYPE_CHECKING:
    from convergebench.metrics import MetricSet
    from convergebench.picture import Picture
    from convergebench.types import Measurement

NAME = "measure"


def command(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="SOURCE", help="Source picture to compare with, or a folder of sources."),
    ] = None,
    picture: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PICTURE...", help="Pictures, or folders of them."),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", "-w", metavar="FOLDER", help="Measure every return in these results."),
    ] = None,
    metric: Annotated[
        list[str],
        typer.Option(
            metavar="METRIC",
            help="Metrics, separated by commas. [default: all but DINO's; for --workspace the default set]",
        ),
    ] = [],  # noqa: B006
    clip: ClipWeights = None,
    dino: DinoWeights = None,
    as_json: AsJson = False,
) -> None:
    """Measure pictures on disk, or a whole workspace.

    Pictures on disk are measured against a source.
    With folders on both sides, pictures are matched by name.
    """
    from convergebench import metrics
    from convergebench.errors import WrongUse

    every = [name for name in metrics.names() if name not in metrics.ON_REQUEST]
    names = listed(metric) or (metrics.DEFAULT_MEASURED if workspace else every)
    metric_set = metrics.MetricSet(names, metrics.MetricOptions(clip=clip, dino=dino))
    if workspace is not None:
        if source is not None:
            raise WrongUse("give pictures or --workspace, not both")
        _measure_workspace(workspace, names, metric_set, as_json)
        return
    if source is None or not picture:
        raise WrongUse(
            "nothing to measure: give SOURCE and PICTURE, or --workspace FOLDER; "
            "see: convergebench measure --help"
        )
    _measure_files(source, picture, metric_set, as_json)


def _measure_files(source: Path, given: Sequence[Path], metric_set: MetricSet, as_json: bool) -> None:
    from itertools import islice

    remaining = iter(_pairs(source, given))
    rows: list[dict[str, Any]] = []
    while chunk := list(islice(remaining, metric_set.batch_size)):
        opened = _opened(chunk)
        for (_, path), pair, values in zip(chunk, opened, metric_set.measure(opened), strict=True):
            if as_json:
                rows.append(_row(path, pair[1], values))
            else:
                _print_table(path, *pair, values, {facts.name: facts for facts in metric_set.facts})
    if as_json:
        print_json(rows)


def _pairs(source: Path, given: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Each picture with its source: the given one, or the one of the same name."""
    from convergebench.errors import WrongUse

    by_name = {path.stem: path for path in _pictures_in(source)} if source.is_dir() else None
    for path in (each for one in given for each in (_pictures_in(one) if one.is_dir() else (one,))):
        if by_name is None:
            yield source, path
        elif path.stem in by_name:
            yield by_name[path.stem], path
        else:
            raise WrongUse(f"{source} has no picture named {path.stem}; add it, or give a single source")


def _pictures_in(folder: Path) -> list[Path]:
    from convergebench.errors import WrongUse
    from convergebench.picture import SUFFIXES

    suffixes = {*SUFFIXES.values(), ".jpeg", ".tiff"}
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in suffixes)
    if not found:
        raise WrongUse(f"no pictures in {folder}; choose a folder with pictures")
    return found


def _opened(paths: Sequence[tuple[Path, Path]]) -> list[tuple[Picture, Picture]]:
    """Both pictures of each pair, decoded on threads; a file in several pairs is read once."""
    from concurrent.futures import ThreadPoolExecutor

    from convergebench.picture import Picture

    files = list(dict.fromkeys(path for pair in paths for path in pair))
    with ThreadPoolExecutor() as threads:
        pictures = dict(zip(files, threads.map(Picture.from_file, files), strict=True))
    return [(pictures[source], pictures[path]) for source, path in paths]


def _measure_workspace(folder: Path, names: Sequence[str], metric_set: MetricSet, as_json: bool) -> None:
    import asyncio

    from convergebench.cli.download_progress import fetch_metric_weights
    from convergebench.cli.measuring_progress import MeasuringProgress
    from convergebench.engine.measuring.remeasure import count_results, measure_workspace
    from convergebench.protocols import RETURNING
    from convergebench.results import Records
    from convergebench.store import Workspace
    from convergebench.types import is_portrait

    with Workspace.existing(folder) as store:
        results = count_results(store)
        returning = [one.case for one in Records.of(store).trajectories if one.protocol in RETURNING]
    fetch_metric_weights(names, portraits=any(is_portrait(case.kind, case.picture) for case in returning))
    with Workspace.create(folder) as store, MeasuringProgress(results, quiet=as_json) as progress:
        measured = asyncio.run(measure_workspace(store, metric_set, progress))
    if as_json:
        print_json({"returns": results, "measured": measured})
    else:
        console().print(f"{measured} of {results} results measured; the others already had all values.")


def _row(path: Path, result: Picture, values: dict[str, Measurement]) -> dict[str, Any]:
    return {
        "picture": str(path),
        "size": list(result.size),
        "metrics": {
            m.metric: {"value": json_number(m.value), "missing": m.missing, "version": m.version}
            for m in values.values()
        },
    }


def _print_table(
    path: Path, reference: Picture, result: Picture, values: dict[str, Measurement], facts: dict[str, Any]
) -> None:
    from rich.table import Table

    width, height = result.size
    resized = "" if result.size == reference.size else f" (resized from {width} × {height})"
    table = Table("metric", "value", "better", title=f"{path}{resized}", title_justify="left", box=None)
    for name, m in values.items():
        cell = f"missing: {m.missing}" if m.value is None else f"{m.value:.4f} {facts[name].unit}".rstrip()
        table.add_row(name, cell, facts[name].better)
    console().print(table)
