"""What a section of the page is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from convergebench.report.page.page_data import PageData
from convergebench.report.page.page_picture import PagePicture

ASSETS = Path(__file__).parents[1] / "assets"
Builders: TypeAlias = dict[str, Callable[[], Any]]
"""Data for json.dumps, but for infinite numbers, by a key that is also its file's name."""
_LAST = 1000


@dataclass(frozen=True)
class PageSection:
    """One view in the page's navigation: a script, and the data that the script loads by key.

    The script sets convergebench.views[key] to an object with open(root, all, chosen, go). It makes elements
    with convergebench.h, which turns text into text nodes only.
    """

    key: str
    """In the page's addresses."""
    title: str
    script: Path
    builders: Callable[[PageData], Builders]
    """Each piece of data is built when it is loaded."""
    order: int = _LAST
    """Sections stand from the lowest to the highest."""
    pictures: Mapping[str, Callable[[Any], Iterable[PagePicture]]] = field(default_factory=dict)
    """The pictures that data refers to, by the first part of the data's key."""
    needs_rounds: bool = False
    """Whether there is nothing to open before a round trip is measured."""
    is_there: Callable[[PageData], bool] = lambda _: True
    """Whether it stands in the navigation."""
    prepared: tuple[str, ...] = ()
    """Keys of data that a live page builds before somebody opens the section."""
