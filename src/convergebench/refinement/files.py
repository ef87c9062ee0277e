"""A refined case as files: {name}_primary.png, {name}_refined.png, {name}_cot.txt and {name}_re_edit.txt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from convergebench.analysis.refinement.refined_case import RefinedCase, RefinementRound, RefinementStage
from convergebench.judges.reasoning import Advice
from convergebench.picture import Picture
from convergebench.store import PictureStore


def write_case(case: RefinedCase, rounds: int, pictures: PictureStore, stem: Path) -> list[Path]:
    """Write the available files. The file of a missing item is deleted, since it would belong to another
    run."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    advised = [(one, one.advice) for one in case.rounds[:rounds] if one.advice is not None]
    contents = {
        "primary.png": _png(case.primary, pictures),
        "refined.png": _png(case.after(rounds), pictures) if rounds else None,
        "cot.txt": _text(advised, lambda advice: advice.reasoning),
        "re_edit.txt": _text(advised, lambda advice: advice.as_one),
    }
    written = []
    for ending, content in contents.items():
        path = stem.with_name(f"{stem.name}_{ending}")
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(content)
            written.append(path)
    return written


def write_cases(
    cases: Sequence[RefinedCase], rounds: int, pictures: PictureStore, folder: Path
) -> Iterable[Path]:
    """Write all of a suite's cases, named by id; with several models, in one folder each."""
    several = len({case.model for case in cases}) > 1
    for case in cases:
        place = folder / case.model.replace("/", "_") if several else folder
        yield from write_case(case, rounds, pictures, place / case.case)


def _png(stage: RefinementStage, pictures: PictureStore) -> bytes | None:
    if stage.picture is None:
        return None
    picture = pictures.load(stage.picture)
    if picture.facts.media_type == "image/png":
        return picture.encoded
    return Picture.from_pixels(picture.pixels).encoded


def _text(advised: Sequence[tuple[RefinementRound, Advice]], part: Callable[[Advice], str]) -> bytes | None:
    if not advised:
        return None
    several = len(advised) > 1
    lines = [f"Round {one.number}: {part(advice)}" if several else part(advice) for one, advice in advised]
    return ("\n".join(lines) + "\n").encode()
