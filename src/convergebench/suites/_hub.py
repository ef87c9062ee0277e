"""Benchmark data: a local path, or a dataset on the hub, downloaded once."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Sequence
from pathlib import Path

from convergebench.errors import DownloadFailed, MissingExtra, WrongUse

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


_log = logging.getLogger("convergebench")


def local_copy(data: str, patterns: Sequence[str], advice: str) -> Path:
    """The path itself, or the folder with the dataset's files that match these names.

    `advice` says what to pass if neither exists.
    """
    path = Path(data).expanduser()
    if path.exists():
        return _newest_snapshot(path)
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


def _newest_snapshot(path: Path) -> Path:
    """Of a dataset's folder in the hub cache, which may hold several versions, the newest; else the path."""
    snapshots = path / "snapshots"
    found = [one for one in snapshots.iterdir() if one.is_dir()] if snapshots.is_dir() else []
    if not found:
        return path
    newest = max(found, key=lambda one: (one.stat().st_mtime, one.name))
    if len(found) > 1:
        _log.warning("%s holds %d snapshots; the newest, %s, is used", path, len(found), newest.name)
    return newest
