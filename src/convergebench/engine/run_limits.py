"""The user's limits for one run: parallel requests, requests per minute, and cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from convergebench.engine.limits import Patience
from convergebench.errors import WrongUse
from convergebench.judges import JudgeFacts
from convergebench.types import EditorFacts


@dataclass(frozen=True)
class RunLimits:
    """None means no limit, or for concurrency the default. All stages of a run share these limits."""

    concurrency: int | None = None
    """Parallel trajectories of each model, and parallel requests to its provider. Defaults to 8, and to the
    number of requests that is safe for a new account."""
    judge_concurrency: int | None = None
    """Parallel questions to the judge. Defaults to the limit of its account, or 8."""
    reasoner_concurrency: int | None = None
    per_minute: float | None = None
    """Requests per minute to each provider."""
    max_cost_usd: float | None = None
    """Of this run."""
    max_total_usd: float | None = None
    """Of the workspace, over all runs and processes."""
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        for name, value in (
            ("--concurrency", self.concurrency),
            ("the concurrency of the judge", self.judge_concurrency),
            ("the concurrency of the reasoner", self.reasoner_concurrency),
        ):
            if value is not None and value < 1:
                raise WrongUse(f"{name} must be at least 1, not {value}")
        for name, usd in (("--max-cost", self.max_cost_usd), ("--max-total", self.max_total_usd)):
            if usd is not None and not 0 <= usd < math.inf:
                raise WrongUse(
                    f"{name} must be a number of dollars, 0 or more, not {usd:g}; "
                    "without it there is no limit"
                )
        if self.per_minute is not None and not 0 < self.per_minute < math.inf:
            raise WrongUse(f"--per-minute must be a number above 0, not {self.per_minute:g}")

    def after(self, spent_usd: float) -> RunLimits:
        """The limits of what follows in the same run, of which this much is spent."""
        if self.max_cost_usd is None:
            return self
        return replace(self, max_cost_usd=max(0.0, self.max_cost_usd - spent_usd))

    def check_prices(self, editors: Iterable[EditorFacts] = (), judges: Iterable[JudgeFacts] = ()) -> None:
        """Raises WrongUse if the cost is limited and a price is unknown, since the limit could not be
        enforced."""
        if self.max_cost_usd is None and self.max_total_usd is None:
            return
        option = "--max-total" if self.max_cost_usd is None else "--max-cost"
        unpriced_editors = [facts.name for facts in editors if facts.price_usd is None]
        unpriced_judges = [facts.name for facts in judges if facts.prices is None]
        if not unpriced_editors and not unpriced_judges:
            return
        names = ", ".join(dict.fromkeys([*unpriced_editors, *unpriced_judges]))
        add = ", or add ?usd_per_million_in=…&usd_per_million_out=… to the name of the judge or reasoner"
        raise WrongUse(
            f"the price of {names} is unknown, so {option} cannot hold; leave {option} out"
            f"{add if unpriced_judges else ''}"
        )


DEFAULT_LIMITS = RunLimits()
