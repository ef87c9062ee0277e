"""A small suite in RE-Edit's form, made by this program: two requests of each category."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from convergebench.benchmarks.mini_scenes import mini_scene
from convergebench.benchmarks.reedit.suite import FILE, check_english, load_reedit
from convergebench.packaged_files import cache_folder
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._picture_files import write_once
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Suite

NAME = "reedit-mini"
VERSION = "1"
_DESCRIPTION = "A house with a red roof on a green meadow under a clear sky; a ball lies to the left of it."
_REQUESTS = {
    "physical": (("Put an umbrella on the meadow, standing by itself.",
                  "Something must hold it up, and its shadow must lie on the grass."),
                 ("Add a red ball that rests on the grass.",
                  "It must touch the ground, and be as large as its distance from the house tells.")),
    "environmental": (("Add a potted plant that has stood here since spring.",
                       "It must look like a summer's day, as the sky and the meadow do."),
                      ("Make it a winter night after a long snowfall.",
                       "Snow must lie on roof and meadow, and all must be as dark as the sky.")),
    "cultural": (("Put a flower vase before the house, to welcome guests.",
                  "It must suit the house of the people who live here."),
                 ("Add a dog that guards the house, as on old Roman thresholds.",
                  "It must sit where a watchdog of that age would.")),
    "causal": (("Add a kitten that has just come out of the house.",
                "It must be near the house and on its way from there."),
               ("Remove the ball, which a child has carried home.",
                "Nothing but grass may be left where it lay.")),
    "referential": (("Add a chair next to the house, on the side where nothing lies.",
                     "The ball is on the left, so the chair belongs on the right."),
                    ("Flip the whole picture horizontally, so that the house is on the left.",
                     "House, ball and sky all change sides; nothing else may change.")),
}  # fmt: skip


def mini_rows() -> Iterator[dict[str, str]]:
    """RE-Edit's fields."""
    requests = [(category, *request) for category, group in _REQUESTS.items() for request in group]
    for place, (category, instruction, rationale) in enumerate(requests):
        yield {
            "subset": category,
            "original_image_path": f"pictures/{category}/{place + 1:03}.png",
            "src_img_b64": base64.b64encode(mini_scene(place)).decode(),
            "edit_instruction_en": instruction,
            "original_description_en": _DESCRIPTION,
            "rationale_short_en": rationale,
        }


def write_mini(folder: Path) -> Path:
    """Write the rows as one JSON list; gives the file."""
    write_once(folder / FILE, json.dumps(list(mini_rows()), indent=1).encode())
    return folder / FILE


def load_reedit_mini(sampling: Sampling = EVERY_CASE) -> Suite:
    """The chosen cases, from files in the cache."""
    return replace(load_reedit(str(write_mini(cache_folder() / f"{NAME}-{VERSION}")), sampling), name=NAME)


def _load(_: OnPackage, *, language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    check_english(language)
    return load_reedit_mini(sampling)


SUITE = SuiteInfo(
    name=NAME,
    version=VERSION,
    summary="a small suite in the form of RE-Edit, drawn by this program; works without a network",
    pictures=sum(map(len, _REQUESTS.values())),
    cases=sum(map(len, _REQUESTS.values())),
    load=_load,
)
