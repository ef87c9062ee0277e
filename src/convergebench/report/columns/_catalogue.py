"""The available ranking columns: the modules of this package, and those of installed plug-ins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from convergebench import plugins
from convergebench.analysis import Ranking
from convergebench.errors import unknown_name
from convergebench.report.columns._column import TABLES, RankingColumn, View
from convergebench.report.columns._metrics import metric_columns

ENTRY_POINTS = "convergebench.columns"
ALL = "all"


def columns_of(ranking: Ranking) -> tuple[RankingColumn, ...]:
    """Every column that this ranking can have, in order."""
    return tuple(sorted((*_registered(), *metric_columns(ranking)), key=lambda one: one.order))


def columns_in(view: View, ranking: Ranking) -> tuple[RankingColumn, ...]:
    """The columns that a view shows unless others are chosen. A table has each heading once: after a single
    round, the first and the last are the same."""
    shown = tuple(column for column in columns_of(ranking) if column.is_shown(view, ranking))
    return tuple({column.title(ranking): column for column in shown}.values()) if view in TABLES else shown


def chosen_columns(ranking: Ranking, keys: Sequence[str]) -> tuple[RankingColumn, ...]:
    """The columns with these keys or headings, in their order; `all` stands for every column with a value."""
    columns = columns_of(ranking)
    headings = {column.title(ranking): column for column in columns}
    known = headings | {column.key: column for column in columns}
    chosen: dict[str, RankingColumn] = {}
    for key in keys:
        if key == ALL:
            chosen |= {column.key: column for column in columns if _has_value(column, ranking)}
        elif key in known:
            chosen[known[key].key] = known[key]
        else:
            raise unknown_name("column", key, known)
    return tuple(chosen.values())


def _has_value(column: RankingColumn, ranking: Ranking) -> bool:
    return any(one.value is not None or one.text for one in column.values(ranking).values())


@cache
def _registered() -> tuple[RankingColumn, ...]:
    return plugins.registered("convergebench.report.columns", ENTRY_POINTS, RankingColumn)
