"""A workspace filled by hand: three models and a floor on four cases, with a refusal and a missing metric."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from convergebench.picture import Picture
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, Failure, Measurement, SourcePicture, Step
from made_pictures import textured

ROUNDS = 3
SUITE = "tiny@1"
SSIM = {"steady": 0.98, "fading": 0.6, "refuser": 0.9, "identity": 1.0}
"""At the last round; each round loses a third of the rest."""
REFUSAL = "the policy does not allow hats"
NO_CLIP = "no CLIP weights are here"
WIDTH, HEIGHT = 96, 64

Text = Callable[[str], str]


def plain(text: str) -> str:
    return text


def cases(text: Text = plain) -> list[Case]:
    made = []
    for number, (picture, pair, category) in enumerate(
        [("anna", "hat", "accessories"), ("anna", "scarf", "accessories"), ("lake", "ball", "objects"),
         ("lake", "cat", "objects")]
    ):  # fmt: skip
        source = Picture.from_pixels(textured(WIDTH, HEIGHT, seed=len(picture) + number % 2))
        named = SourcePicture(text(picture), Path("gone.png"), source.digest, text("scene"))
        made.append(
            Case(text(f"{picture}/{pair}"), (named,), text(f"Add a {pair}."), text(f"Remove the {pair}."),
                 text(pair), text(category), text("scene"), hints={text("note"): text("a hint")})
        )  # fmt: skip
    return made


def source_of(case: Case) -> Picture:
    for seed in range(12):
        picture = Picture.from_pixels(textured(WIDTH, HEIGHT, seed=seed))
        if picture.digest == case.source.digest:
            return picture
    raise LookupError(case.id)


def editor(name: str, text: Text = plain) -> EditorFacts:
    role = "floor" if name == "identity" else "model"
    return EditorFacts(text(name), text("1"), {text("strength"): text("high")}, role)


def fill(folder: Path, rounds: int = ROUNDS, text: Text = plain) -> None:
    """Write the whole workspace."""
    with Workspace.create(folder) as workspace:
        settings = {"suite": text(SUITE), text("models"): [text(name) for name in SSIM]}
        run = workspace.start_run(settings, text("0.1.0"))
        for name in SSIM:
            for case in cases(text):
                add_film(workspace, run, name, case, rounds, text)
        workspace.finish_run(run, "finished")


def add_film(
    workspace: Workspace, run: int, name: str, case: Case, rounds: int = ROUNDS, text: Text = plain
) -> None:
    enrolment = Enrolment("round_trip", text(SUITE), editor(name, text), case, 0, ROUNDS)
    (trajectory,) = workspace.enrol([enrolment], fresh=False)
    source = source_of(case)
    workspace.pictures.put(source)
    held = source
    for number in range(1, rounds + 1):
        refused = name == "refuser" and number == 2 and "hat" in case.id
        forward = worn(source, name, number, forward=True)
        record(
            workspace,
            run,
            trajectory,
            number,
            "forward",
            held,
            Failure("refused", text(REFUSAL)) if refused else forward,
        )
        if refused:
            return
        held = worn(source, name, number, forward=False)
        record(workspace, run, trajectory, number, "backward", forward, held)
        if held.digest != source.digest:
            measured = [
                Measurement("ssim", "1", ssim_of(name, number)),
                Measurement("psnr", "1", 40.0 - number),
                Measurement("clip", "1", None, text(NO_CLIP)),
            ]
            workspace.record_measurements([(source.digest, held.digest, m) for m in measured]).result()
    if name == "identity":
        perfect = [Measurement("ssim", "1", 1.0), Measurement("psnr", "1", float("inf"))]
        workspace.record_measurements([(source.digest, source.digest, m) for m in perfect]).result()


def record(
    workspace: Workspace, run: int, trajectory: int, number: int, role: str, given: Picture,
    outcome: Picture | Failure,
) -> None:  # fmt: skip
    position = 2 * (number - 1) + (role == "backward")
    made = outcome.facts if isinstance(outcome, Picture) else outcome
    if isinstance(outcome, Picture):
        workspace.pictures.put(outcome)
    step = Step(position, role, number, "", 0, (given.digest,), made, 0.5, 0.01, 1)
    workspace.record_step(trajectory, run, step).result()


def ssim_of(name: str, number: int) -> float:
    return 1 - (1 - SSIM[name]) * number / ROUNDS


def worn(source: Picture, name: str, number: int, *, forward: bool) -> Picture:
    """`fading` darkens the picture, `refuser` makes it larger, `steady` brightens it, `identity` keeps it."""
    pixels = source.pixels
    if name == "identity":
        return source
    if name == "fading":
        pixels = pixels // 4
    if name == "refuser":
        pixels = np.repeat(np.repeat(pixels, 2, axis=0), 2, axis=1)
    shift = number + 20 * forward
    return Picture.from_pixels(np.clip(pixels.astype(int) + shift, 0, 255).astype(np.uint8))
