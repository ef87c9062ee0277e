"""Benchmark data: a local path, or a dataset on the hub, downloaded once."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from pathlib import Path

from convergebench.errors import DownloadFailed, MissingExtra, WrongUse

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


def local_copy(data: str, patterns: Sequence[str], advice: str) -> Path:
    """The path itself, or the folder with the dataset's files that match these names.

    `advice` says what to pass if neither exists.
    """
    path = Path(data).expanduser()
    if path.exists():
        return path
    if not _HUB_ID.fullmatch(data) or data.endswith(".json"):
        raise WrongUse(f"{data} does not exist; {advice}.")
    try:
        hub = importlib.import_module("huggingface_hub")
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "gedit") from error
    try:
        return Path(hub.snapshot_download(data, repo_type="dataset", allow_patterns=list(patterns)))
    except Exception as error:  # offline, refused, deleted: the library has a class for each
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DownloadFailed(
            f"could not download {data} ({reason}); try again with a network connection, "
            "or name a local copy as data."
        ) from error
