"""From a workspace to Results: the newest generation of every trajectory, with its measurements."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from convergebench import metrics
from convergebench.analysis.round_trip.imported_returns import imported_returns, without_never_computed
from convergebench.analysis.round_trip.results import Edits, FailedStep, ModelUse, Results, Return
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.protocols import RETURN_ROLES as RETURN_ROLES
from convergebench.protocols import RETURNING, is_forward
from convergebench.results.clip_directions import ClipDirections, clip_directions
from convergebench.store import IS_NEWEST, Workspace, imported_rows, imported_suites, setting, unique_labels
from convergebench.suites import reversibility_of
from convergebench.types import Digest, Measurement, MetricFacts, Reversibility

_NEWEST = f"""
    SELECT t.*, c.suite, c.id AS case_id, c.picture AS source_id, c.pair, c.kind, c.category,
           c.hints ->> 'reversibility' AS reversibility, e.name AS editor_name, e.role AS editor_role
    FROM trajectories t
    JOIN cases c ON c.fingerprint = t.case_fingerprint
    JOIN editors e ON e.fingerprint = t.editor
    WHERE t.protocol IN (SELECT value FROM json_each(?)) AND {IS_NEWEST}
    ORDER BY t.id
"""
_Forwards: TypeAlias = Mapping[tuple[int, int], tuple[Mapping[str, Measurement], ...]]
"""By trajectory and round: each forward edit against its input, by metric name."""
PARTIAL = "/partial"
"""Behind a suite's name it stands for its partially reversible edits."""


def load_results(workspace: Workspace, suite: str | None = None, models: Sequence[str] = ()) -> Results:
    """The returns of one suite (that of the last run, unless named), of all models or of those named.

    They are of the edits that can be undone for certain; `partial` has the others, and so has the suite's
    name with /partial behind it. Where there are only such edits, the results are of these, and say so.
    Imported metrics that were never computed are missing, with that as the reason.
    """
    results = without_never_computed(load_results_as_given(workspace, suite, models))
    return replace(results, partial=results.partial and without_never_computed(results.partial))


def suites_with_returns(workspace: Workspace) -> list[str]:
    """Every suite that results can be gathered of."""
    return _suites(workspace, workspace.query(_NEWEST, json.dumps(RETURNING)))


def _suites(workspace: Workspace, trajectories: Sequence[sqlite3.Row]) -> list[str]:
    return list(dict.fromkeys([*imported_suites(workspace), *(row["suite"] for row in trajectories)]))


def load_results_as_given(
    workspace: Workspace, suite: str | None = None, models: Sequence[str] = ()
) -> Results:
    """The same with imported values as they stand in their files, believable or not."""
    trajectories = workspace.query(_NEWEST, json.dumps(RETURNING))
    suites = _suites(workspace, trajectories)
    if not suites:
        raise WorkspaceError(f"{workspace.folder} holds no results yet; make some with convergebench run")
    wanted = suite or _latest_suite(workspace, suites)
    name = wanted.removesuffix(PARTIAL)
    labels = unique_labels({row["editor"]: row["editor_name"] for row in trajectories})
    chosen = [
        row
        for row in trajectories
        if row["suite"] == name and (not models or {labels[row["editor"]], row["editor_name"]} & set(models))
    ]
    rows = imported_rows(workspace, name)
    imported = imported_returns(rows, taken=set(labels.values()), models=models)
    if not chosen and not imported:
        known = ", ".join(sorted({*labels.values(), *(row.model for row in rows)}))
        raise WrongUse(
            f"{workspace.folder} holds nothing of that in {name}; its suites are {', '.join(sorted(suites))} "
            f"and its models are {known}"
        )
    facts, values = _measurements(workspace, {metric for item in imported for metric in item.values})
    found = _Found(
        name, _of_one_protocol(chosen), imported, _steps(workspace), labels,
        _Pairs(facts, values, clip_directions(workspace)),
    )  # fmt: skip
    return _told_apart(found, wanted)


@dataclass(frozen=True)
class _Found:
    """What of a workspace counts, before it is told apart by what its edits do."""

    suite: str
    trajectories: Sequence[sqlite3.Row]
    imported: Sequence[Return]
    steps: Sequence[sqlite3.Row]
    labels: Mapping[str, str]
    pairs: _Pairs


