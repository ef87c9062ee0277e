"""Run the benchmarks that fit this machine, and write what they measured to docs/performance.md.

    python benchmarks/table.py [--before OTHER/src] [NAME ...]

The page has two tables: one of what was measured on a processor, and one of what was measured on a GPU, which
is filled where there is one. Each benchmark prints its rows itself; the rest of the page is left as it is.
With names, only those are run, and rows of the others stay. `--before` is the source of another version of
this package, with its kernels built: each benchmark measures it first, and its figures stand beside these.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_use import gpu_name

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
END = "<!-- end -->"
HEADING = ("| what | figure | the version before | beside | script |", "|---|---|---|---|---|")
UNKNOWN = "–"
_SCRIPT = re.compile(r"`benchmarks/(\w+)\.py` \|$")


@dataclass(frozen=True)
class Benchmark:
    name: str
    arguments: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """One table of the page. What a user gets who changes nothing comes first in it, parts of it after."""

    begin: str
    """The line of the page before it."""
    benchmarks: Sequence[Benchmark]

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.benchmarks]

    def rewritten(self, page: str, new: Sequence[str], here: str) -> str:
        """The page with these rows in place of those of the same scripts."""
        before, _, rest = page.partition(self.begin)
        table, _, after = rest.partition(END)
        scripts = {_script_of(row) for row in new}
        kept = [row for row in table.splitlines() if _SCRIPT.search(row) and _script_of(row) not in scripts]
        rows = sorted([*kept, *new], key=lambda row: self.names.index(_script_of(row)))
        return "\n".join(
            [f"{before}{self.begin}", f"Measured on {here}.", "", *HEADING, *rows, f"{END}{after}"]
        )


PROCESSOR = Table(
    "<!-- measured -->",
    [
        Benchmark(name)
        for name in (
            "default_set", "makespan", "latency", "score_command", "million", "replay", "page_speed",
            "startup", "engine_overhead", "batched_editing", "ray_scaling", "statistics_speed",
            "judging_speed", "metrics_speed", "flip",
        )
    ],
)  # fmt: skip
GPU = Table(
    "<!-- measured on a GPU -->",
    [
        Benchmark("default_set_gpu"),
        Benchmark("metrics_gpu"),
        Benchmark("batched_editing", ("--device", "cuda")),
        Benchmark("ray_gpu"),
    ],
)


def measured(benchmark: Benchmark, before: Path | None) -> list[str]:
    """The rows of one benchmark, with the figures of the version before."""
    earlier = [_cells(row) for row in printed(benchmark, before)] if before else []
    figures = {what: figure for what, figure, *_ in earlier}
    rows = [_cells(row) for row in printed(benchmark, None)]
    return [
        f"| {what} | {figure} | {figures.get(what, UNKNOWN)} | {beside} | {script} |"
        for what, figure, beside, script in rows
    ]


def printed(benchmark: Benchmark, source: Path | None) -> list[str]:
    """The rows that a benchmark prints; what else it prints goes through. None where it cannot run here."""
    script = Path(__file__).with_name(f"{benchmark.name}.py")
    print(f"\n{benchmark.name}{', the version before' if source else ''}", flush=True)
    environment = {**os.environ, "PYTHONPATH": str(source.resolve())} if source else None
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(script), *benchmark.arguments],
        stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stdout is not None
    rows = []
    for line in process.stdout:
        if _SCRIPT.search(line.rstrip()):
            rows.append(line.rstrip())
        else:
            print(f"  {line}", end="", flush=True)
    process.wait()
    print(f"  {time.monotonic() - started:.0f} s", flush=True)
    if process.returncode != 0:
        print(f"  it ended with {process.returncode}; its rows are left as they were")
    return rows if process.returncode == 0 else []


def machine() -> str:
    cpu = next(_lines_of("/proc/cpuinfo", "model name"), platform.processor() or platform.machine())
    memory = next(_lines_of("/proc/meminfo", "MemTotal"), "0 kB")
    gigabytes = round(int(memory.split()[0]) / 1024**2)
    return f"{os.cpu_count()} cores ({cpu}), {gigabytes} GiB, Python {platform.python_version()}"


def _lines_of(file: str, name: str) -> Iterator[str]:
    path = Path(file)
    if path.is_file():
        yield from (
            line.partition(":")[2].strip() for line in path.read_text().splitlines() if line.startswith(name)
        )


def _cells(row: str) -> list[str]:
    return row.strip("| ").split(" | ")


def _script_of(row: str) -> str:
    found = _SCRIPT.search(row)
    assert found is not None
    return found.group(1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", type=Path)
    parser.add_argument("names", nargs="*", choices=[*PROCESSOR.names, *GPU.names], metavar="NAME")
    given = parser.parse_args()
    machines = [(PROCESSOR, machine())]
    if gpu := gpu_name():
        machines.append((GPU, f"{gpu}, {machine()}"))
    else:
        print("There is no GPU here: what was measured on one stays as it is.")
    for table, here in machines:
        chosen = [each for each in table.benchmarks if not given.names or each.name in given.names]
        rows = [row for each in chosen for row in measured(each, given.before)]
        if rows:
            PAGE.write_text(table.rewritten(PAGE.read_text(), rows, here))
        print(f"\n{len(rows)} rows written to {PAGE}")


if __name__ == "__main__":
    main()
