"""Weights in the form of transformers: a folder, or a hub id in the hub's own cache."""

from __future__ import annotations

import hashlib
from pathlib import Path

from convergebench.types import fingerprint_of


def has_model(name: str) -> bool:
    """Whether a folder or the hub's cache holds a model's configuration."""
    if Path(name).is_dir():
        return (Path(name) / "config.json").exists()
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except HFValidationError:
        return False


def weights_version(name: str) -> str:
    """What tells these weights from others: the hub id, or what the folder holds."""
    return _fingerprint(Path(name)) if Path(name).is_dir() else name


def _fingerprint(folder: Path) -> str:
    """Covers the name, size and first megabyte of each file: distinguishes weights without reading
    gigabytes."""
    parts = []
    for file in sorted(folder.iterdir()):
        if file.suffix in (".json", ".safetensors", ".bin"):
            with file.open("rb") as opened:
                parts.append([file.name, file.stat().st_size, hashlib.sha256(opened.read(2**20)).hexdigest()])
    return fingerprint_of(parts)
