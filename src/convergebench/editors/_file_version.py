"""A version that follows a file: who changes the file changes the editor."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from convergebench.types import EditorFacts


def version_with(facts: EditorFacts, file: Path) -> EditorFacts:
    """The same editor, of a version that names the file's content."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return replace(facts, version=f"{facts.version}+{digest[:12]}")
