"""CPU seconds until the command line answers, beside an empty Python program in the same run."""

from __future__ import annotations

import resource
import subprocess
import sys

from row import row

REPEATS = 5
COMMANDS = {
    "--help": ["--help"],
    "models": ["models"],
    "run --dry-run": ["run", "--model", "classical", "--suite", "converge-drawn", "--dry-run"],
}


def cpu_seconds(*arguments: str) -> float:
    """The least of several runs: user and system time of the child alone."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    empty = cpu_seconds("-c", "pass")
    print(f"python -c pass         {empty:.3f} s")
    figures = []
    for name, command in COMMANDS.items():
        spent = cpu_seconds("-m", "convergebench", *command)
        print(f"convergebench {name:<14} {spent:.3f} s  ({spent / empty:.1f} × an empty program)")
        figures.append(f"`{name}` {spent:.2f} s")
    row("start, CPU seconds", ", ".join(figures), f"an empty Python program {empty:.2f} s")


if __name__ == "__main__":
    main()
