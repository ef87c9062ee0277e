"""Inverses for edits that were written without one, from the built-in pairs and templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convergebench.errors import WrongUse
from convergebench.instructions.inverse import invert
from convergebench.instructions.reversibility import classify, plain
from convergebench.shown_text import counted
from convergebench.suites import PAIRS
from convergebench.suites.own_edits import OWN
from convergebench.types import Case

_UNKNOWN = "ambiguous"
"""The class of an edit whose words no rule knows and whose inverse nobody wrote."""


def known_inverse(instruction: str) -> tuple[str | None, str]:
    """The instruction that undoes this one, and where it comes from; None if unknown.

    >>> known_inverse("Add a red scarf to the dog.")
    ('Remove the red scarf from the dog.', 'a template')
    """
    for pair in PAIRS:
        for one, other in ((pair.forward, pair.backward), (pair.backward, pair.forward)):
            if plain(one).lower() == plain(instruction).lower():
                return other, f"the pair {pair.id}"
    text = invert(instruction)
    return text, "a template" if text else ""


def with_inverses(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases, with the inverse and the class of reversibility of users' own edits filled in."""
    return tuple(_filled(case) if OWN in case.hints else case for case in cases)


def check_inverses(cases: Sequence[Case]) -> None:
    """WrongUse if a user's own edit has no inverse."""
    unknown = list(dict.fromkeys(case.forward for case in cases if OWN in case.hints and not case.backward))
    if unknown:
        listed = "; ".join(unknown[:3]) + ("; …" if len(unknown) > 3 else "")
        raise WrongUse(
            f"no inverse is known for {counted(len(unknown), 'edit')} ({listed}); write it under backward, "
            "or find one with: convergebench pairs invert INSTRUCTION --judge PROVIDER:MODEL"
        )


def filled_inverses(cases: Sequence[Case]) -> dict[tuple[str, str], str]:
    """Forward and backward instructions of which the second was filled in, with its origin."""
    return {
        (case.forward, case.backward): case.hints[OWN]
        for case in cases
        if case.backward and case.hints.get(OWN, "written") != "written"
    }


def _filled(case: Case) -> Case:
    backward, by = (case.backward, "written") if case.backward else known_inverse(case.forward)
    found = classify(case.forward).reversibility or ("reversible" if by == "written" else _UNKNOWN)
    return replace(case, backward=backward, hints={"reversibility": found, **case.hints, OWN: by})
