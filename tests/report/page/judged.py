"""Verdicts and single edits for a filled workspace: grades, a refusal, a reply without JSON, a comparison."""

from __future__ import annotations

from pathlib import Path

from convergebench import judges
from convergebench.judges.asking import key_of
from convergebench.judges.base import JudgeAttempt, JudgeFacts, JudgeReply, Verdict
from convergebench.picture import Picture
from convergebench.store import Enrolment, Workspace
from convergebench.store.judgements import (
    JudgementRequest,
    begin_judgement,
    conclude,
    enlist_judge,
    record_attempt,
)
from convergebench.types import Case, Failure, SourcePicture, Step
from made_pictures import textured
from report.page.filled import HEIGHT, ROUNDS, WIDTH, Text, cases, editor, plain, source_of, worn

SINGLE = "gedit-mini@1"
RAW_REPLY = '{"reason": "The hat floats.", "edit_success": 3, "rest_preserved": 9}'
REASON = "The hat floats above the head."
NOT_JSON = "I would say about eight."
REFUSED = "I do not grade people."
CANNOT = "I only know hats."
GRADES = {"steady": (8.0, 6.0), "fading": (3.0, 2.0)}
"""Semantic consistency and perceptual quality of the single edit that each model made."""


def judge(text: Text = plain) -> JudgeFacts:
    return JudgeFacts(text("server:looker"), "1", "server", text("looker"), {"temperature": text("0")})


def add_judging(workspace: Workspace, run: int, text: Text = plain) -> None:
    rubrics = [
        judges.rubric(name) for name in ("gedit_sc", "gedit_pq", "roundtrip_reversal", "better_return")
    ]
    enlist_judge(workspace, judge(text), rubrics)
    _judge_returns(workspace, run, text)
    _compare(workspace, run, text)
    for number, grades in enumerate([GRADES, {"steady": (7.0, 7.0)}]):
        _single_case(workspace, run, number, grades, text)


def _judge_returns(workspace: Workspace, run: int, text: Text) -> None:
    """steady's grades rise with the round; one of fading is refused, one has no JSON in two replies."""
    case = cases(text)[2]
    source = source_of(case)
    texts = {"instruction": case.forward}
    for name in ("steady", "fading"):
        for number in range(1, ROUNDS + 1):
            result = worn(source, name, number, forward=False)
            shown = (("source", source.digest), ("result", result.digest))
            if name == "fading" and number == 1:
                verdict = Verdict("refused", missing=text(f"the judge refused: {REFUSED}"))
                replies = [text(REFUSED)]
            elif name == "fading" and number == 2:
                verdict = Verdict("unparseable", missing="the reply is not one JSON object")
                replies = [text(NOT_JSON), text(NOT_JSON)]
            else:
                verdict = Verdict("ok", 5.0 + number, {"reversal": 5.0 + number}, text(REASON))
                replies = [text(RAW_REPLY)]
            keep(workspace, run, "roundtrip_reversal", shown, texts, verdict, replies, text)


def _compare(workspace: Workspace, run: int, text: Text) -> None:
    """steady wins in both orders."""
    source = source_of(cases(text)[2])
    steady, fading = (worn(source, name, ROUNDS, forward=False).digest for name in ("steady", "fading"))
    for first, second, value in ((steady, fading, 1.0), (fading, steady, 0.0)):
        shown = (("source", source.digest), ("first", first), ("second", second))
        verdict = Verdict("ok", value, {"better": value}, text("It is sharper."))
        keep(workspace, run, "better_return", shown, {}, verdict, [text(RAW_REPLY)], text)


def _single_case(
    workspace: Workspace, run: int, number: int, grades: dict[str, tuple[float, float]], text: Text
) -> None:
    source = Picture.from_pixels(textured(WIDTH, HEIGHT, seed=30 + number))
    named = SourcePicture(text(f"one{number}"), Path("gone.png"), source.digest)
    subset = ("subject-add", "style_change")[number]
    case = Case(
        text(f"one{number}/add"),
        (named,),
        text("Add a hat."),
        category=text(subset),
        hints={"hint": text("A hat.")},
    )
    workspace.pictures.put(source)
    for name in ("steady", "fading"):
        (trajectory,) = workspace.enrol(
            [Enrolment("one_shot", text(SINGLE), editor(name, text), case, 0, 1)], fresh=False
        )
        made = worn(source, name, 5 + number, forward=True)
        outcome = made.facts if name in grades else Failure("refused", text(CANNOT))
        workspace.pictures.put(made)
        step = Step(0, "edit", 1, case.forward, 0, (source.digest,), outcome, 0.5, 0.01, 1)
        workspace.record_step(trajectory, run, step).result()
        if name not in grades:
            continue
        both = (("source", source.digest), ("result", made.digest))
        texts = {"instruction": case.forward}
        for rubric, value, shown, told in (
            ("gedit_sc", grades[name][0], both, texts),
            ("gedit_pq", grades[name][1], both[1:], {}),
        ):
            verdict = Verdict("ok", value, {"grade": value}, text(REASON))
            keep(workspace, run, rubric, shown, told, verdict, [text(RAW_REPLY)], text)


def keep(
    workspace: Workspace, run: int, rubric: str, shown: tuple[tuple[str, str], ...], texts: dict[str, str],
    verdict: Verdict, replies: list[str], text: Text,
) -> None:  # fmt: skip
    asked_by, asked = judge(text).fingerprint, judges.rubric(rubric)
    key = key_of(asked_by, asked, shown, texts, 0)
    begin_judgement(
        workspace, JudgementRequest(key, asked_by, asked.fingerprint, shown, texts, 0), run
    ).result()
    for said in replies:
        reply = JudgeReply(said, "complete", text("stop"), text("looker-2026"), 900, 40, 0.001)
        sizes = ((WIDTH, HEIGHT),)
        attempt = JudgeAttempt(verdict.outcome, verdict.missing or "", 1.5, reply, sizes, reply.cost_usd)
        record_attempt(workspace, key, run, attempt).result()
    conclude(workspace, key, run, verdict).result()
