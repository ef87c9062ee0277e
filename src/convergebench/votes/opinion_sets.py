"""Published sets of opinion scores that a user has downloaded: TID2013, KADID-10k and PIPAL."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from convergebench import metrics
from convergebench.analysis.votes.opinion_agreement import ScoredPicture, goodness
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.types import Measurement, MetricFacts
from convergebench.votes.opinion_cache import OpinionCache, value_name

_BATCH = 16


@dataclass(frozen=True)
class OpinionRow:
    """A distorted picture with its mean opinion; higher is better in all three sets."""

    reference: Path
    distorted: Path
    distortion: str
    opinion: float


def tid2013(folder: Path) -> Iterator[OpinionRow]:
    """Lines such as `5.51 I01_01_1.bmp` in mos_with_names.txt; the letter case of file names varies."""
    find = _finder(folder)
    for line in _text(find("mos_with_names.txt")).splitlines():
        if line.strip():
            opinion, name = line.split()
            picture, distortion, _ = name.split("_")
            yield OpinionRow(
                find(f"reference_images/{picture}.bmp"),
                find(f"distorted_images/{name}"),
                distortion,
                float(opinion),
            )


def kadid10k(folder: Path) -> Iterator[OpinionRow]:
    """dmos.csv with dist_img, ref_img, dmos and var; a higher dmos is a better picture."""
    find = _finder(folder)
    for row in csv.DictReader(io.StringIO(_text(find("dmos.csv")))):
        name = row["dist_img"]
        yield OpinionRow(
            find(f"images/{row['ref_img']}"), find(f"images/{name}"), name.split("_")[1], float(row["dmos"])
        )


def pipal(folder: Path) -> Iterator[OpinionRow]:
    """Train_Label/A0000.txt with lines such as `A0000_00_00.bmp,1458.77`, pictures in Distortion_*."""
    find = _finder(folder)
    labels = sorted(find("train_label").glob("*.txt"))
    places = {path.name.lower(): path for path in folder.glob("[Dd]istortion_*/**/*") if path.is_file()}
    for label in labels:
        for line in _text(label).splitlines():
            name, _, opinion = line.strip().partition(",")
            if not name:
                continue
            if name.lower() not in places:
                raise WrongUse(f"{folder} has no picture {name}; unpack every Distortion_ folder")
            picture, distortion, _ = name.split("_")
            reference = find(f"train_ref/{picture}{Path(name).suffix}")
            yield OpinionRow(reference, places[name.lower()], distortion, float(opinion))


OPINION_SETS: Mapping[str, Callable[[Path], Iterator[OpinionRow]]] = {
    "tid2013": tid2013,
    "kadid10k": kadid10k,
    "pipal": pipal,
}


def read_opinions(name: str, folder: Path, limit: int | None = None) -> list[OpinionRow]:
    """All rows, or those of the first `limit` references."""
    if name not in OPINION_SETS:
        raise WrongUse(f"there is no set of opinions {name}; choose from {', '.join(OPINION_SETS)}")
    try:
        rows = list(OPINION_SETS[name](folder))
    except (ValueError, KeyError) as error:
        raise WrongUse(f"{folder} is not laid out as {name}: {error}; see docs/people.md") from error
    chosen = set(islice(dict.fromkeys(row.reference for row in rows), limit))
    return [row for row in rows if row.reference in chosen]


def measured_opinions(
    rows: Sequence[OpinionRow], names: Sequence[str], cache: OpinionCache, on_progress: Callable[[int], None]
) -> list[ScoredPicture]:
    """Every picture measured against its reference, unless the cache has its values; `on_progress` gets the
    number done so far."""
    chosen = metrics.MetricSet(names)
    wanted = {value_name(one): one for one in chosen.facts}
    reference = lru_cache(8)(_picture)
    lacking = [row for row in rows if wanted.keys() - cache.values(row.reference, row.distorted).keys()]
    on_progress(len(rows) - len(lacking))
    for start in range(0, len(lacking), _BATCH):
        batch = lacking[start : start + _BATCH]
        pairs = [(reference(row.reference), _picture(row.distorted)) for row in batch]
        for row, values in zip(batch, chosen.measure(pairs), strict=True):
            found = {value_name(one): _value(values.get(one.name)) for one in chosen.facts}
            cache.add(row.reference, row.distorted, found)
        on_progress(len(rows) - len(lacking) + start + len(batch))
    return [_scored(row, cache.values(row.reference, row.distorted), wanted) for row in rows]


def _scored(
    row: OpinionRow, values: Mapping[str, float | None], wanted: Mapping[str, MetricFacts]
) -> ScoredPicture:
    good = {
        facts.name: goodness(value, facts)
        for name, facts in wanted.items()
        if (value := values.get(name)) is not None
    }
    return ScoredPicture(row.reference.name, row.distortion, row.opinion, good)


def _value(measured: Measurement | None) -> float | None:
    return None if measured is None else measured.value


def opinion_metrics(wanted: Iterable[str]) -> list[str]:
    """The metrics named, or all that compare a picture with its source; those by region need a chain."""
    names = metrics.expand(tuple(wanted) or metrics.DEFAULT_MEASURED)
    return [name for name in names if metrics.facts(name).dimension not in ("region", "drift") or wanted]


def _picture(path: Path) -> Picture:
    from PIL import Image

    with Image.open(path) as opened:
        return Picture.from_pixels(np.asarray(opened.convert("RGB")))


def _finder(folder: Path) -> Callable[[str], Path]:
    """Finds files by name whatever the case of its letters."""

    @lru_cache(maxsize=64)
    def names(place: Path) -> dict[str, Path]:
        return {one.name.lower(): one for one in place.iterdir()} if place.is_dir() else {}

    def find(name: str) -> Path:
        place = folder
        for part in name.split("/"):
            if part.lower() not in names(place):
                raise WrongUse(f"{place} has no {part}; see docs/people.md for the layout")
            place = names(place)[part.lower()]
        return place

    return find


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")
