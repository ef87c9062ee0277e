"""CPU seconds until the command line answers, beside an empty Python program in the same run."""

from __future__ import annotations

import resource
import subprocess
import sys

REPEATS = 5


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
    for command in (["--help"], ["models"]):
        spent = cpu_seconds("-m", "convergebench", *command)
        print(f"convergebench {command[0]:<8} {spent:.3f} s  ({spent / empty:.1f} × an empty program)")


if __name__ == "__main__":
    main()
