"""The page's own files: index.html, styles, and the scripts of all sections."""

from __future__ import annotations

from html import escape

from convergebench.errors import WrongUse
from convergebench.report.page.sections import ASSETS, page_sections

PAGE = "index.html"
PARTS = "page"
"""The folder beside index.html that holds scripts, styles, data, thumbnails and maps."""
_SHARED = (
    "core.js",
    "marks.js",
    "tables.js",
    "chart.js",
    "strips.js",
    "live.js",
    "stage.js",
    "viewer.js",
    "pane.js",
    "verdict.js",
    "compared.js",
    "judged.js",
)
_STYLES = ("page.css", "icon.svg")
_LAST = "main.js"
_PLACE = "<!-- scripts -->"


def page_files() -> dict[str, str]:
    """The text of every file, by name."""
    scripts = [
        *(ASSETS / name for name in _SHARED),
        *(section.script for section in page_sections()),
        ASSETS / _LAST,
    ]
    files: dict[str, str] = {}
    for path in (*scripts, *(ASSETS / name for name in _STYLES)):
        if path.name in files:
            raise WrongUse(f"two sections of the page have a script called {path.name}; rename one")
        files[path.name] = path.read_text(encoding="utf-8")
    tags = (f'<script defer src="{PARTS}/{escape(path.name)}"></script>' for path in scripts)
    index = (ASSETS / PAGE).read_text(encoding="utf-8")
    return {**files, PAGE: index.replace(_PLACE, "\n".join(tags))}
