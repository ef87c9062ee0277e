"""All records of a workspace, each table read once."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from convergebench.errors import unknown_name
from convergebench.results.chain_steps import ChainSteps, read_chains
from convergebench.results.judge_labels import judge_labels
from convergebench.results.judgements import (
    JudgementRecord,
    JudgeRecord,
    RubricRecord,
    read_judgements,
    read_judges,
    read_rubrics,
)
from convergebench.results.measurement_details import MeasurementDetails, read_details
from convergebench.results.model_labels import imported_labels
from convergebench.results.round_trip_verdicts import RoundTripVerdicts, round_trip_verdicts
from convergebench.results.runs import RunRecord, read_runs
from convergebench.results.steps import StepRecord, read_sources, read_steps
from convergebench.results.trajectories import (
    CaseRecord,
    EditorRecord,
    TrajectoryRecord,
    read_editors,
    read_trajectories,
)
from convergebench.store import (
    Workspace,
    hidden_models,
    hidden_runs,
    imported_models,
    imported_rows,
    imported_suites,
    read_model_names,
)
from convergebench.store.visibility import IMPORTED
from convergebench.types import Digest, ImportedReturn, SuiteId

if TYPE_CHECKING:
    from convergebench.results.clip_directions import ClipDirections
    from convergebench.results.pair_values import PairValues

_latest: WeakKeyDictionary[Workspace, Records] = WeakKeyDictionary()


class Records:
    """A workspace's tables, each read on first use and only once.

    Data that belongs together, such as the sections of one page, should be built from one instance. What
    reads measurements is imported when they are read: it loads the metrics, and judging needs none.
    """

    def __init__(self, workspace: Workspace, only: Collection[int] | None = None) -> None:
        """With `only`, of all trajectories and steps those of the trajectories with these ids."""
        self.workspace = workspace
        self._only = only
        self._version = workspace.data_version
        self._read_gathered: Callable[[], PairValues] | None = None

    @classmethod
    def of(cls, source: WorkspaceOrRecords) -> Records:
        """The workspace's records: the last instance, unless something was written since."""
        if isinstance(source, Records):
            return source
        latest = _latest.get(source)
        if latest is None or latest._version != source.data_version:
            latest = _latest[source] = cls(source)
        return latest

    @cached_property
    def editors(self) -> Mapping[Digest, EditorRecord]:
        """By fingerprint."""
        return read_editors(self.workspace)

    @cached_property
    def trajectories(self) -> Sequence[TrajectoryRecord]:
        """Of the selected models that are not hidden: every generation, under each suite that contains the
        case; by id and suite."""
        chosen = self._chosen_models
        found = read_trajectories(self.workspace, self.editors, self._only)
        return [one for one in found if one.editor.fingerprint in chosen]

    @cached_property
    def model_names(self) -> frozenset[str]:
        """Everything that a model can be called, the hidden ones too."""
        return frozenset(name for names in self._names_by_model.values() for name in names)

    @cached_property
    def _names_by_model(self) -> Mapping[str, frozenset[str]]:
        """By fingerprint, or by name after imported:."""
        edited = {one.fingerprint: one.names for one in self.editors.values()}
        imported = {
            f"{IMPORTED}{name}": frozenset({name, label}) for name, label in self.imported_labels.items()
        }
        return edited | imported

    @cached_property
    def _chosen_models(self) -> frozenset[str]:
        """The selected models that are not hidden, by fingerprint, or by name after imported:."""
        models, every = self.workspace.selection.models, self._names_by_model
        unknown = set(models) - self.model_names
        if unknown:
            labels = [*(one.label for one in self.editors.values()), *self.imported_labels.values()]
            raise unknown_name("model", min(unknown), labels, otherwise="see: convergebench workspace list")
        hidden = hidden_models(self.workspace)
        return frozenset(
            model
            for model, names in every.items()
            if model not in hidden and (not models or names & set(models))
        )

    @cached_property
    def newest(self) -> Mapping[int, Sequence[TrajectoryRecord]]:
        """The newest generations by id: each under every suite that contains its case."""
        found: defaultdict[int, list[TrajectoryRecord]] = defaultdict(list)
        for one in self.trajectories:
            if one.is_newest:
                found[one.id].append(one)
        return dict(found)

    @cached_property
    def steps(self) -> Sequence[StepRecord]:
        """The latest record of every position of every trajectory, by trajectory and position."""
        return read_steps(self.workspace, self._only)

    def each_chain(self) -> Iterator[ChainSteps]:
        """The steps of one trajectory at a time, so that not all need to be in memory. Other tables must have
        been read before."""
        if "steps" not in self.__dict__ and self._only is None:
            return read_chains(self.workspace)
        chains = itertools.groupby(self.steps, key=lambda step: step.trajectory)
        return (ChainSteps.of(list(steps)) for _, steps in chains)

    @cached_property
    def sources(self) -> Mapping[int, tuple[Digest, ...]]:
        """The source pictures of every trajectory that has a step."""
        return read_sources(self.workspace)

    @cached_property
    def runs(self) -> Sequence[RunRecord]:
        hidden = hidden_runs(self.workspace)
        return [one for one in read_runs(self.workspace) if one.id not in hidden]

    @cached_property
    def newest_versions(self) -> Mapping[str, str]:
        """The version of each metric that measured last."""
        from convergebench.results.measurements import read_newest_versions

        return read_newest_versions(self.workspace)

    @cached_property
    def pair_values(self) -> PairValues:
        from convergebench.results.pair_values import read_pair_values

        if self._read_gathered is not None:
            return self._read_gathered()
        return read_pair_values(self.workspace, self.newest_versions)

    @contextmanager
    def gathering_pairs(self) -> Iterator[None]:
        """Meanwhile `pair_values` are prepared on another core, unless they were read before."""
        from convergebench.results.gathered_pairs import gathered_pairs

        if "pair_values" in self.__dict__:
            yield
            return
        with gathered_pairs(self.workspace, self.newest_versions) as self._read_gathered:
            try:
                yield
            finally:
                self._read_gathered = None

    def details(self, metric: str) -> MeasurementDetails:
        """Details of the metric's measurements by its newest version; empty if it has none."""
        version = self.newest_versions.get(metric)
        return {} if version is None else read_details(self.workspace, metric, version)

    @cached_property
    def clip_directions(self) -> ClipDirections:
        from convergebench.metrics.clip_direction import NAME
        from convergebench.results.clip_directions import NO_DIRECTIONS, clip_directions

        return clip_directions(self.workspace) if NAME in self.newest_versions else NO_DIRECTIONS

    @cached_property
    def judges(self) -> Sequence[JudgeRecord]:
        return read_judges(self.workspace)

    @cached_property
    def judge_labels(self) -> Mapping[Digest, str]:
        return judge_labels(self.judges)

    @cached_property
    def rubrics(self) -> Mapping[Digest, RubricRecord]:
        return read_rubrics(self.workspace)

    @cached_property
    def judgements(self) -> Sequence[JudgementRecord]:
        return read_judgements(self.workspace)

    @cached_property
    def round_trip_verdicts(self) -> RoundTripVerdicts:
        return round_trip_verdicts(self.judgements, self.rubrics, self.judge_labels)

    @cached_property
    def imported_suites(self) -> Sequence[SuiteId]:
        """The suites with imported rows, the latest first."""
        return imported_suites(self.workspace)

    @cached_property
    def imported_labels(self) -> Mapping[str, str]:
        """The labels of the models of imported tables, by their names there."""
        taken = {name for one in self.editors.values() for name in (one.name, one.label)}
        given = read_model_names(self.workspace)
        names = {name: given.get(f"{IMPORTED}{name}", name) for name in imported_models(self.workspace)}
        return imported_labels(names, taken)

    def imported(self, suite: SuiteId, models: Sequence[str] = ()) -> list[ImportedReturn]:
        """The suite's imported rows in order, with the labels of their models; for all models unless some are
        named."""
        labels, chosen = self.imported_labels, self._chosen_models
        return [
            replace(row, model=labels.get(row.model, row.model))
            for row in imported_rows(self.workspace, suite)
            if f"{IMPORTED}{row.model}" in chosen
            if not models or {row.model, labels.get(row.model)} & set(models)
        ]

    def editors_of(self, suite: SuiteId) -> list[EditorRecord]:
        """The editors with a trajectory in the suite, by fingerprint."""
        found = {one.editor.fingerprint: one.editor for one in self.trajectories if one.case.suite == suite}
        return [found[fingerprint] for fingerprint in sorted(found)]

    def case(self, suite: SuiteId, identity: str) -> CaseRecord | None:
        """A case as recorded by its last trajectory."""
        return self._cases.get((suite, identity))

    def beginnings(self, suite: SuiteId) -> Iterator[tuple[TrajectoryRecord, Digest]]:
        """The suite's newest trajectories with at least one step, each with its source picture."""
        for step in self.steps:
            if step.position == 0:
                yield from (
                    (one, step.inputs[0])
                    for one in self.newest.get(step.trajectory, ())
                    if one.case.suite == suite
                )

    @cached_property
    def _cases(self) -> Mapping[tuple[str, str], CaseRecord]:
        return {(one.case.suite, one.case.id): one.case for one in self.trajectories}


WorkspaceOrRecords: TypeAlias = Workspace | Records
