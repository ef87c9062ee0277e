"""The commands that edit and ask, each as words for a small workspace, with the servers that they ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.picture import Picture
from faults.hostile_provider import HostileImagesServer
from made_pictures import textured
from servers.judge import JudgeServer
from set_imitations import write_edival

CASES, ROUNDS, TURNS, AT_ONCE = 2, 2, 3, 2
Words = list[object]
_SESSIONS = ("--suite", "edival?data=edival", "--metric", "psnr")


def prepare(folder: Path) -> None:
    """The pictures and lists that the commands read."""
    (folder / "photos").mkdir()
    (folder / "made").mkdir()
    lines = []
    for number, case in enumerate(load_gedit_mini().cases[:CASES]):
        picture = Picture.from_pixels(textured(seed=number)).encoded
        (folder / "photos" / f"{number}.png").write_bytes(picture)
        (folder / "made" / f"{number}.png").write_bytes(picture)
        lines.append(json.dumps({"id": case.id, "image_path": f"{number}.png"}))
    (folder / "made" / "edits.jsonl").write_text("\n".join(lines))
    write_edival(folder / "edival", CASES, in_zip=False)


def run_words(images: HostileImagesServer, *more: object) -> Words:
    return ["run", "-m", images.model, "--images", "photos", "--limit", CASES, "--rounds", ROUNDS,
            "--metric", "psnr", "--concurrency", AT_ONCE, *more]  # fmt: skip


def session_words(images: HostileImagesServer) -> Words:
    return ["run", "-m", images.model, *_SESSIONS, "--concurrency", AT_ONCE]


def local_run(model: str = "noise") -> Words:
    """Edits on this machine, for a judge to look at."""
    return ["run", "-m", model, "--images", "photos", "--limit", CASES, "--rounds", 1, "--metric", "psnr"]


def judge_words(judge: JudgeServer) -> Words:
    return ["judge", "--judge", judge.name, "--concurrency", AT_ONCE]


def score_words(judge: JudgeServer) -> Words:
    return ["score", "made/edits.jsonl", "-m", "mine", "--suite", "gedit-mini", "--limit", CASES,
            "--judge", judge.name, "--concurrency", AT_ONCE]  # fmt: skip


def refine_words(judge: JudgeServer) -> Words:
    return ["refine", "-m", "noise", "--executor", "classical", "--reasoner", judge.name,
            "--judge", judge.name, "--suite", "reedit-mini", "--limit", CASES, "--concurrency", AT_ONCE,
            "-w", "results"]  # fmt: skip


def check_words(*more: object) -> Words:
    """The last run again, compared with what it was before."""
    return ["check", "--fresh", "--yes", "--baseline", "previous", *more]


def local_sessions() -> Words:
    return ["run", "-m", "noise", *_SESSIONS]


def turns_words(judge: JudgeServer) -> Words:
    return ["turns", "--judge", judge.name, "--concurrency", AT_ONCE]


EDITING: Mapping[str, tuple[Callable[[HostileImagesServer], Words], int]] = {
    "run": (run_words, CASES * ROUNDS * 2),
    "session": (session_words, CASES * TURNS),
}
"""Commands that edit: the command, and the edits that it asks for."""
ASKING: Mapping[str, tuple[Callable[[], Words] | None, Callable[[JudgeServer], Words]]] = {
    "judge": (local_run, judge_words),
    "score": (None, score_words),
    "refine": (None, refine_words),
    "turns": (local_sessions, turns_words),
}
"""Commands that ask a judge: what has to be run before, and the command."""
