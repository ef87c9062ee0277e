"""Numbers for JSON, which has no infinity and no NaN: they are written as strings."""

from __future__ import annotations

import math
from typing import Any


def json_number(value: float | None) -> float | str | None:
    """
    >>> json_number(0.5), json_number(math.inf), json_number(-math.inf), json_number(None)
    (0.5, 'inf', '-inf', None)
    """
    return value if value is None or math.isfinite(value) else str(value)


def json_numbers(value: Any) -> Any:
    """The same structure with every such number as a string."""
    if isinstance(value, dict):
        return {key: json_numbers(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_numbers(one) for one in value]
    return json_number(value) if isinstance(value, float) else value
