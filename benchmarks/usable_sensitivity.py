"""How usable rounds, and the order of models by them, change at half and at twice of each threshold.

python benchmarks/usable_sensitivity.py WORKSPACE [--suite SUITE]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from convergebench.analysis.headline.chain_rounds import Thresholds
from convergebench.analysis.headline.headline import headline
from convergebench.results import load_results
from convergebench.store import Workspace


def settings() -> Iterator[tuple[str, Thresholds]]:
    usual = Thresholds()
    yield "as chosen", usual
    for name, value in asdict(usual).items():
        for changed in (value / 2, min(1.0, 2 * value)):
            yield f"{name} {changed:g}", replace(usual, **{name: changed})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--suite")
    arguments = parser.parse_args()
    with Workspace.existing(arguments.workspace) as workspace:
        results = load_results(workspace, arguments.suite)
    for label, thresholds in settings():
        found = headline(results, thresholds)
        usable = {row.model: row.usable.mean for row in found.rows if row.usable is not None}
        order = sorted(usable, key=lambda model: -usable[model])
        print(f"{label:12}", ", ".join(f"{model} {usable[model]:.2f}" for model in order))


if __name__ == "__main__":
    main()
