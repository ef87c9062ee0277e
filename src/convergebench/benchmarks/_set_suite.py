"""A published set as a suite: its usable entries are cases, the others are named in one warning."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from convergebench.benchmarks._set_files import SetFiles, Unusable
from convergebench.errors import WrongUse
from convergebench.suites._hub import local_copy
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.sampling import EVERY_CASE, Sampling, sample
from convergebench.types import Case, Suite, UnusableEntry, fingerprint_of

Entry: TypeAlias = tuple[str, Callable[[], Case]]
"""An entry's name, and how to make its case; that raises Unusable if it cannot be one."""
PICTURES = ("*.png", "*.jpg", "*.jpeg", "*.webp", "*.zip", "*.tar")
_MOST_NAMED = 20

_log = logging.getLogger("convergebench")


def load_set(
    name: str, data: Path, read: Callable[[SetFiles], Iterator[Entry]], layout: str, sampling: Sampling
) -> Suite:
    """The chosen cases of a set. `layout` says what the data must look like, for an error message."""
    cases, unusable = _cases(read(SetFiles(data)))
    if not cases:
        why = f": {_named(unusable)}" if unusable else ""
        raise WrongUse(f"{data} has no case of {name}{why}; it must be {layout}")
    if unusable:
        count = len(cases) + len(unusable)
        _log.warning(
            "%d of %d cases of %s cannot be used and count as missing: %s",
            len(unusable), count, name, _named(unusable),
        )  # fmt: skip
    version = fingerprint_of([(case.id, case.forward, [t.instruction for t in case.turns]) for case in cases])
    chosen = sample(cases, lambda case: case.category, sampling)
    return Suite(name, version[:8], tuple(chosen), tuple(unusable if sampling == EVERY_CASE else ()))


def _cases(entries: Iterator[Entry]) -> tuple[list[Case], list[UnusableEntry]]:
    cases: dict[str, Case] = {}
    unusable: list[UnusableEntry] = []
    for name, make in entries:
        try:
            case = make()
        except Unusable as error:
            unusable.append(UnusableEntry(name, str(error)))
            continue
        if case.id in cases:
            unusable.append(UnusableEntry(name, f"an earlier one has its id {case.id}"))
        else:
            cases[case.id] = case
    return list(cases.values()), unusable


def _named(unusable: list[UnusableEntry]) -> str:
    """By reason, all of them up to a limit."""
    reasons: dict[str, list[str]] = {}
    for one in unusable[:_MOST_NAMED]:
        reasons.setdefault(one.reason, []).append(one.name)
    more = f"; and {len(unusable) - _MOST_NAMED} more" if len(unusable) > _MOST_NAMED else ""
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items()) + more


def set_suite(
    name: str,
    summary: str,
    read: Callable[[SetFiles], Iterator[Entry]],
    *,
    layout: str,
    cases: int | None = None,
    turns: int | None = None,
    pictures: int | None = None,
    patterns: tuple[str, ...] = (),
    hub: str = "",
) -> SuiteInfo:
    """The description of a set that the user has: `name?data=PATH`, or with a hub id."""

    def copy_of(data: str) -> Path:
        place = data or hub
        if not place:
            raise WrongUse(f"{name} is read from its own files; name them as in {name}?data=PATH: {layout}")
        return local_copy(place, (*patterns, *PICTURES), f"give {layout}")

    def load(_: OnPackage, *, data: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
        return load_set(name, copy_of(data), read, layout, sampling)

    def case_ids(data: str, language: str) -> frozenset[str]:
        return frozenset(case.id for case in _cases(read(SetFiles(copy_of(data))))[0])

    needs = f"{layout}; {name}?data=PATH" + (f" [default: {hub} on the hub]" if hub else "")
    return SuiteInfo(name, "1", summary, pictures, cases, load, case_ids=case_ids, turns=turns, needs=needs)


def picked(files: SetFiles, name: str) -> list[str]:
    """The one file that was named, or those below the folder with this name."""
    return [files.only] if files.only else files.ending(name)


def instruction_of(value: object) -> str:
    """The text of an instruction; Unusable if there is none.

    Some sets have stray double quotes around it, or one at an end.

    >>> instruction_of(' "Add a hat." '), instruction_of('Remove the cat"'), instruction_of('Write "A"')
    ('Add a hat.', 'Remove the cat', 'Write "A"')
    """
    text = value.strip() if isinstance(value, str) else ""
    count = text.count('"')
    if count == 2 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1].strip()
    elif count % 2:
        text = (text[1:] if text.startswith('"') else text.removesuffix('"')).strip()
    if not text:
        raise Unusable("it has no instruction")
    return text


def session_instructions(values: list[object]) -> list[str]:
    """The instructions of all turns; Unusable names a turn that has none."""
    if not values:
        raise Unusable("it has no turns")
    found = []
    for turn, value in enumerate(values, start=1):
        try:
            found.append(instruction_of(value))
        except Unusable:
            raise Unusable(f"turn {turn} of {len(values)} has no instruction") from None
    return found


def known_task(task: object, tasks: tuple[str, ...]) -> str:
    text = str(task or "").strip()
    if text not in tasks:
        raise Unusable(f"its task type {text!r} is unknown" if text else "it has no task type")
    return text
