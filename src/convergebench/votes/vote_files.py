"""The files of the voting page: the viewer's own scripts and styles, and one script and style of its own."""

from __future__ import annotations

from pathlib import Path

from convergebench.report.page.page_files import PARTS
from convergebench.report.page.sections import ASSETS

PAGE = "index.html"
_OWN = Path(__file__).parent / "assets"
_SCRIPTS = (
    ASSETS / "core.js",
    ASSETS / "stage.js",
    _OWN / "staircase.js",
    _OWN / "raters.js",
    _OWN / "vote.js",
)
_STYLES = (ASSETS / "page.css", ASSETS / "icon.svg", _OWN / "vote.css")


def vote_files() -> dict[str, str]:
    """The text of every file, by name."""
    files = {path.name: path.read_text(encoding="utf-8") for path in (*_SCRIPTS, *_STYLES)}
    tags = "\n".join(f'<script defer src="{PARTS}/{path.name}"></script>' for path in _SCRIPTS)
    index = (_OWN / "vote.html").read_text(encoding="utf-8")
    return {**files, PAGE: index.replace("<!-- scripts -->", tags)}
