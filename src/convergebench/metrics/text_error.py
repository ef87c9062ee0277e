"""The character error rate of the text in a picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics.base import Metric, MetricOptions, Reading, Registration, register
from convergebench.metrics.ocr import WEIGHT_FILES, TextLine, TextReader
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from convergebench.metrics.ocr.line_detector import Quad

SURE, READ = 0.8, 0.5
"""The confidence from which a line is certainly text, and from which it may be the rest of a line."""
FEWEST_CHARACTERS = 4
"""Distinct characters: patterns are often read as rows of zeros."""
FACTS = MetricFacts(
    "text_error",
    "1",
    "lower",
    perfect=0.0,
    worst=1.0,
    dimension="semantic",
    summary="Character error rate of the text that is read in both pictures.",
    needs_weights=True,
    is_sampled=True,
    inapplicable="no text in the source",
)


class SourceText(NamedTuple):
    certain: tuple[TextLine, ...]
    doubtful: tuple[TextLine, ...]
    """Possibly text, but read inconsistently; text found in its place is not counted."""


@dataclass(frozen=True)
class TextError:
    reader: TextReader
    facts: MetricFacts = FACTS

    def prepare(self, source: Pixels) -> SourceText:
        lines = self.reader.lines(source)
        certain = self._certain(source, lines)
        return SourceText(certain, tuple(line for line in lines if not _is_among(line, certain)))

    def compare(self, prepared: Sequence[SourceText], results: Sequence[Pixels]) -> Sequence[Reading]:
        return [self._error(text, result) for text, result in zip(prepared, results, strict=True)]

    def _error(self, source: SourceText, result: Pixels) -> Reading:
        text = text_of(source.certain)
        if len(set(text)) < FEWEST_CHARACTERS:
            return self.facts.inapplicable
        found = [line for line in self.reader.lines(result) if line.confidence >= READ]
        near = lines_near((*source.certain, *source.doubtful), found)
        elsewhere = [line for line in found if not any(_is_among(line, lines) for lines in near)]
        return errors(source.certain, near[: len(source.certain)], self._certain(result, elsewhere)) / len(
            text
        )

    def _certain(self, picture: Pixels, lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
        """Lines with high confidence that give the same text when read again; guesses do not."""
        sure = [line for line in lines if line.confidence >= SURE and characters(line.text)]
        again = self.reader.reread(picture, sure)
        return tuple(
            line
            for line, texts in zip(sure, again, strict=True)
            if all(characters(text) == characters(line.text) for text in texts)
        )


def lines_near(source: Sequence[TextLine], found: Sequence[TextLine]) -> list[list[TextLine]]:
    """For each line of the source, the lines of the return that overlap it more than any other line."""
    near: list[list[TextLine]] = [[] for _ in source]
    for line in found:
        shared = [_shared_area(line.quad, other.quad) for other in source]
        if max(shared, default=0.0) > 0:
            near[int(np.argmax(shared))].append(line)
    return near


def errors(
    source: Sequence[TextLine], near: Sequence[Sequence[TextLine]], elsewhere: Sequence[TextLine]
) -> int:
    """Characters to insert, delete or replace, line by line or in the whole text, whichever is less.

    The whole text is for pictures that moved, whose lines overlap others or none.
    """
    added = sum(len(characters(line.text)) for line in elsewhere)
    by_line = sum(
        edit_distance(characters(line.text), text_of(found)) for line, found in zip(source, near, strict=True)
    )
    remaining = [*(line for lines in near for line in lines), *elsewhere]
    return min(by_line + added, edit_distance(text_of(source), text_of(remaining)))


def characters(text: str) -> str:
    """Letters and digits only: spaces and punctuation are not read consistently.

    >>> characters("Café １２, offen!")
    'Café12offen'
    """
    return "".join(one for one in unicodedata.normalize("NFKC", text) if one.isalnum())


def text_of(lines: Sequence[TextLine]) -> str:
    """In reading order: a line is below another if its middle is below the other's bottom edge."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: float(line.quad[:, 1].mean())):
        middle = line.quad[:, 1].mean()
        if rows and middle < rows[-1][0].quad[2:, 1].mean():
            rows[-1].append(line)
        else:
            rows.append([line])
    ordered = (line for row in rows for line in sorted(row, key=lambda line: float(line.quad[:, 0].mean())))
    return characters("".join(line.text for line in ordered))


def edit_distance(one: str, other: str) -> int:
    """Characters to insert, delete or replace to turn one text into the other (Levenshtein 1965).

    >>> edit_distance("kitten", "sitting"), edit_distance("", "abc")
    (3, 3)
    """
    codes = np.array([ord(each) for each in other], np.int64)
    places = np.arange(len(codes) + 1)
    row = places
    for number, each in enumerate(one, start=1):
        replaced_or_deleted = np.minimum(row[:-1] + (codes != ord(each)), row[1:] + 1)
        reached = np.concatenate([[number], replaced_or_deleted])
        # Insertions continue from any earlier position, one character each.
        row = np.minimum.accumulate(reached - places) + places
    return int(row[-1])


def _is_among(line: TextLine, lines: Sequence[TextLine]) -> bool:
    return any(line is other for other in lines)


def _shared_area(one: Quad, other: Quad) -> float:
    import cv2

    area, _ = cv2.intersectConvexConvex(one, other)
    return float(area)


def _load(_: MetricOptions) -> Metric:
    return TextError(TextReader())


register(Registration(FACTS, _load, weights=WEIGHT_FILES))
