"""The gate: is a model worse than its baseline? Compares two selections of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from convergebench import api
from convergebench.analysis import MissingValue, Results
from convergebench.analysis.headline.baseline_pair import BaselinePair, lost_returns
from convergebench.analysis.headline.chain_rounds import REFUSALS
from convergebench.analysis.headline.model_check import CheckedQuantity, FailIf, check_models
from convergebench.editors import known_editor
from convergebench.editors.registry import split_label
from convergebench.errors import ConvergeBenchError, WrongUse, unknown_name
from convergebench.results import Records, load_results, suites_with_returns
from convergebench.results.exported_results import (
    FILE,
    exported_results,
    exported_suites,
    read_exported,
)
from convergebench.results.last_used import in_use, names_of_models
from convergebench.results.runs import read_runs
from convergebench.store import DATABASE, Selection, Workspace
from convergebench.types import SuiteId

PREVIOUS = "previous"
"""The baseline that the last --fresh started anew, in the same workspace."""
COMPARED = (*REFUSALS, "absent")
"""Kinds of missing returns that do not leave a check incomplete."""
_SETTINGS = ("model", "run", "generation", "suite")


@dataclass(frozen=True)
class Baseline:
    """Where the results to compare with are: a workspace or an export, and which part of it."""

    path: Path
    model: str = ""
    """By default the model that is checked."""
    runs: tuple[int, ...] = ()
    generation: int = 0
    suite: SuiteId | None = None
    title: str = ""

    @classmethod
    def parse(cls, text: str, workspace: Path) -> Baseline:
        """`previous`, or PATH?model=NAME&run=N&generation=N&suite=SUITE.

        >>> Baseline.parse("old?generation=1&model=qwen", Path("results")).generation
        1
        """
        if text == PREVIOUS:
            return cls(workspace, generation=1, title=PREVIOUS)
        place, _, query = text.partition("?")
        given = dict(part.partition("=")[::2] for part in query.split("&") if part)
        for key in given:
            if key not in _SETTINGS:
                raise unknown_name("setting of a baseline", key, _SETTINGS)
        try:
            runs = tuple(int(one) for one in given.get("run", "").split("+") if one)
            generation = int(given.get("generation", "0"))
        except ValueError:
            raise WrongUse(f"{text}: run and generation must be whole numbers; correct it") from None
        path = workspace if place in ("", ".") and query else Path(place).expanduser()
        suite = SuiteId(given["suite"]) if "suite" in given else None
        return cls(path, given.get("model", ""), runs, generation, suite, text)

    def results(self, suite: SuiteId) -> Results:
        """Of the named suite, or else of the one that is most like the given one."""
        if (self.path / DATABASE).is_file():
            selection = Selection(runs=self.runs, generation=self.generation)
            with Workspace.existing(self.path, selection) as workspace:
                known = suites_with_returns(workspace)
                if self.title == PREVIOUS and not known:
                    raise WrongUse(f"{self.path} has no results before a --fresh; add --fresh to edit anew")
                return load_results(workspace, self.suite or _most_like(suite, known))
        if self.path.is_file() or (self.path / FILE).is_file():
            rows = read_exported(self.path)
            return exported_results(rows, self.suite or _most_like(suite, exported_suites(rows)))
        raise WrongUse(f"{self.path} is neither a workspace nor an export; check the path")


@dataclass(frozen=True)
class CheckOutcome:
    quantities: tuple[CheckedQuantity, ...]
    needs_power: bool = False
    missing: tuple[MissingValue, ...] = ()
    """Returns that a model or a baseline lacks."""

    @property
    def is_incomplete(self) -> bool:
        """Whether a checked model lost returns otherwise than by a refusal: whatever became worse there could
        go unnoticed. Refusals end chains, which "usable" compares."""
        checked = {one.model for one in self.quantities}
        return any(gap.model in checked and gap.kind not in COMPARED for gap in self.missing)

    @property
    def has_failed(self) -> bool:
        return any(one.fails for one in self.quantities)

    @property
    def is_undecided(self) -> bool:
        """Whether power is required and a quantity lacks it: a loss beyond the margin could go unnoticed."""
        return self.needs_power and any(
            not one.fails
            and one.verdict != "better"
            and (one.minimum_detectable is None or one.minimum_detectable > max(one.margin, 1e-12))
            for one in self.quantities
        )

    @property
    def cannot_pass(self) -> bool:
        """Whether a loss could go unnoticed, though none was found."""
        return self.is_incomplete or self.is_undecided


def check(
    workspace: str | Path = "results",
    *,
    baselines: Sequence[str],
    models: Sequence[str] = (),
    suite: str | None = None,
    runs: Sequence[int] = (),
    generation: int = 0,
    by: Sequence[str] = (),
    fail_if: FailIf = "worse",
    margin: float = 0.02,
    need_power: bool = False,
) -> CheckOutcome:
    """Compare models with one or several baselines, on shared cases and seeds.

    A baseline is the folder of a workspace or of an export, followed by ?model=, run=, generation= and suite=
    if it is not the same model in its newest results; or `previous`. Models are all but probes and floors by
    default. `margin` is a share of each column's range. See `check_models` for the test.
    """
    if not baselines:
        raise WrongUse("name a baseline with --baseline: a workspace, an export, or previous")
    if not 0 <= margin < 1:
        raise WrongUse("--margin must be a share of the range, such as 0.02")
    folder = Path(workspace)
    selection = Selection(models=tuple(models), runs=tuple(runs), generation=generation)
    with Workspace.existing(folder, selection) as opened:
        results = load_results(opened, None if suite is None else SuiteId(suite))
        records = Records.of(opened)
        names = names_of_models(records)
        labels = [name for name, role in results.roles().items() if models or role == "model"]
        chosen = in_use(records, labels, models)
    if not chosen:
        raise WrongUse(f"{folder} has no model but probes and floors; name one with --model")
    comparisons = [
        pair
        for text in baselines
        for pair in _comparisons(chosen, names, results, Baseline.parse(text, folder))
    ]
    missing = dict.fromkeys(gap for pair in comparisons for gap in lost_returns(pair))
    return CheckOutcome(tuple(check_models(comparisons, by, fail_if, margin)), need_power, tuple(missing))


def _comparisons(
    models: Sequence[str], names: Mapping[str, str], results: Results, baseline: Baseline
) -> list[BaselinePair]:
    """A model that is not in the baseline is compared with the one of its name: another version of it."""
    found = baseline.results(results.suite.of_edits(partial=results.edits != "reversible"))
    known = found.roles()
    pairs = []
    for model in models:
        name = baseline.model or (model if model in known else names.get(model, model))
        title = baseline.title if baseline.model else f"{baseline.title}: {name}"
        pairs.append(BaselinePair(model, results, title, name, found))
    return pairs


def _most_like(suite: SuiteId, known: Sequence[SuiteId]) -> SuiteId:
    """The same suite, or the last one of the same version (folders have it of their pictures), or name.

    Cases are paired by what was edited, so a folder may be renamed, and a suite may have grown.
    """
    same_part = [one for one in reversed(known) if one.part == suite.part]
    if not same_part:
        raise WrongUse(
            f"the baseline has no results like {suite}; its suites are {', '.join(known) or 'none'}"
        )
    best = max(
        same_part, key=lambda one: (one == suite.whole, one.version == suite.version, one.name == suite.name)
    )
    return best.of_edits(partial=suite.partial)


def last_settings(workspace: str | Path, models: Sequence[str] = ()) -> api.Settings:
    """The settings of the last run of edits in a workspace, to run it again with --fresh."""
    known = {one.name for one in fields(api.Settings)}
    with Workspace.existing(Path(workspace)) as opened:
        records = Records.of(opened)
        runs = [run for run in read_runs(opened) if "rounds" in run.settings and run.settings.get("models")]
        typed = list(dict.fromkeys(spec for run in reversed(runs) for spec in run.settings["models"]))
        chosen = tuple(_as_typed(model, typed, records) for model in models)
    if not runs:
        raise WrongUse(f"{workspace} has no run to repeat; create one with convergebench run")
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in runs[-1].settings.items()
        if key in known
    }
    given["suite"] = runs[-1].settings.get(api.SUITE_ARGUMENT, SuiteId(given["suite"]).name)
    if chosen:
        given["models"] = chosen
    return api.Settings(**given)


def _as_typed(model: str, typed: Sequence[str], records: Records) -> str:
    """The model as it was named in a run: what it is called in tables does not say where its file is."""
    editors = [one for one in records.editors.values() if model in one.names]
    names = {model}.union(*(one.names for one in editors))
    for spec in typed:
        if not names.isdisjoint(split_label(spec)):
            return spec
    otherwise = editors[0].name if editors else model
    return next((spec for spec in typed if _recorded_name(spec) in names), otherwise)


def _recorded_name(spec: str) -> str:
    try:
        return known_editor(spec).facts.name
    except ConvergeBenchError:  # its file is gone
        return ""
