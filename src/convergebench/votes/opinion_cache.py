"""Values of metrics on published opinion sets, kept between runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from convergebench.packaged_files import cache_folder
from convergebench.types import MetricFacts, fingerprint_of


class OpinionCache:
    """One line for each measured picture, appended as soon as it is measured: an interrupted run continues.

    A value belongs to both files, by name, size and time, and to the version of its metric.
    """

    def __init__(self, name: str) -> None:
        self._file = cache_folder() / "opinions" / f"{name}.jsonl"
        self._values: dict[str, dict[str, float | None]] = {}
        text = self._file.read_text(encoding="utf-8") if self._file.is_file() else ""
        self._is_cut = bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            try:
                key, values = json.loads(line)
                self._values.setdefault(key, {}).update(values)
            except ValueError:
                continue  # the last line of a run that was killed while it wrote

    def values(self, reference: Path, distorted: Path) -> Mapping[str, float | None]:
        """By name and version of the metric."""
        return self._values.get(_key(reference, distorted), {})

    def add(self, reference: Path, distorted: Path, values: Mapping[str, float | None]) -> None:
        key = _key(reference, distorted)
        self._values.setdefault(key, {}).update(values)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as out:
            out.write("\n" if self._is_cut else "")
            out.write(f"{json.dumps([key, dict(values)])}\n")
        self._is_cut = False


def value_name(facts: MetricFacts) -> str:
    return f"{facts.name}@{facts.version}"


def _key(*files: Path) -> str:
    stats = [(file.name, file.stat()) for file in files]
    return fingerprint_of([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats])
