"""How often the forward edit happened."""

from convergebench.analysis import Ranking, forward_success
from convergebench.report.columns._column import ColumnValue, RankingColumn, Values


def forward_edits(ranking: Ranking) -> Values:
    return {
        model: ColumnValue(one.rate, text=f"{one.happened} of {one.judged}", note=one.says or "")
        for model, one in forward_success(ranking.results).items()
        if one.rate is not None
    }


MEMBERS = (
    RankingColumn(
        "forward",
        heading="edits that happened",
        explanation="Forward edits that happened, of those that could be tested",
        order=65,
        better="higher",
        views=("page",),
        values=forward_edits,
    ),
)
