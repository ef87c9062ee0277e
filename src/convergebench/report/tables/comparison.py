"""Two models side by side: paired differences, and how each of them decays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from convergebench.analysis import ModelProfile, PairedDifference
from convergebench.json_numbers import json_numbers
from convergebench.report.columns import written_interval, written_number
from convergebench.report.columns.half_life import half_life_value
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import number, signed
from convergebench.report.tables.terminal_table import fitting_table, terminal_table
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from rich.table import Table


_OPTIONAL = ("detectable", "intervals", "p", "n", "means")
_ONE_DECIMAL = ("psnr @", "score", "usable for")


def paired_table(differences: Sequence[tuple[str, PairedDifference]], width: int | None = None) -> Table:
    """A row for each difference, with its part of the suite, if any; in the width if one is given."""
    return fitting_table(partial(_table, differences), _OPTIONAL, width)


def _table(differences: Sequence[tuple[str, PairedDifference]], omitted: Collection[str]) -> Table:
    first, second = differences[0][1].first, differences[0][1].second
    table = terminal_table()
    table.add_column("what", overflow="fold")
    for model in () if "means" in omitted else (first, second):
        table.add_column(model, justify="right", overflow="fold", min_width=6)
    table.add_column("difference", no_wrap=True)
    for name, heading in (("p", "p"), ("detectable", "detect-\nable"), ("n", "n")):
        if name not in omitted:
            table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for part, one in differences:
        table.add_row(*_cells(part, one, omitted))
    return table


def paired_notes(differences: Sequence[tuple[str, PairedDifference]]) -> list[str]:
    """Notes to print below the table."""
    chief = differences[0][1]
    notes = [
        "Intervals of 95 %, clustered by source picture. p: from swapping the models on whole pictures. "
        "Detectable: smallest difference detectable with 80 % power."
    ]
    if any(part for part, _ in differences):
        notes.append(
            f"None of the {len(differences)} verdicts is corrected for their number: of twenty on models "
            "that are equal, about one names a better model by chance."
        )
    if chief.smallest_p_value > 0.05:
        pictures = counted(chief.difference.clusters, "picture")
        notes.append(f"With {pictures} p cannot be below {chief.smallest_p_value:.3g}; use more pictures.")
    if chief.only_first or chief.only_second:
        notes.append(
            f"Excluded: {counted(chief.only_first, 'chain')} that only {chief.first} has, "
            f"{counted(chief.only_second, 'chain')} that only {chief.second} has."
        )
    notes += [
        f"{one.quantity} excludes {counted(one.infinite, 'chain')} with an infinite value."
        for part, one in differences
        if one.infinite and not part
    ]
    return notes


def profile_lines(profile: ModelProfile) -> list[str]:
    """The facts about one model, one sentence each."""
    return [
        f"{profile.model}",
        f"  half-life: {_half_life(profile)}",
        f"  shape: {_shape(profile)}",
        f"  contraction: {_contraction(profile)}",
        f"  forward edits: {_forward(profile)}",
        f"  convergence score: {_score(profile)}",
    ]


def json_paired(
    differences: Sequence[tuple[str, PairedDifference]], profiles: Sequence[ModelProfile]
) -> dict[str, Any]:
    """Everything, for json.dumps."""
    return {
        "differences": [
            {**json_numbers(asdict(one)), "part": part or None, "verdict": one.verdict}
            for part, one in differences
        ],
        "models": [
            {**json_numbers(asdict(one)), "forward": {**asdict(one.forward), "rate": one.forward.rate}}
            for one in profiles
        ],
    }


def csv_paired(differences: Sequence[tuple[str, PairedDifference]]) -> list[Row]:
    """A heading, then a row for each difference."""
    heading = ("part", "what", "first", "second", "first_mean", "second_mean", "difference", "low", "high",
               "p_value", "minimum_detectable", "n", "pictures", "verdict")  # fmt: skip
    rows: list[Row] = [heading]
    for part, one in differences:
        found = one.difference
        rows.append(
            (part, one.quantity, one.first, one.second, one.first_mean, one.second_mean, found.mean,
             found.low, found.high, one.p_value, one.minimum_detectable, found.n, found.clusters, one.verdict)
        )  # fmt: skip
    return rows


def _cells(part: str, one: PairedDifference, omitted: Collection[str]) -> list[str]:
    places = 1 if one.quantity.startswith(_ONE_DECIMAL) else 3
    found = one.difference
    is_bare = found.low is None or "intervals" in omitted
    interval = "" if is_bare else f" [{signed(found.low, places)}, {signed(found.high, places)}]"
    statistics = {
        "p": f"{one.p_value:.3f}" if one.p_value >= 0.001 else "<.001",
        "detectable": number(one.minimum_detectable, places),
        "n": f"{found.n}",
    }
    return [
        f"{part}: {one.quantity}" if part else one.quantity,
        *([] if "means" in omitted else [number(mean, places) for mean in (one.first_mean, one.second_mean)]),
        f"{signed(found.mean, places)}{interval}",
        *(text for name, text in statistics.items() if name not in omitted),
        one.verdict,
    ]


def _half_life(profile: ModelProfile) -> str:
    life = profile.half_life
    if life is None:
        return "nothing was measured"
    value = half_life_value(life)
    rounds = f"{written_number(value.value, value, 1)} {written_interval(value, 1)}".rstrip()
    return (
        f"{rounds} rounds until less than {life.threshold:.0%} is left; {life.fell} of {life.n} chains fell"
    )


def _shape(profile: ModelProfile) -> str:
    shape = profile.shape
    if shape.chosen is None:
        return f"cannot tell ({shape.undecided})"
    rate = f"rate {shape.chosen.rate:.3f}{_interval(shape.rate)} a round"
    if shape.chosen.shape != "plateau":
        return f"{shape.chosen.shape}, {rate}"
    return f"exponential with a plateau at {shape.chosen.asymptote:.2f}{_interval(shape.asymptote)}, {rate}"


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f" [{ends[0]:.3f}, {ends[1]:.3f}]"


def _contraction(profile: ModelProfile) -> str:
    found = profile.contraction
    if found.constant is None or found.low is None or found.high is None:
        return f"cannot tell ({found.reason})"
    text = f"{found.verdict}, each move {found.constant:.2f} [{found.low:.2f}, {found.high:.2f}] of the last"
    if found.fixed_point_distance is None:
        return text
    return f"{text}; at this rate it settles within {found.fixed_point_distance:.2f} of the source"


def _forward(profile: ModelProfile) -> str:
    forward = profile.forward
    if forward.rate is None:
        return "not measured"
    return f"{forward.happened} of {forward.judged} {forward.says}"


def _score(profile: ModelProfile) -> str:
    score = profile.score
    named = {
        "together": score.together, "quality": score.quality,
        "semantic": score.semantic, "gated": score.gated,
    }  # fmt: skip
    text = ", ".join(f"{name} {number(one.mean if one else None, 1)}" for name, one in named.items())
    return f"{text}; without {', '.join(score.missing)}" if score.missing else text
