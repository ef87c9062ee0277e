"""The paper's pictures: one chain as an example, and each model's worst chain; small copies in its folder."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.analysis import Ranking, Results, Return, WorstCase, worst_cases
from convergebench.atomic_files import replacing
from convergebench.errors import BadPicture, LostPicture
from convergebench.picture import resized_to
from convergebench.protocols import RETURN_ROLES
from convergebench.report.formatting import decimals, metric_title, number
from convergebench.report.page.filmstrips import filmstrips_of
from convergebench.results import Records
from convergebench.results.worst_regions import WorstRegions, worst_regions
from convergebench.shown_text import counted
from convergebench.types import Digest, PictureFacts, Pixels, Step, SuiteId

log = logging.getLogger("convergebench")

FOLDER = Path("figures/pictures")
_LONGEST_SIDE = 420
_MOST_STRIPS = 8
_MOST_LOST = 10
_LOST = "the picture is lost or damaged"
_NOT_MADE = "not made"


@dataclass(frozen=True)
class PaperPicture:
    """A file in the paper's folder, or the reason why it is missing."""

    file: str | None
    label: str
    aspect: float = 1.0
    """Width over height."""
    reason: str = ""


@dataclass(frozen=True)
class Strip:
    """Pictures of one chain in order; empty if the results came without pictures."""

    model: str
    case: str
    caption: str
    pictures: tuple[PaperPicture, ...]


class Copies:
    """Small copies of a workspace's pictures in the paper's folder."""

    def __init__(self, records: Records, results: Results | None, folder: Path) -> None:
        self._records = records
        self._suite = results.suite if results else SuiteId("")
        self._folder = folder
        self._regions: WorstRegions = worst_regions(records, results) if results else {}
        self.lost: dict[Digest, str] = {}
        """Pictures that cannot be read, with what each would have shown."""
        films = filmstrips_of(records, results) if results else {}
        self._trajectories = {
            (film.model, film.case, film.seed): film.trajectory
            for of_case in films.values()
            for film in of_case
        }

    def steps(self, model: str, case: str, seed: int) -> list[Step]:
        """The chain's steps; empty if only its numbers were imported."""
        trajectory = self._trajectories.get((model, case, seed))
        return [] if trajectory is None else self._records.workspace.steps(trajectory)

    def copy(self, digest: Digest | None, label: str, of: str) -> PaperPicture:
        """`of` says whose picture it is, for the list of lost ones."""
        if digest is None:
            return PaperPicture(None, label, reason=_NOT_MADE)
        file = FOLDER / f"{digest[:20]}.jpg"
        pixels = self._pixels(digest, f"{label} of {of}")
        if pixels is None:
            return PaperPicture(None, label, reason=_LOST)
        if not (self._folder / file).exists():
            _write_small(pixels, self._folder / file)
        height, width = pixels.shape[:2]
        return PaperPicture(file.as_posix(), label, width / height)

    def crop(self, digest: Digest | None, item: Return, label: str) -> PaperPicture | None:
        """The region where the return differs most from its source, of either of them; None if unknown."""
        region = self._regions.get((item.case, item.digest))
        if region is None or digest is None:
            return None
        file = FOLDER / f"{digest[:20]}-{'-'.join(map(str, region.box))}.jpg"
        of = f"{item.model} on {item.case}"
        source, shown = (
            self._pixels(region.source, f"source of {of}"),
            self._pixels(digest, f"{label} of {of}"),
        )
        if source is None or shown is None:
            return PaperPicture(None, label, reason=_LOST)
        height, width = source.shape[:2]
        pixels = resized_to(shown, width, height)
        left, top, across, down = region.box
        _write_small(pixels[top : top + down, left : left + across], self._folder / file)
        return PaperPicture(file.as_posix(), label, across / down)

    def _pixels(self, digest: Digest, what: str) -> Pixels | None:
        """None for a picture that is lost or damaged, which is named."""
        if digest in self.lost:
            return None
        try:
            return self._records.workspace.pictures.load(digest).pixels
        except (LostPicture, BadPicture) as error:
            log.warning("left out: %s", error)
            self.lost[digest] = what
            return None

    def quoted_instructions(self, case: str) -> str:
        """The instructions of a case, in quotation marks."""
        known = self._records.case(self._suite, case)
        return f"“{known.forward}” and “{known.backward}”" if known else ""


