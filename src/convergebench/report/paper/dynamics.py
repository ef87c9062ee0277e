"""How the decay continues: the shape of the distance from the source, and the contraction of steps.

They answer different questions, so that a plateau beside a factor of 1 is no contradiction; where both are
known, the text says what each means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from convergebench.analysis import (
    Contraction,
    CurveShape,
    ForwardSuccess,
    Ranking,
    Results,
    contraction,
    curve_shape,
    forward_success,
    gated_order,
    has_scale,
    share_matrices,
)
from convergebench.report.formatting import ABSENT
from convergebench.report.paper.counting import listed
from convergebench.report.paper.grids import Grid
from convergebench.report.paper.numbers import first_calibration_row

_VERDICTS = ("settling", "drifting", "diverging")
_SHAPES = ("linear", "exponential", "plateau")


@dataclass(frozen=True)
class ModelDynamics:
    shape: CurveShape
    contraction: Contraction


def dynamics_of(results: Results, ranked: Ranking) -> dict[str, ModelDynamics]:
    """By model, of every model and floor with returns; empty for a metric without a scale."""
    if not has_scale(ranked.metric):
        return {}
    chains, metric = share_matrices(results, ranked.metric.name), ranked.metric.name
    return {
        row.model: ModelDynamics(curve_shape(chains[row.model]), contraction(results, row.model, metric))
        for row in ranked.rows
        if row.model in chains
    }


def dynamics_grid(dynamics: Mapping[str, ModelDynamics], results: Results, ranked: Ranking) -> list[Grid]:
    """One table, or none."""
    happened = forward_success(results)
    shown = [row for row in ranked.rows if row.model in dynamics]
    rows, reasons = [], dict[str, list[str]]()
    for row in shown:
        found = dynamics[row.model]
        forward = _forward(happened.get(row.model))
        rows.append([row.model, _shape(found.shape), *_contraction(found.contraction), forward])
        if found.contraction.reason is not None:
            reasons.setdefault(found.contraction.reason, []).append(row.model)
    if not rows:
        return []
    headings = ["model", "shape of the distance", "factor q", "verdict", "edits done"]
    notes = [f"There is no verdict for {listed(models)}: {reason}." for reason, models in reasons.items()]
    return [Grid(headings, rows, left=(0, 1, 3), rules=first_calibration_row(shown), notes=notes)]


def dynamics_sentences(
    dynamics: Mapping[str, ModelDynamics], results: Results, ranked: Ranking
) -> Iterator[str]:
    """For models: both answers, each with its question, and what they mean together."""
    rows = [row for row in ranked.rows if row.model in dynamics and not row.is_calibration]
    models = {row.model: dynamics[row.model] for row in rows}
    yield from _shapes(models)
    yield from _contractions(models)
    yield from _both(models)
    yield from _gate(results, ranked)


def _shapes(models: Mapping[str, ModelDynamics]) -> Iterator[str]:
    by_shape: dict[str, list[str]] = {}
    for model, found in models.items():
        by_shape.setdefault(_shape_name(found), []).append(model)
    known = [f"{shape} for {listed(by_shape[shape])}" for shape in _SHAPES if shape in by_shape]
    if known:
        yield f"How does the distance from the source grow? Its shape is {'; '.join(known)}."
    if "" in by_shape:
        yield f"No shape can be chosen for {listed(by_shape[''])}."


def _contractions(models: Mapping[str, ModelDynamics]) -> Iterator[str]:
    by_verdict: dict[str, list[str]] = {}
    for model, found in models.items():
        by_verdict.setdefault(found.contraction.verdict, []).append(model)
    known = [f"{verdict}: {listed(by_verdict[verdict])}" for verdict in _VERDICTS if verdict in by_verdict]
    if known:
        yield f"Do the steps between returns get smaller? By their contraction factor, {'; '.join(known)}."
    if by_verdict.get("cannot tell"):
        yield f"The contraction factor is undecided for {listed(by_verdict['cannot tell'])}."


def _both(models: Mapping[str, ModelDynamics]) -> Iterator[str]:
    """What seems to be a contradiction, and is none."""
    moving = [
        model
        for model, found in models.items()
        if _shape_name(found) == "plateau" and found.contraction.verdict in ("drifting", "diverging")
    ]
    leaving = [
        model
        for model, found in models.items()
        if _shape_name(found) in ("linear", "exponential") and found.contraction.verdict == "settling"
    ]
    if moving:
        yield (
            f"For {listed(moving)} the distance from the source levels off while the returns still change "
            "by steps that do not get smaller."
        )
    if leaving:
        yield (
            f"For {listed(leaving)} the steps get smaller while the distance from the source still grew "
            "over the observed rounds."
        )


def _gate(results: Results, ranked: Ranking) -> Iterator[str]:
    gated = [row.convergence.gated_by for row in ranked.rows if row.convergence and row.convergence.gated_by]
    if not gated:
        scored = any(row.convergence and row.convergence.together for row in ranked.rows)
        why = "whether forward edits happened was not measured" if scored else "no model has one at all"
        yield f"There is no gated convergence score: {why}."
        return
    yield f"A forward edit counts as done if it {gated[0]}."
    order = gated_order(results)
    if len(order) > 1 and len({item.picture for item in results.returns}) > 1:
        roles = {results.roles()[model] for model in order}
        others = [f"{role}s" for role in ("floor", "probe") if role in roles]
        among = f", {listed(others)} among them" if others else ""
        yield f"By the gated convergence score the order is {listed(order)}{among}."


def _shape_name(found: ModelDynamics) -> str:
    return found.shape.chosen.shape if found.shape.chosen else ""


def _shape(shape: CurveShape) -> str:
    if shape.chosen is None:
        return f"cannot tell: {shape.undecided}"
    rate = f"{shape.chosen.rate:.3f} per round"
    if shape.chosen.shape != "plateau":
        return f"{shape.chosen.shape}, {rate}"
    return f"plateau at {shape.chosen.asymptote:.2f}, {rate}"


def _contraction(found: Contraction) -> tuple[str, str]:
    if found.constant is None:
        return ABSENT, found.verdict
    if found.low is None or found.high is None:
        return f"{found.constant:.2f}", found.verdict
    rest = "" if found.fixed_point_distance is None else f" within {found.fixed_point_distance:.2f}"
    return f"{found.constant:.2f} [{found.low:.2f}, {found.high:.2f}]", f"{found.verdict}{rest}"


def _forward(forward: ForwardSuccess | None) -> str:
    if forward is None or forward.rate is None:
        return ABSENT
    return f"{forward.rate:.0%} of {forward.judged}".replace("%", " %")
