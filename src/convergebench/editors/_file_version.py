"""An editor version derived from a file: a changed file is a different editor."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from convergebench.types import EditorFacts


def version_with(facts: EditorFacts, file: Path) -> EditorFacts:
    """The same editor, with a version that identifies the file's content."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return replace(facts, version=f"{facts.version}+{digest[:12]}")
