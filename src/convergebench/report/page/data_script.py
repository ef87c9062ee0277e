"""Data as scripts: a page opened from disk may load scripts from its folder, and nothing else."""

from __future__ import annotations

import json
from typing import Any

from convergebench.json_numbers import json_number

_PLAIN = frozenset({str, int, bool, type(None)})
"""Types of most values, of which there can be a million; they need no call."""


def script_of(key: str, section: Any) -> str:
    """A script that passes the section to the page.

    All content is untrusted text. It is parsed as JSON, not evaluated as JavaScript, so that no key has a
    special meaning. Only ASCII is written, and no `<`.

    >>> print(script_of("runs", {"a": "</script>", "b": float("inf")}), end="")
    convergebench.receive("runs", '{"a":"\\\\u003c/script>","b":"inf"}');
    """
    text = json.dumps(_plain(section), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    quoted = text.replace("<", "\\u003c").replace("\\", "\\\\").replace("'", "\\'")
    return f"convergebench.receive({json.dumps(key)}, '{quoted}');\n"


def _plain(value: Any) -> Any:
    """The value in JSON's types: infinity becomes a word, and numbers are rounded to seven digits for
    display."""
    if isinstance(value, float):
        return json_number(float(f"{value:.7g}"))
    if isinstance(value, dict):
        return {str(key): one if type(one) in _PLAIN else _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [one if type(one) in _PLAIN else _plain(one) for one in value]
    return value