def example_strip(copies: Copies, results: Results, ranked: Ranking) -> Strip | None:
    """The first and the last round of the best model's median case; None without pictures."""
    best = next((row.model for row in ranked.rows if row.rank is not None), None)
    cases = worst_cases(results, ranked.metric.name, ranked.round, (best,)) if best else ()
    if not cases:
        return None
    chosen = cases[len(cases) // 2]
    item = chosen.returned
    steps = copies.steps(item.model, item.case, item.seed)
    if not steps:
        return None
    made = _made(steps)
    of = f"{item.model} on {item.case}"
    pictures = [copies.copy(steps[0].inputs[0], "source", of)]
    for round in dict.fromkeys((1, ranked.round)):
        pictures.append(copies.copy(made.get((round, False)), f"forward, round {round}", of))
        pictures.append(copies.copy(made.get((round, True)), f"return, round {round}", of))
    value = f"{metric_title(ranked.metric)} {number(chosen.value, decimals(ranked.metric))}"
    instructions = f"{copies.quoted_instructions(item.case)}, {counted(ranked.round, 'time')}"
    caption = f"One chain. {item.model} receives {instructions}; {value} is left."
    return Strip(item.model, item.case, caption, tuple(pictures))


def worst_strips(copies: Copies, results: Results, ranked: Ranking) -> list[Strip]:
    """The chain of each ranked model with the largest loss, in the order of loss."""
    worst: dict[str, WorstCase] = {}
    for one in worst_cases(results, ranked.metric.name, ranked.round):
        worst.setdefault(one.returned.model, one)
    return [_worst_strip(copies, one, ranked) for one in list(worst.values())[:_MOST_STRIPS]]


def _worst_strip(copies: Copies, worst: WorstCase, ranked: Ranking) -> Strip:
    item = worst.returned
    steps = copies.steps(item.model, item.case, item.seed)
    pictures: list[PaperPicture] = []
    if steps:
        made, of = _made(steps), f"{item.model} on {item.case}"
        pictures.append(copies.copy(steps[0].inputs[0], "source", of))
        pictures += [copies.copy(made.get((n, True)), f"round {n}", of) for n in _rounds(ranked.round)]
        crops = (
            copies.crop(steps[0].inputs[0], item, "source, magnified"),
            copies.crop(item.digest, item, f"round {item.round}, magnified"),
        )
        pictures += [crop for crop in crops if crop is not None]
    value = number(worst.value, decimals(ranked.metric))
    parts = [f"{metric_title(ranked.metric)} {value} at round {ranked.round}"]
    if worst.fell_at is not None:
        parts.append(f"below half after {worst.fell_at:.1f} rounds")
    instructions = copies.quoted_instructions(item.case)
    found = ", ".join(parts) + (f"; instructions: {instructions}" if instructions else "")
    caption = f"Largest loss of {item.model}, {item.case}: {found}."
    return Strip(item.model, item.case, caption, tuple(pictures))


def lost_sentences(copies: Copies) -> list[str]:
    """Which pictures are left out because they cannot be read."""
    lost = list(copies.lost.values())
    if not lost:
        return []
    more = f" and {len(lost) - _MOST_LOST} more" if len(lost) > _MOST_LOST else ""
    are = "picture is" if len(lost) == 1 else "pictures are"
    return [
        f"{len(lost)} {are} lost or damaged in the workspace and left out of this paper: "
        f"{'; '.join(lost[:_MOST_LOST])}{more}."
    ]


def _rounds(last: int) -> list[int]:
    """
    >>> _rounds(10), _rounds(1)
    ([1, 4, 7, 10], [1])
    """
    return sorted({1, math.ceil(last / 3), math.ceil(2 * last / 3), last})


def _made(steps: Sequence[Step]) -> Mapping[tuple[int, bool], Digest]:
    """By round and by whether it is a return."""
    return {
        (step.round, step.role in RETURN_ROLES): step.outcome.digest
        for step in steps
        if isinstance(step.outcome, PictureFacts)
    }


def _write_small(pixels: Pixels, path: Path) -> None:
    from PIL import Image

    picture = Image.fromarray(pixels)
    picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE), Image.Resampling.LANCZOS)
    with replacing(path) as part:
        picture.save(part, quality=93, subsampling=0)
