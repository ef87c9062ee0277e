"""A small suite in WiseEdit's form, made by this program: one row of each subset, in both languages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from convergebench.benchmarks.mini_scenes import mini_scene
from convergebench.benchmarks.wiseedit.suite import BOTH, LANGUAGES, SUBSETS, load_wiseedit
from convergebench.packaged_files import cache_folder
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._picture_files import write_once
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Suite

NAME = "wiseedit-mini"
VERSION = "1"
_REQUESTS = {
    "Awareness": ("Show this place half a year later.", "展示半年后的这个地方。", "Snow lies on the ground."),
    "Interpretation": ("Dress the house for the end of October.", "为十月底布置房子。",
                       "A carved pumpkin stands by it."),
    "Imagination": ("Show what the ball dreams of.", "展示球的梦。", ""),
    "WiseEdit_Complex": ("Let both scenes be one, on the day of a solar eclipse.",
                         "把场景合成日食那天的一幅画。",
                         "The sky is dark and the sun is a ring."),
}  # fmt: skip


def write_mini(root: Path) -> Path:
    """Write tables and pictures in WiseEdit's layout; gives the root."""
    for place, subset in enumerate(SUBSETS):
        category, _, inputs = subset.rpartition("_")
        top = "WiseEdit-Complex" if category == "WiseEdit_Complex" else f"WiseEdit/{category}"
        folder = PurePosixPath(top) / subset
        sources = [f"{folder}/imgs/1_{number + 1}.png" for number in range(int(inputs))]
        references = [f"{folder}/img_ref/1.png"] if _REQUESTS[category][2] else []
        for number, path in enumerate((*sources, *references)):
            write_once(root / path, mini_scene(10 * place + number))
        table = _table(_REQUESTS[category], sources, references)
        write_once(root / folder / f"{subset}.csv", ("\ufeff" + table).encode())
    return root


def load_wiseedit_mini(language: str = BOTH, sampling: Sampling = EVERY_CASE) -> Suite:
    """The chosen cases, from files in the cache."""
    root = write_mini(cache_folder() / f"{NAME}-{VERSION}")
    return replace(load_wiseedit(str(root), language, sampling), name=NAME)


def _table(request: Sequence[str], sources: Sequence[str], references: Sequence[str]) -> str:
    prompt, prompt_cn, hint = request
    text = io.StringIO()
    writer = csv.writer(text)
    inputs = [f"input_{number + 1}" for number in range(len(sources))]
    writer.writerow(["idx", "prompt", "promptcn", *inputs, "hint", "ref"])
    writer.writerow(["1", prompt, prompt_cn, *sources, hint, json.dumps(references) if references else ""])
    return text.getvalue()


def _load(_: OnPackage, *, language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    return load_wiseedit_mini(language or BOTH, sampling)


SUITE = SuiteInfo(
    name=NAME,
    version=VERSION,
    summary="a small suite in the form of WiseEdit, drawn by this program; works without a network",
    pictures=len(SUBSETS),
    cases=len(LANGUAGES) * len(SUBSETS),
    load=_load,
)
