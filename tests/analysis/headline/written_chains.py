"""Chains written by hand, whose truth is plain to see."""

from __future__ import annotations

from convergebench.analysis import FailedStep, Return, Role
from convergebench.types import FailureKind, Measurement

YES, NO, NOT_REFUTED = 1.0, 0.0, "pixels can refute this edit, not confirm it"
Evidence = float | str


def measured(name: str, value: Evidence) -> Measurement:
    return Measurement(name, "1", None, value) if isinstance(value, str) else Measurement(name, "1", value)


def chain(
    model: str,
    picture: str,
    *rounds: tuple[Evidence, float, float],
    pair: str = "hat",
    category: str = "accessories",
    role: Role = "model",
    face: float | None = None,
    clip: float | None = None,
) -> list[Return]:
    """A round is the evidence of its edit, how much it undid and how much it kept."""
    returns = []
    for number, (evidence, undid, kept) in enumerate(rounds, 1):
        forward = {"edit_evidence": measured("edit_evidence", evidence)}
        if clip is not None:
            forward["clip_direction"] = measured("clip_direction", clip)
        values = {"undid": measured("undid", undid), "kept": measured("kept", kept)}
        if face is not None:
            values["face_distance"] = measured("face_distance", face)
        case = f"{picture}/{pair}"
        returns.append(
            Return(
                model, role, case, picture, pair, "portrait", category, 0, number, f"{case}{number}",
                values, forwards=(forward,),
            )
        )  # fmt: skip
    return returns


def failed(model: str, picture: str, round: int, kind: FailureKind) -> FailedStep:
    return FailedStep(
        model, f"{picture}/hat", picture, "hat", "portrait", "accessories", 0, round, "forward", kind, "why"
    )