def _told_apart(found: _Found, wanted: str) -> Results:
    reversible, partial = _results(found, "reversible"), _results(found, "partially reversible")
    if reversible is not None and not wanted.endswith(PARTIAL):
        return replace(reversible, partial=partial)
    if partial is None:
        raise WrongUse(f"{found.suite} has no partially reversible edits here; leave {PARTIAL} out")
    return partial


def _of_one_protocol(trajectories: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """Those of the protocol that was begun last: rounds of different protocols are different things."""
    return [row for row in trajectories if row["protocol"] == trajectories[-1]["protocol"]]


def _results(found: _Found, edits: Edits) -> Results | None:
    """Those of the edits of one kind; None where there are none."""
    chosen = {row["id"]: row for row in found.trajectories if _edits(_class(row)) == edits}
    imported = [item for item in found.imported if _edits(item.reversibility) == edits]
    if not chosen and not imported:
        return None
    steps = [row for row in found.steps if row["trajectory"] in chosen]
    rounds = [row["rounds"] for row in chosen.values()] + [item.round for item in imported]
    forwards = _forwards(steps, found.pairs)
    returns = (*_returns(steps, chosen, found.labels, found.pairs, forwards), *imported)
    # The workspace may hold metrics that no return of this suite was measured with.
    measured = {name for item in returns for name in item.values}
    return Results(
        suite=found.suite,
        rounds=max(rounds),
        metrics=tuple(one for one in found.pairs.facts if one.name in measured),
        returns=returns,
        troubles=_troubles(steps, chosen, found.labels, forwards),
        uses=_uses(steps, chosen, found.labels),
        protocol=next((str(row["protocol"]) for row in chosen.values()), "round_trip"),
        edits=edits,
    )


def _class(trajectory: sqlite3.Row) -> Reversibility:
    told: Reversibility | None = trajectory["reversibility"]
    return told or reversibility_of(trajectory["pair"])


def _edits(told: Reversibility) -> Edits:
    return "reversible" if told == "reversible" else "partially reversible"


def _latest_suite(workspace: Workspace, suites: Sequence[str]) -> str:
    for row in workspace.query(f"SELECT {setting('suite')} AS suite FROM runs ORDER BY id DESC"):
        if row["suite"] in suites:
            return str(row["suite"])
    return suites[-1]


def _measurements(
    workspace: Workspace, imported: Set[str]
) -> tuple[tuple[MetricFacts, ...], Mapping[tuple[Digest, Digest], Mapping[str, Measurement]]]:
    """Facts of the metrics used, and values by (reference, picture); only each metric's newest version."""
    newest = {
        row["metric"]: row["version"]
        for row in workspace.query(
            "SELECT metric, version, max(at) AS last FROM measurements GROUP BY metric, version ORDER BY last"
        )
        if row["metric"] in metrics.names()
    }
    order = [*metrics.expand(metrics.DEFAULT_MEASURED), *metrics.names()]
    used = {*newest, *(imported & set(metrics.names()))}
    facts = tuple(metrics.facts(name) for name in sorted(used, key=order.index))
    values: defaultdict[tuple[Digest, Digest], dict[str, Measurement]] = defaultdict(dict)
    names = {name: name for name in newest}  # one object for each, where a million rows would have their own
    for reference, picture, metric, version, value, missing in workspace.each_row(
        "SELECT reference, picture, metric, version, value, missing FROM measurements"
    ):
        if newest.get(metric) == version:
            name = names[metric]
            values[reference, picture][name] = Measurement(name, newest[name], value, missing)
    return facts, values


def _steps(workspace: Workspace) -> list[sqlite3.Row]:
    """The last word on every position of every trajectory."""
    return workspace.query(
        "SELECT s.trajectory, s.position, s.role, s.round, s.instruction, s.inputs ->> 0 AS first_input, "
        f"s.picture, s.failure, s.reason, s.seconds, s.cost_usd, {setting('imported', 'r')} AS imported, "
        "sum(s.cost_usd) AS spent_usd, max(s.id) FROM steps s JOIN runs r ON r.id = s.run "
        "GROUP BY s.trajectory, s.position ORDER BY s.trajectory, s.position"
    )


@dataclass(frozen=True)
class _Pairs:
    """What was measured of any two pictures."""

    facts: tuple[MetricFacts, ...]
    values: Mapping[tuple[Digest, Digest], Mapping[str, Measurement]]
    clip_directions: ClipDirections

    def of(self, reference: Digest | None, picture: Digest | None) -> Mapping[str, Measurement]:
        """The measurements of a pair, as far as there are any; a picture is perfect against itself."""
        if reference is None or picture is None:
            return {}
        if reference == picture:
            return {facts.name: Measurement(facts.name, facts.version, facts.perfect) for facts in self.facts}
        return self.values.get((reference, picture), {})

    def of_edit(self, edit: sqlite3.Row) -> Mapping[str, Measurement]:
        """Those of a step's picture with its input, and its direction."""
        pair = (edit["first_input"], edit["picture"])
        return {**self.of(*pair), **self.clip_directions.of(*pair, edit["instruction"])}


def _forwards(steps: Sequence[sqlite3.Row], pairs: _Pairs) -> _Forwards:
    edits: defaultdict[tuple[int, int], list[Mapping[str, Measurement]]] = defaultdict(list)
    for row in steps:
        if is_forward(row["role"]):
            edits[row["trajectory"], row["round"]].append(pairs.of_edit(row))
    return {place: tuple(measured) for place, measured in edits.items()}


def _returns(
    steps: Sequence[sqlite3.Row],
    chosen: Mapping[int, sqlite3.Row],
    labels: Mapping[str, str],
    pairs: _Pairs,
    forwards: _Forwards,
) -> tuple[Return, ...]:
    source = {row["trajectory"]: row["first_input"] for row in steps if row["position"] == 0}
    made = [row for row in steps if row["picture"] is not None and row["role"] in RETURN_ROLES]
    returned = {(row["trajectory"], row["round"]): row["picture"] for row in made}
    cases = {identity: _case_of(trajectory, labels) for identity, trajectory in chosen.items()}
    return tuple(
        Return(
            **cases[row["trajectory"]],
            role=chosen[row["trajectory"]]["editor_role"],
            round=row["round"],
            digest=row["picture"],
            values=pairs.values.get((source[row["trajectory"]], row["picture"]), {}),
            moved=pairs.of(returned.get((row["trajectory"], row["round"] - 1)), row["picture"]),
            forwards=forwards.get((row["trajectory"], row["round"]), ()),
            imported=row["imported"] is not None,
        )
        for row in made
    )


def _troubles(
    steps: Sequence[sqlite3.Row],
    chosen: Mapping[int, sqlite3.Row],
    labels: Mapping[str, str],
    forwards: _Forwards,
) -> tuple[FailedStep, ...]:
    return tuple(
        FailedStep(
            **_case_of(chosen[row["trajectory"]], labels),
            round=row["round"],
            role=row["role"],
            kind_of_failure=row["failure"],
            reason=row["reason"],
            forwards=() if is_forward(row["role"]) else forwards.get((row["trajectory"], row["round"]), ()),
        )
        for row in steps
        if row["failure"] is not None
    )


def _case_of(trajectory: sqlite3.Row, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "model": labels[trajectory["editor"]],
        "case": trajectory["case_id"],
        "picture": trajectory["source_id"],
        "pair": trajectory["pair"],
        "kind": trajectory["kind"],
        "category": trajectory["category"],
        "seed": trajectory["seed"],
        "reversibility": _class(trajectory),
    }


def _uses(
    steps: Sequence[sqlite3.Row],
    chosen: Mapping[int, sqlite3.Row],
    labels: Mapping[str, str],
) -> tuple[ModelUse, ...]:
    editor_of = {identity: row["editor"] for identity, row in chosen.items()}
    uses = []
    for editor in dict.fromkeys(editor_of.values()):
        mine = [row for row in chosen.values() if row["editor"] == editor]
        done = [row for row in steps if editor_of[row["trajectory"]] == editor]
        made = [row for row in done if row["picture"] is not None]
        timed = [row["seconds"] for row in made if row["imported"] is None]
        is_priced = all(row["cost_usd"] is not None for row in made)
        last_rounds = Counter(row["trajectory"] for row in made if row["role"] in RETURN_ROLES)
        uses.append(
            ModelUse(
                model=labels[editor],
                role=mine[0]["editor_role"],
                trajectories=len(mine),
                complete=sum(last_rounds[row["id"]] == row["rounds"] for row in mine),
                edits=len(made),
                failures=len(done) - len(made),
                mean_seconds=sum(timed) / len(timed) if timed else None,
                cost_usd=sum(row["spent_usd"] or 0.0 for row in done) if is_priced else None,
            )
        )
    return tuple(uses)
