"""Which files of a user's folder are pictures, and what these are called."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif"})


def is_meant_as_picture(file: Path) -> bool:
    return file.suffix.lower() in _SUFFIXES and not file.name.startswith(".") and file.is_file()


def picture_ids(files: Sequence[Path], folder: Path) -> Mapping[Path, str]:
    """Each file's path in the folder, without its suffix where no other file has the same."""
    named = {file: file.relative_to(folder) for file in files}
    uses = Counter(name.with_suffix("") for name in named.values())
    return {
        file: str(name if uses[name.with_suffix("")] > 1 else name.with_suffix(""))
        for file, name in named.items()
    }


def one_form(name: str) -> str:
    """The name for comparisons: macOS may write ö as o with two dots, which no other program types.

    >>> one_form("Bjo\u0308rn") == "Bj\u00f6rn"
    True
    """
    return unicodedata.normalize("NFC", name)


def files_named(folder: Path, pattern: str) -> frozenset[Path]:
    """The files that match the pattern, however their letters are written."""
    spelled = {pattern, *(unicodedata.normalize(form, pattern) for form in ("NFC", "NFD"))}
    return frozenset(file for one in spelled for file in folder.glob(one))
