"""Gives every picture back as it came: shows that an environment and the worker's pipes are in order."""

from __future__ import annotations

import shutil
from typing import Any


def load(parameters: dict[str, Any]) -> None:
    return None


def edit(state: None, image_path: str, instruction: str, seed: int, output_path: str) -> None:
    shutil.copyfile(image_path, output_path)
