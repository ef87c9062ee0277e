"""A question in somebody else's words: texts and pictures in a fixed order, with places to fill."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

NUMBER = "number"
"""The field of a caption that counts the pictures of one role, from 1."""
CATEGORY = "category"
"""The text of a subject with the category of its case."""


@dataclass(frozen=True)
class Template:
    """A text with fields."""

    pieces: tuple[str, ...]
    """Texts at even places, names of fields at odd ones."""

    @classmethod
    def of_format(cls, text: str, fields: Mapping[str, str]) -> Template:
        """From the syntax of `str.format`. `fields` maps the names in the text to those of a subject.

        >>> Template.of_format("Do {what}: {{}}", {"what": "instruction"}).pieces
        ('Do ', 'instruction', ': {}')
        """
        pieces = [""]
        for literal, name, spec, conversion in string.Formatter().parse(text):
            pieces[-1] += literal
            if name is None:
                continue
            if name not in fields or spec or conversion:
                raise ValueError(f"unknown field {{{name}}}")
            pieces += [fields[name], ""]
        return cls(tuple(pieces))

    @classmethod
    def of_markers(cls, text: str, fields: Mapping[str, str]) -> Template:
        """From a text in which markers such as <instruction> stand for fields.

        >>> Template.of_markers("Do <this>.", {"<this>": "instruction"}).pieces
        ('Do ', 'instruction', '.')
        """
        parts = re.split(f"({'|'.join(map(re.escape, fields))})", text) if fields else [text]
        return cls(tuple(fields[part] if place % 2 else part for place, part in enumerate(parts)))

    @property
    def fields(self) -> tuple[str, ...]:
        return self.pieces[1::2]

    def filled(self, values: Mapping[str, str]) -> str:
        """A field without a value is left empty."""
        return "".join(
            values.get(piece, "") if place % 2 else piece for place, piece in enumerate(self.pieces)
        )


@dataclass(frozen=True)
class Passage:
    """A text of the message."""

    words: Template
    needs: str = ""
    """Left out where the subject lacks this text."""
    is_joined: bool = False
    """Continues the passage before it instead of being a part of its own."""


@dataclass(frozen=True)
class CategoryPassage(Passage):
    """A passage for cases of one category alone."""

    category: str = ""


@dataclass(frozen=True)
class Exhibit:
    """The pictures of one role, such as source or result, each after its caption if there is one."""

    role: str
    caption: Template | None = None


MessagePart = Passage | Exhibit


@dataclass(frozen=True)
class Message:
    """A whole question; nothing is added to it."""

    parts: tuple[MessagePart, ...]
    system: str = ""
    parts_for_several: tuple[MessagePart, ...] = ()
    """In place of the parts where there is more than one source picture."""

    def laid_out(
        self, texts: Mapping[str, str], roles: Sequence[str], *, several: bool
    ) -> Iterator[str | int]:
        """Texts, and places in `roles`, which are those of the pictures at hand, in the message's order."""
        pending: str | None = None
        for part in (several and self.parts_for_several) or self.parts:
            if isinstance(part, Passage):
                if part.needs and not texts.get(part.needs):
                    continue
                if isinstance(part, CategoryPassage) and part.category != texts.get(CATEGORY):
                    continue
                words = part.words.filled(texts)
                if part.is_joined and pending is not None:
                    pending += words
                    continue
                if pending is not None:
                    yield pending
                pending = words
                continue
            if pending is not None:
                yield pending
                pending = None
            yield from _exhibited(part, roles)
        if pending is not None:
            yield pending


@dataclass(frozen=True)
class GradedLinesMessage(Message):
    """A question whose reply has a line such as `Name: 4` for each grade, in the order of the rubric."""


def _exhibited(part: Exhibit, roles: Sequence[str]) -> Iterator[str | int]:
    places = [place for place, role in enumerate(roles) if role == part.role]
    for number, place in enumerate(places, start=1):
        if part.caption is not None:
            yield part.caption.filled({NUMBER: str(number)})
        yield place
