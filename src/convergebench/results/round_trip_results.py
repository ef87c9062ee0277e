"""From a workspace to Results: the newest generation of every trajectory, with its measurements."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from convergebench import metrics
from convergebench.analysis.round_trip.imported_returns import imported_returns, without_never_computed
from convergebench.analysis.round_trip.results import Edits, FailedStep, Results, Return
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.protocols import RETURNING
from convergebench.results.chain_returns import ChainReader, PairMeasurements
from convergebench.results.chain_steps import ChainSteps
from convergebench.results.no_results import no_results
from convergebench.results.pair_values import PairValues
from convergebench.results.records import Records, WorkspaceOrRecords
from convergebench.results.return_columns import ReturnColumns
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.results.usage import UsageCounts
from convergebench.results.visible_from import values_visible_from
from convergebench.types import MetricFacts, Reversibility, SuiteId


def load_results(
    workspace: WorkspaceOrRecords,
    suite: SuiteId | None = None,
    models: Sequence[str] = (),
    protocol: str | None = None,
    visible: float | None = None,
) -> Results:
    """The returns of one suite (by default that of the last run), of all models or of those named, by one
    protocol (by default the one that was started last; for a suite that is named, the last with returns).

    They cover the reversible edits. `partial` has the others, as does the suite's name followed by /partial.
    If there are only partially reversible edits, the results cover these, and say so. Imported metrics that
    were never computed are missing, with that as the reason. `visible` is the least visible difference for
    `kept`, `collateral` and `rewritten`, by default as measured.
    """
    results = without_never_computed(load_results_as_given(workspace, suite, models, protocol, visible))
    return replace(results, partial=results.partial and without_never_computed(results.partial))


def suites_with_returns(workspace: WorkspaceOrRecords) -> list[SuiteId]:
    """Every suite that has results."""
    records = Records.of(workspace)
    returning = [one.case.suite for one in _returning(records)]
    return list(dict.fromkeys([*records.imported_suites, *returning]))


def suites_and_protocols(workspace: WorkspaceOrRecords) -> list[tuple[SuiteId, str | None]]:
    """Every suite that has results, once for each protocol; a suite with imported results only has none."""
    records = Records.of(workspace)
    made = dict.fromkeys((one.case.suite, one.protocol) for one in _returning(records))
    imported = [suite for suite in records.imported_suites if suite not in {name for name, _ in made}]
    return [*made, *((suite, None) for suite in imported)]


def load_results_as_given(
    workspace: WorkspaceOrRecords,
    suite: SuiteId | None = None,
    models: Sequence[str] = (),
    protocol: str | None = None,
    visible: float | None = None,
) -> Results:
    """The same results with imported values unchanged, plausible or not."""
    records = Records.of(workspace)
    folder, suites = records.workspace.folder, suites_with_returns(records)
    others = dict.fromkeys(one.case.suite for one in records.trajectories)
    if not suites and others:
        raise WorkspaceError(
            f"{folder} has no round trips; it has edits of {', '.join(others)}. convergebench turns shows "
            "sessions, convergebench score judges single edits"
        )
    if not suites:
        raise no_results(records.workspace)
    wanted = _recorded_suites(records, suites, suite or None)
    tried = (found for one in wanted for found in _by_protocol(records, one, models, protocol, visible))
    first = next(tried, None)
    if first is None:
        name = wanted[0].whole
        known = {one.model for one in _returning(records)} | {row.model for row in records.imported(name)}
        raise WrongUse(
            f"{folder} has no matching results in {name}; its suites are {', '.join(sorted(suites))} "
            f"and its models are {', '.join(sorted(known))}"
        )
    # Without a name the reader expects the last run, and should hear that nothing came of it.
    is_final = not suite or _has_returns(first)
    return first if is_final else next(filter(_has_returns, tried), first)


def _has_returns(results: Results) -> bool:
    return bool(results.returns or (results.partial and results.partial.returns))


def _by_protocol(
    records: Records, suite: SuiteId, models: Sequence[str], protocol: str | None, visible: float | None
) -> Iterator[Results]:
    """The results of the protocol, by default of each, the one that was started last first: rounds of
    different protocols are not comparable."""
    name = suite.whole
    chosen = [one for one in _returning(records) if one.case.suite == name and one.editor.is_one_of(models)]
    imported = imported_returns(records.imported(name, models))
    protocols = dict.fromkeys(one.protocol for one in reversed(chosen))
    for wanted in [protocol] if protocol or not protocols else protocols:
        trajectories = [one for one in chosen if one.protocol == wanted]
        if trajectories or imported:
            with _uncollected(), records.gathering_pairs():
                found = _by_edits(records, name, trajectories, imported, suite, visible)
            yield found


def _returning(records: Records) -> list[TrajectoryRecord]:
    """The newest trajectories of protocols with returns."""
    return [one for one in records.trajectories if one.is_newest and one.protocol in RETURNING]


def _by_edits(
    records: Records,
    suite: SuiteId,
    trajectories: Sequence[TrajectoryRecord],
    imported: Sequence[Return],
    wanted: SuiteId,
    visible: float | None,
) -> Results:
    facts = _metric_facts(records, imported)
    pairs = PairMeasurements(
        facts,
        lambda: records.pair_values if visible is None else values_visible_from(records, visible),
        records.clip_directions,
    )
    imports = {run.id for run in records.runs if run.is_import}
    chosen = {one.id: one for one in trajectories}
    reader = ChainReader(pairs, records.round_trip_verdicts, imports)
    columns = not pairs.has_regions and visible is None
    parts: dict[Edits, _Part] = {
        edits: _Part(reader, ReturnColumns(reader) if columns else None)
        for edits in ("reversible", "partially reversible")
    }
    for one in trajectories:
        parts[_edits(one.case.reversibility)].uses.add(one)
    for chain in records.each_chain():
        trajectory = chosen.get(chain.trajectory)
        if trajectory is not None:
            parts[_edits(trajectory.case.reversibility)].add(trajectory, chain)
    for item in imported:
        parts[_edits(item.reversibility)].imported.append(item)
    reversible, partial = (
        part.results(suite, edits, facts) if part.uses.trajectories or part.imported else None
        for edits, part in parts.items()
    )
    partial = partial and replace(partial, visible=visible)
    if reversible is not None and not wanted.partial:
        return replace(reversible, partial=partial, visible=visible)
    if partial is None:
        raise WrongUse(f"{suite} has no partially reversible edits; remove /partial")
    return partial


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection, which would go over all of the many new objects again and again."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


@dataclass
class _Part:
    """The results for edits of one kind, as they are read."""

    reader: ChainReader
    columns: ReturnColumns | None
    """The returns as columns instead, if nothing was measured by region."""
    returns: list[Return] = field(default_factory=list)
    troubles: list[FailedStep] = field(default_factory=list)
    uses: UsageCounts = field(default_factory=UsageCounts)
    imported: list[Return] = field(default_factory=list)
    _failed: list[tuple[TrajectoryRecord, ChainSteps]] = field(default_factory=list)

    def add(self, trajectory: TrajectoryRecord, chain: ChainSteps) -> None:
        self.uses.count(trajectory, chain, self.reader.imports)
        if self.columns is None:
            returns, troubles = self.reader.returns(trajectory, chain)
            self.returns += returns
            self.troubles += troubles
            return
        self.columns.add(trajectory, chain)
        if any(chain.failures):
            self._failed.append((trajectory, chain))

    def _made(self) -> Sequence[Return]:
        values = self.reader.pairs.values
        if self.columns is None or not isinstance(values, PairValues):
            return self.returns
        for trajectory, chain in self._failed:
            self.troubles += self.reader.returns(trajectory, chain)[1]
        return self.columns.table(values)

    def results(self, suite: SuiteId, edits: Edits, facts: Sequence[MetricFacts]) -> Results:
        made = self._made()
        table = ReturnTable.of((*made, *self.imported) if self.imported else made)
        planned = max([one.rounds for one in self.uses.trajectories] + [item.round for item in self.imported])
        found = Results(
            suite=suite,
            rounds=planned,
            # The workspace may contain metrics that measured no return of this suite.
            metrics=tuple(one for one in facts if table.has(one.name)),
            returns=table,
            troubles=tuple(self.troubles),
            uses=self.uses.by_model(),
            protocol=next((one.protocol for one in self.uses.trajectories), "round_trip"),
            edits=edits,
        )
        rounds = _rounds_of_all(table, self.troubles, planned)
        return found if rounds == planned else replace(found.after(rounds), planned_rounds=planned)


def _rounds_of_all(table: ReturnTable, troubles: Sequence[FailedStep], planned: int) -> int:
    """The planned rounds; if no chain has come so far, as in a long run that was stopped, the last round that
    all chains have which did not fail."""
    if not len(table) or int(table.round.max()) >= planned:
        return planned
    failed = {(one.model, one.case, one.seed) for one in troubles}
    reached: dict[tuple[str, str, int], int] = {}
    for one, rounds in table.by_trajectory():
        chain = (one.model, one.case, one.seed)
        reached[chain] = max(reached.get(chain, 0), *rounds)
    return min((last for chain, last in reached.items() if chain not in failed), default=planned)


def _edits(reversibility: Reversibility) -> Edits:
    return "reversible" if reversibility == "reversible" else "partially reversible"


def _recorded_suites(
    records: Records, suites: Sequence[SuiteId], wanted: SuiteId | None
) -> Sequence[SuiteId]:
    """The suite itself, or those of that name, the one that ran last first; without one, the suite of the
    last run, an imported one only if nothing else is there."""
    if wanted is not None and wanted.whole in suites:
        return [wanted]
    newest = sorted(records.runs, key=lambda run: (not run.is_import, run.id), reverse=True)
    ran = [SuiteId(run.settings.get("suite")) for run in newest]
    latest = list(dict.fromkeys(one for one in (*ran, *reversed(suites)) if one in suites))
    if wanted is None:
        return latest[:1]
    named = [one.of_edits(partial=wanted.partial) for one in latest if one.is_named(wanted.whole)]
    return named or [wanted]


def _metric_facts(records: Records, imported: Sequence[Return]) -> tuple[MetricFacts, ...]:
    """Facts of the metrics with values in the workspace, or in imported results."""
    used = {*records.newest_versions, *(name for item in imported for name in item.values)}
    order = dict.fromkeys([*metrics.expand(metrics.DEFAULT_MEASURED), *metrics.names()])
    return tuple(metrics.facts(name) for name in order if name in used)
