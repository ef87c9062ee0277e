"""What a person sees: did it edit, did it undo, did it keep the rest, for how many rounds, at what cost."""

from __future__ import annotations

from collections.abc import Callable

from convergebench.analysis import Interval, Ranking
from convergebench.analysis.headline.headline import HeadlineRow
from convergebench.report.columns._column import Bound, ColumnValue, RankingColumn, Values
from convergebench.report.formatting import duration_places

_Value = Callable[[HeadlineRow], ColumnValue]


def _of_rows(value: _Value) -> Callable[[Ranking], Values]:
    def values(ranking: Ranking) -> Values:
        found = ranking.headline
        return {row.model: value(row) for row in (*found.rows, *found.calibration)} if found else {}

    return values


def _interval(pick: Callable[[HeadlineRow], Interval | None]) -> _Value:
    return lambda row: ColumnValue.from_interval(pick(row))


def _did(row: HeadlineRow) -> ColumnValue:
    value = ColumnValue.from_interval(row.did)
    bound: Bound | None = "≤" if row.did_is_bound and row.did and row.did.mean > 0 else None
    note = "pixels cannot refute these edits; nobody confirmed them" if bound else ""
    return ColumnValue(value.value, value.low, value.high, value.n, bound=bound, note=note)


def _stayed(row: HeadlineRow) -> ColumnValue:
    if not row.rounds:
        return ColumnValue(reason="no edit happened, or what stayed is not known")
    return ColumnValue(row.stayed, n=row.rounds, text=f"{row.stayed} of {row.rounds}")


def _usable(row: HeadlineRow) -> ColumnValue:
    found = row.usable
    if found is None:
        return ColumnValue(reason="no round was measured")
    note = f"ended by: {', '.join(f'{why} {count}' for why, count in found.endings.items())}"
    return ColumnValue(
        found.mean, found.low, found.high, found.n, limit=found.horizon, note=note if found.endings else ""
    )


def _median(row: HeadlineRow) -> ColumnValue:
    return ColumnValue(row.usable.median, limit=row.usable.horizon) if row.usable else ColumnValue()


def _ended_by(row: HeadlineRow) -> ColumnValue:
    return ColumnValue(text=row.usable.chief_ending if row.usable else None)


def _seconds(row: HeadlineRow) -> ColumnValue:
    return ColumnValue(row.session_seconds, places=duration_places(row.session_seconds))


def _kept_last(ranking: Ranking) -> str:
    return f"kept R{ranking.rounds}"


MEMBERS = (
    RankingColumn(
        "headline_score",
        heading="score",
        explanation="0 to 100: the mean over rounds of √(undid · kept) where the edit happened, else 0",
        values=_of_rows(_interval(lambda row: row.score)),
        order=11,
        better="higher",
        places=1,
        in_headline=True,
        intervals=("terminal", "text", "paper", "page"),
    ),
    RankingColumn(
        "did",
        heading="did the edit",
        explanation="Share of rounds whose forward edit happened; ≤ where pixels alone could refute it",
        values=_of_rows(_did),
        order=21,
        better="higher",
        in_headline=True,
    ),
    RankingColumn(
        "undid_mean",
        heading="undid it",
        explanation="How much of the source is back where it was edited, its face included, 1 to 0",
        values=_of_rows(_interval(lambda row: row.undid)),
        order=22,
        better="higher",
        in_headline=True,
    ),
    RankingColumn(
        "stayed",
        heading="stayed",
        explanation="Rounds after which most of the edit was still there",
        values=_of_rows(_stayed),
        order=27,
        better="lower",
        places=0,
        in_headline=True,
        csv={"stayed": "value", "stayed_n": "n"},
    ),
    RankingColumn(
        "kept_first",
        heading="kept R1",
        explanation="How much of the rest of the picture looks untouched after round 1, 1 to 0",
        values=_of_rows(_interval(lambda row: row.kept_first)),
        order=24,
        better="higher",
        in_headline=True,
    ),
    RankingColumn(
        "kept_last",
        heading=_kept_last,
        explanation="How much of the rest of the picture looks untouched after the last round, 1 to 0",
        values=_of_rows(_interval(lambda row: row.kept_last)),
        order=25,
        better="higher",
        in_headline=True,
    ),
    RankingColumn(
        "usable",
        heading="usable for",
        explanation="Rounds before the first without an edit, with less than half undone, with less than 0.8 "
        "of the rest kept, or with another person's face: mean up to the last round",
        values=_of_rows(_usable),
        order=26,
        better="higher",
        places=1,
        in_headline=True,
        intervals=("terminal", "text", "paper", "page"),
    ),
    RankingColumn(
        "usable_median",
        heading="usable, median",
        explanation="The Kaplan–Meier median of the same",
        values=_of_rows(_median),
        order=31,
        better="higher",
        places=0,
        views=("csv", "json"),
        csv={"usable_median": "value"},
    ),
    RankingColumn(
        "ended_by",
        heading="ended by",
        explanation="What ended most chains",
        values=_of_rows(_ended_by),
        order=28,
        is_words=True,
        in_headline=True,
    ),
    RankingColumn(
        "session_usd",
        heading="$/session",
        explanation="Cost of one chain of all rounds, with failed attempts",
        values=_of_rows(lambda row: ColumnValue(row.session_usd)),
        order=29,
        better="lower",
        in_headline=True,
        csv={"session_usd": "value"},
    ),
    RankingColumn(
        "session_seconds",
        heading="s/session",
        explanation="Time of one chain of all rounds",
        values=_of_rows(_seconds),
        order=30,
        better="lower",
        in_headline=True,
        csv={"session_seconds": "value"},
    ),
)
