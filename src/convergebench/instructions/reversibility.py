"""Whether an edit can be undone: what it adds, destroys or invents, derived from its words.

An edit is classified as a forward edit: if it is carried out and then undone by words alone, does the same
picture come back? The rules are data, searched in order; the first match decides, and is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from convergebench.instructions._reversibility_rules import RULES, Rule
from convergebench.types import Reversibility

__all__ = ["RULES", "UNKNOWN", "Classed", "Rule", "classify", "plain"]


@dataclass(frozen=True)
class Classed:
    """The class of an instruction, and the rule that decided."""

    reversibility: Reversibility | None
    """None if unknown."""
    rule: str
    """The name of the rule or of the language model, or empty."""
    because: str


UNKNOWN = Classed(None, "", "no rule knows these words")


def classify(instruction: str) -> Classed:
    """The class of an instruction in English by the first matching rule.

    >>> classify("Add a red scarf to the dog.").reversibility
    'reversible'
    >>> classify("Turn the photo into an oil painting.").rule
    'style'
    """
    text = plain(instruction).lower()
    for rule in RULES:
        if rule.pattern.search(text):
            return Classed(rule.reversibility, rule.name, rule.because)
    return UNKNOWN


_POLITE = re.compile(
    r"^(?:please|kindly|now|then|can you|could you|i want you to|let us|let's)\s+", re.IGNORECASE
)


def plain(instruction: str) -> str:
    """On one line, without the full stop and polite phrases."""
    text = " ".join(instruction.split()).strip(" .!?")
    while (shorter := _POLITE.sub("", text)) != text:
        text = shorter
    return text
