"""Whether an edit can be undone: what it adds, destroys or invents, told from its words.

An edit is classed as a forward edit: if it is carried out and then undone by words alone, does the same
picture come back? The rules are data, looked through in order; the first that fits decides, and is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from convergebench.instructions._reversibility_rules import RULES, Rule
from convergebench.types import Reversibility

__all__ = ["RULES", "UNKNOWN", "Classed", "Rule", "classify", "plain"]


@dataclass(frozen=True)
class Classed:
    """What an instruction was found to be, and by what."""

    reversibility: Reversibility | None
    """None where nobody knows."""
    rule: str
    """The rule's name, a language model's, or nothing."""
    because: str


UNKNOWN = Classed(None, "", "no rule knows these words")


def classify(instruction: str) -> Classed:
    """The class of an instruction in English by the first rule that fits.

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
    """On one line, without the full stop and the courtesies."""
    text = " ".join(instruction.split()).strip(" .!?")
    while (shorter := _POLITE.sub("", text)) != text:
        text = shorter
    return text
