"""A small suite in GEdit-Bench's form, made by this program: two requests of each kind, in both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from convergebench.benchmarks.gedit.suite import load_gedit
from convergebench.benchmarks.mini_scenes import mini_scene
from convergebench.packaged_files import cache_folder
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._picture_files import write_once
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Suite

NAME = "gedit-mini"
VERSION = "1"
_REQUESTS = {
    "background_change": (("Put the scene at night.", "把场景换成夜晚。"),
                          ("Let the ground be sand.", "把地面换成沙地。")),
    "color_alter": (("Make the ball yellow.", "把球变成黄色。"),
                    ("Paint the house white.", "把房子刷成白色。")),
    "material_alter": (("Make the ball of glass.", "把球变成玻璃的。"),
                       ("Build the house of wood.", "把房子变成木头的。")),
    "motion_change": (("Let the ball bounce in the air.", "让球弹到空中。"),
                      ("Let the ball roll to the right edge.", "让球滚到右边。")),
    "ps_human": (("Give the man by the house a smile.", "让房子旁的人微笑。"),
                 ("Smooth the skin of the person.", "给人物磨皮。")),
    "style_change": (("Turn it into a watercolour.", "变成水彩画。"),
                     ("Turn it into a pencil drawing.", "变成铅笔画。")),
    "subject-add": (("Add a cat before the house.", "在房子前加一只猫。"), ("Add a cloud.", "加一朵云。")),
    "subject-remove": (("Remove the ball.", "去掉球。"), ("Remove the house.", "去掉房子。")),
    "subject-replace": (("Replace the ball with a pumpkin.", "把球换成南瓜。"),
                        ("Replace the house with a tent.", "把房子换成帐篷。")),
    "text_change": (("Write OPEN on the house.", "在房子上写“开”。"),
                    ("Write HOME on the roof.", "在屋顶上写“家”。")),
    "tone_transfer": (("Give it the light of a sunset.", "换成日落的光线。"),
                      ("Make it look like a winter morning.", "换成冬天早晨的色调。")),
}  # fmt: skip


def mini_rows() -> Iterator[dict[str, Any]]:
    """GEdit-Bench's fields; `input_image` is the content of a PNG file."""
    for language_place, language in enumerate(("en", "cn")):
        for kind_place, (kind, requests) in enumerate(_REQUESTS.items()):
            for place, request in enumerate(requests):
                yield {
                    "key": f"{kind}-{place + 1}-{language}",
                    "task_type": kind,
                    "instruction": request[language_place],
                    "instruction_language": language,
                    "input_image": mini_scene(2 * kind_place + place),
                    "Intersection_exist": place == 0,
                }


def write_mini(folder: Path) -> Path:
    """Write the rows as JSON lines, with the pictures beside them."""
    lines = []
    for row in mini_rows():
        picture = Path("pictures") / f"{row['key']}.png"
        write_once(folder / picture, row["input_image"])
        lines.append(json.dumps({**row, "input_image": picture.as_posix()}, ensure_ascii=False))
    listing = folder / "gedit.jsonl"
    write_once(listing, ("\n".join(lines) + "\n").encode())
    return listing


def load_gedit_mini(language: str = "en", sampling: Sampling = EVERY_CASE) -> Suite:
    """The chosen cases, from files in the cache."""
    listing = write_mini(cache_folder() / f"{NAME}-{VERSION}")
    return replace(load_gedit(str(listing), language, sampling), name=NAME)


def _load(_: OnPackage, *, language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    return load_gedit_mini(language or "en", sampling)


SUITE = SuiteInfo(
    name=NAME,
    version=VERSION,
    summary="a small suite in the form of GEdit-Bench, drawn by this program; works without a network",
    pictures=2 * len(_REQUESTS),
    cases=2 * len(_REQUESTS),
    load=_load,
)
