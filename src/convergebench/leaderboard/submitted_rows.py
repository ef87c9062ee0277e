"""The rows of a submission: which tables and columns of a workspace it holds, and what each may contain."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, get_args

from convergebench.errors import ConvergeBenchError
from convergebench.json_numbers import json_number
from convergebench.picture import SUFFIXES
from convergebench.protocols import RETURNING
from convergebench.types import FailureKind

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = Mapping[str, Sequence[Row]]
"""By table."""

MOST_ROUNDS = 1000
_LONGEST_TEXT = 20_000
_LONGEST_LINE = 1_000_000
_LARGEST_INTEGER = 2**63 - 1
_MOST_SIDE = 100_000
_DIGEST = re.compile(r"[0-9a-f]{64}")
_FINGERPRINT = re.compile(r"[0-9a-f]{8,64}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(\+00:00|Z)?")
_Check: TypeAlias = Callable[[Any], bool]


class BadSubmission(ConvergeBenchError):
    """A file that is not a sound submission; the message says why."""


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT


def _matches(pattern: re.Pattern[str]) -> _Check:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _one_of(*words: str) -> _Check:
    return lambda value: isinstance(value, str) and value in words


def _integer(least: int = 0, most: int = _LARGEST_INTEGER) -> _Check:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _amount(value: Any) -> bool:
    """A duration or a cost."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _measured(value: Any) -> bool:
    """A finite number, or infinity as JSON has it."""
    if value in ("inf", "-inf"):
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _or_none(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


def _json(check: _Check) -> _Check:
    def holds(value: Any) -> bool:
        if not isinstance(value, str) or len(value) > _LONGEST_LINE:
            return False
        return check(json.loads(value, parse_constant=_refuse_constant))

    return holds


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _is_digest_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_digest, value))


_is_digest = _matches(_DIGEST)
_is_fingerprint = _matches(_FINGERPRINT)
_is_moment = _matches(_MOMENT)
_is_returning: _Check = lambda value: value in RETURNING  # noqa: E731

TABLES: Mapping[str, Mapping[str, _Check]] = MappingProxyType({
    "runs": {
        "id": _integer(1), "started": _is_moment, "finished": _or_none(_is_moment),
        "outcome": _or_none(_text), "settings": _json(_is_object), "package": _text,
    },
    "editors": {
        "fingerprint": _is_fingerprint, "name": _text, "version": _text, "parameters": _json(_is_object),
        "role": _one_of("model", "probe", "floor"),
    },
    "model_names": {"model": _is_fingerprint, "name": _text, "at": _is_moment},
    "case_facts": {
        "fingerprint": _is_fingerprint, "id": _text, "picture": _text, "pair": _text, "category": _text,
        "kind": _text, "language": _text, "forward": _text, "backward": _or_none(_text),
        "hints": _json(_is_text_by_name),
    },
    "suite_cases": {"case_fingerprint": _is_fingerprint, "suite": _text},
    "trajectories": {
        "id": _integer(1), "protocol": _is_returning, "editor": _is_fingerprint,
        "case_fingerprint": _is_fingerprint, "seed": _integer(-_LARGEST_INTEGER), "generation": _integer(),
        "rounds": _integer(1, MOST_ROUNDS),
    },
    "steps": {
        "id": _integer(1), "trajectory": _integer(1), "position": _integer(0, 100 * MOST_ROUNDS),
        "role": _text, "round": _integer(0, MOST_ROUNDS), "instruction": _text,
        "seed": _integer(-_LARGEST_INTEGER), "inputs": _json(_is_digest_list),
        "picture": _or_none(_is_digest), "width": _or_none(_integer(1, _MOST_SIDE)),
        "height": _or_none(_integer(1, _MOST_SIDE)),
        "media_type": _or_none(_one_of(*SUFFIXES)), "failure": _or_none(_one_of(*get_args(FailureKind))),
        "reason": _or_none(_text), "seconds": _amount, "cost_usd": _or_none(_amount), "attempts": _integer(),
        "run": _integer(1), "at": _is_moment,
    },
    "measurements": {
        "reference": _is_digest, "picture": _is_digest, "metric": _text, "version": _text,
        "value": _or_none(_measured), "missing": _or_none(_text), "at": _is_moment,
    },
    "measurement_details": {
        "reference": _is_digest, "picture": _is_digest, "metric": _text, "version": _text,
        "detail": _json(lambda value: True),
    },
})  # fmt: skip
"""A check for each column. Names of tables and columns in SQL come from here, and never from a file."""


def written(table: str, rows: Sequence[Row]) -> bytes:
    """A line of JSON for each row, in the order of columns."""
    lines = [
        json.dumps([_storable(row[name]) for name in TABLES[table]], ensure_ascii=False, allow_nan=False)
        for row in rows
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def read(table: str, data: bytes) -> list[Row]:
    """The rows, each checked; BadSubmission names the first line that is wrong."""
    return list(_checked_rows(table, data))


def _checked_rows(table: str, data: bytes) -> Iterator[Row]:
    columns = TABLES[table]
    for number, line in enumerate(data.splitlines(), 1):
        try:
            if len(line) > _LONGEST_LINE:
                raise ValueError("too long")
            values = json.loads(line, parse_constant=_refuse_constant)
            if not isinstance(values, list) or len(values) != len(columns):
                raise ValueError(f"{len(columns)} values are expected")
            for (name, check), value in zip(columns.items(), values, strict=True):
                if not check(value):
                    raise ValueError(f"impossible value of {name}")
        except (ValueError, RecursionError, OverflowError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            raise BadSubmission(f"row {number} of {table} is damaged: {reason}") from error
        row = dict(zip(columns, values, strict=True))
        if table == "measurements" and row["value"] is not None:
            row["value"] = float(row["value"])
        yield row


def _storable(value: Any) -> Any:
    return json_number(value) if isinstance(value, float) else value


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
