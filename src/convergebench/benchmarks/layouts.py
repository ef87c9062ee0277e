"""Folders of a model's result pictures, as the programs of published sets leave and expect them.

A `FolderLayout` gives the one path of a result: `export --layout` writes it and `import --layout` reads it.
A `ResultFinder` goes the other way, from the files of a folder to cases: `score FOLDER` accepts what other
programs wrote, with other endings, without the outermost folder, or beside files that are no results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from convergebench.errors import WrongUse, unknown_name
from convergebench.protocols.base import INDEPENDENT, PASS, TURN

EDIT = "edit"


@dataclass(frozen=True)
class ResultPlace:
    """Which result it is: a turn of a session, or a single edit."""

    case: str
    category: str
    language: str
    role: str
    turn: int
    """0 is the source."""

    @property
    def name(self) -> str:
        """The case's id without its category and language before it."""
        return self.case.rpartition("/")[2]


@dataclass(frozen=True)
class FolderLayout:
    name: str
    path: Callable[[ResultPlace], str | None]
    """Inside a model's folder, with a suffix; None for a result that the layout has no place for."""
    example: str
    roles: tuple[str, ...]
    suites: tuple[str, ...]
    """The suites that it is for, by the beginning of their names."""
    with_sources: bool = False
    """Whether the source stands beside the results, as turn 0."""


@dataclass(frozen=True)
class ResultFinder:
    """Finds results in a folder that a benchmark's own programs wrote."""

    pictures: Callable[[Path], Iterator[tuple[str, Path]]]
    """Case ids and files in one model's folder."""
    example: str
    """A path inside such a folder, for error messages."""
    case_of: Callable[[str, str, Collection[str]], str | None] = lambda found, language, known: found
    """From what `pictures` gave as id, the chosen language and all ids of the suite, the case's id; None for
    a picture of another language, which is passed over."""


def _edival(place: ResultPlace) -> str | None:
    folder = {TURN: "multipass", PASS: "singlepass"}.get(place.role)
    number = f"_turn_{place.turn}" if place.turn else ""
    return folder and f"{folder}/{place.case}_input_raw{number}.png"


def _magicbrush(place: ResultPlace) -> str | None:
    """The first turn is the same in both ways; later ones say whether they were chained."""
    kind = {TURN: "iter_", INDEPENDENT: "inde_"}.get(place.role)
    if kind is None:
        return None
    return f"{place.case}/{place.case}_{'' if place.turn == 1 else kind}{place.turn}.png"


def _do_undo(place: ResultPlace) -> str | None:
    """The reverse edit of its own program starts from the true end frame."""
    return f"{place.case}_{'fwd' if place.turn == 1 else 'rev'}.png"


SINGLE = (EDIT, TURN)
LAYOUTS = {
    one.name: one
    for one in (
        FolderLayout(
            "edival",
            _edival,
            "multipass/7_input_raw_turn_2.png",
            (TURN, PASS),
            ("edival",),
            with_sources=True,
        ),
        FolderLayout("magicbrush", _magicbrush, "139/139_iter_2.png", (TURN, INDEPENDENT), ("magicbrush",)),
        FolderLayout("do-undo", _do_undo, "P01_01_1_fwd.png", (INDEPENDENT,), ("do-undo",)),
        FolderLayout("imgedit", lambda place: f"{place.case}.png", "1082.png", SINGLE, ("imgedit",)),
        FolderLayout(
            "gedit",
            lambda place: f"fullset/{place.category}/{place.language}/{place.case}.png",
            "fullset/color_alter/en/<key>.png",
            SINGLE,
            ("gedit",),
        ),
        FolderLayout(
            "gedit2", lambda place: f"{place.case}.png", "background_change_000000.png", SINGLE, ("gedit2",)
        ),
        FolderLayout(
            "wiseedit", lambda place: f"{place.case}.png", "<subset>/en/1.png", SINGLE, ("wiseedit",)
        ),
        FolderLayout(
            "reedit",
            lambda place: f"{place.category}/{place.name}_primary.png",
            "physical/00008_primary.png",
            SINGLE,
            ("reedit",),
        ),
        FolderLayout(
            "kris",
            lambda place: f"{place.category}/{place.name}.jpg",
            "abstract_reasoning/1.jpg",
            SINGLE,
            ("kris",),
        ),
        FolderLayout(
            "rise",
            lambda place: f"images/{place.category}/{place.name}.png",
            "images/temporal_reasoning/temporal_reasoning_1.png",
            SINGLE,
            ("rise",),
        ),
    )
}


WITHOUT_LAYOUT = ("mse-bench", "imgedit-multiturn", "mice", "kontext-bench", "pie-bench", "genai-bench")
"""Sets of which no folder of results is known that their own programs read."""


def folder_layout(name: str) -> FolderLayout:
    if name in WITHOUT_LAYOUT:
        raise WrongUse(
            f"{name} has no layout: no folder of results is known that its own program reads. The layouts "
            f"are {', '.join(LAYOUTS)}; convergebench export writes all numbers as CSV"
        )
    if name not in LAYOUTS:
        raise unknown_name("layout", name, LAYOUTS)
    return LAYOUTS[name]
