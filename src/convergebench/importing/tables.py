"""Reads the predecessor's detailed CSV and its results JSON, row by row."""

from __future__ import annotations

import csv
import io
import json
import logging
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from convergebench.errors import WrongUse
from convergebench.metrics import facts, names
from convergebench.protocols.base import MOST_ROUNDS
from convergebench.text_files import read_text
from convergebench.types import ImportedReturn

log = logging.getLogger("convergebench")

NEEDED = ("image", "edit_pair", "round")
LARGEST_NUMBER = 1e9
_OPTIONAL = ("model", "image_type", "edit_category", "seed")
_PREDECESSORS = {"clip_similarity": "clip"}
"""Columns of metrics that had another name."""
_ROUNDING = 1e-3
"""How far a cosine of half-precision features may be above 1."""
_JSON_NAME = re.compile(r"results_(?P<model>.+?)(_\d{8}[_T-]?\d{0,6})?$")


def read_csv(path: Path, model: str | None = None) -> list[ImportedReturn]:
    """Every row of a detailed CSV; `model` names the rows of a file without that column, or with a single
    model."""
    try:
        reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
        header = reader.fieldnames or []
        lacking = [name for name in NEEDED if name not in header]
        if lacking:
            raise WrongUse(
                f"{path} has no column {lacking[0]}; a detailed CSV needs image, edit_pair, round and a "
                "column for each metric, such as ssim, and may have model, image_type, edit_category and seed"
            )
        rows = [_row(fields, f"{path}, line {reader.line_num}", model) for fields in reader]
    except csv.Error as error:
        raise WrongUse(f"{path} is not a CSV file ({error})") from error
    return _checked(rows, header, path, model)


def read_json(path: Path, model: str | None = None) -> list[ImportedReturn]:
    """Every return in a results JSON.

    Its experiments are a list, or are under `results` or `experiments` next to `model`. Each has the CSV's
    columns. Its returns are its own `round` and values, or a list under `rounds`, each with `round` and the
    values, which may be under `metrics`. A model without a name is named after the file,
    results_<model>_<time>.json.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise WrongUse(f"{path} is not a JSON file ({error})") from error
    named = _JSON_NAME.match(path.stem)
    fallback = named["model"] if named else None
    if isinstance(content, Mapping):
        fallback = content.get("model", fallback)
        content = content.get("results", content.get("experiments"))
    if not isinstance(content, list):
        raise WrongUse(f"{path} holds no list of results; see docs/convergence.md#import for its form")
    rows, columns = [], dict[str, None]()
    for number, experiment in enumerate(content):
        for fields in _flattened(experiment, path):
            rows.append(_row({"model": fallback, **fields}, f"{path}, result {number + 1}", model))
            columns |= dict.fromkeys(fields)
    return _checked(rows, columns, path, model)


def _flattened(experiment: Any, path: Path) -> Iterator[dict[str, Any]]:
    if not isinstance(experiment, Mapping):
        raise WrongUse(f"{path} holds a result that is not an object; see docs/convergence.md#import")
    shared = {key: value for key, value in experiment.items() if key not in ("rounds", "metrics")}
    for one in experiment.get("rounds", [experiment]):
        yield {**shared, **{k: v for k, v in one.items() if k != "metrics"}, **one.get("metrics", {})}


def _row(fields: Mapping[str, Any], place: str, model: str | None) -> ImportedReturn:
    name = fields.get("model") or model
    if not name:
        raise WrongUse(f"{place} names no model; set it with --model")
    lacking = [key for key in NEEDED if fields.get(key) in (None, "")]
    if lacking:
        raise WrongUse(f"{place} has no {lacking[0]}")
    picture, pair = PurePath(str(fields["image"])).stem, str(fields["edit_pair"])
    measured = {
        metric: _measured(fields[column], place, metric)
        for column, metric in _metric_columns().items()
        if fields.get(column) not in (None, "")
    }
    return ImportedReturn(
        model=str(name),
        case=f"{picture}/{pair}",
        picture=picture,
        pair=pair,
        category=str(fields.get("edit_category") or ""),
        kind=str(fields.get("image_type") or "picture"),
        seed=_whole(fields.get("seed") or 0, place),
        round=_round(fields["round"], place),
        measured=measured,
    )


@cache
def _metric_columns() -> dict[str, str]:
    """The metrics of whole pictures, by column."""
    whole = (name for name in names() if facts(name).dimension in ("quality", "semantic"))
    return {**_PREDECESSORS, **{name: name for name in whole}}


def _round(value: Any, place: str) -> int:
    number = _number(value, place, "round")
    if not number.is_integer() or not 1 <= number <= MOST_ROUNDS:
        raise WrongUse(f"{place}: round must be a whole number from 1 to {MOST_ROUNDS}, not {number:g}")
    return int(number)


def _whole(seed: Any, place: str) -> int:
    number = _number(seed, place, "seed")
    if not number.is_integer():
        raise WrongUse(f"{place}: seed must be a whole number, not {number:g}")
    return int(number)


def _measured(value: Any, place: str, metric: str) -> float:
    number, known = _number(value, place, metric), facts(metric)
    beyond = {"higher": number - known.perfect, "lower": known.perfect - number}.get(known.better, 0.0)
    if (math.isinf(number) and number != known.perfect) or beyond > _ROUNDING:
        raise WrongUse(
            f"{place}: {metric} is {number:g}, which it can never be (its best value is {known.perfect:g}); "
            "correct it, or leave it empty"
        )
    return number


def _number(value: Any, place: str, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise WrongUse(f"{place}: {what} must be a number, not {str(value)[:40]!r}") from None
    if math.isnan(number):
        raise WrongUse(f"{place}: {what} is not a number; leave it empty where it is missing")
    if math.isfinite(number) and abs(number) > LARGEST_NUMBER:
        raise WrongUse(f"{place}: {what} is {number:g}, more than any metric has; correct it")
    return number


def _checked(
    rows: list[ImportedReturn], columns: Iterable[str], path: Path, model: str | None
) -> list[ImportedReturn]:
    if not rows:
        raise WrongUse(f"{path} holds no rows")
    known = {*NEEDED, *_OPTIONAL, *_metric_columns()}
    others = ", ".join(name for name in columns if name and name not in known)
    if not any(row.measured for row in rows):
        besides = f", but {others}" if others else ""
        raise WrongUse(
            f"{path} holds no value of a metric{besides}; name columns after the metrics that "
            "convergebench metrics lists under quality or semantic, such as ssim"
        )
    if others:
        log.warning("%s: these columns are no metrics of pictures and are left out: %s", path, others)
    found = {row.model for row in rows}
    if model is None or found == {model}:
        return rows
    if len(found) > 1:
        raise WrongUse(f"{path} holds {len(found)} models ({', '.join(sorted(found))}); leave --model out")
    return [replace(row, model=model) for row in rows]
