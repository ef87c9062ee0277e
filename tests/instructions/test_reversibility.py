from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.instructions.reversibility import RULES, classify, plain
from convergebench.suites import PAIRS
from convergebench.types import Reversibility
from labelled_instructions import EVERYDAY, FRESH, HELD_OUT, LABELLED

DOCS = Path(__file__).parents[2] / "docs" / "suites.md"


def precision_and_recall(
    rows: Sequence[tuple[str, Reversibility]], of: Reversibility
) -> tuple[float | None, float]:
    """The share of those classed so that are so, and of those that are so that were classed so."""
    told = [(classify(text).reversibility, label) for text, label in rows]
    claimed = [label == of for found, label in told if found == of]
    there = [found == of for found, label in told if label == of]
    return (sum(claimed) / len(claimed) if claimed else None), sum(there) / len(there)


def test_there_are_a_hundred_labels_and_twenty_of_each_class_at_least() -> None:
    assert len({text for text, _ in LABELLED}) == 100
    assert len({text for text, _ in FRESH} - {text for text, _ in LABELLED}) == 20
    for name in get_args(Reversibility):
        assert sum(label == name for _, label in LABELLED) >= 18


@pytest.mark.parametrize("name", get_args(Reversibility))
def test_the_rules_find_each_class_and_are_seldom_wrong_about_it(name: Reversibility) -> None:
    precision, recall = precision_and_recall(LABELLED, name)
    print(f"{name}: precision {precision:.2f}, recall {recall:.2f} of the labelled")
    assert precision is not None
    assert precision >= 0.95
    assert recall >= 0.95


def test_every_instruction_is_labelled_once() -> None:
    texts = [text for text, _ in (*LABELLED, *FRESH, *EVERYDAY, *HELD_OUT)]
    assert len(set(texts)) == len(texts)
    assert (len(EVERYDAY), len(HELD_OUT)) == (60, 40)


@pytest.mark.parametrize("rows", [FRESH, EVERYDAY], ids=["fresh", "everyday"])
def test_the_rules_know_nearly_all_that_they_were_widened_for(
    rows: Sequence[tuple[str, Reversibility]],
) -> None:
    assert sum(classify(text).reversibility == label for text, label in rows) / len(rows) >= 0.95


def test_of_instructions_that_no_rule_was_made_for_half_are_known_and_few_of_these_wrong() -> None:
    told = [(classify(text).reversibility, label) for text, label in HELD_OUT]
    known = [found == label for found, label in told if found is not None]
    print(f"held out: {sum(known)} of {len(known)} known ones right, {len(told) - len(known)} unknown")
    assert sum(known) / len(known) >= 0.8
    assert len(known) / len(told) >= 0.5


def test_the_docs_say_how_the_rules_do_on_what_they_never_saw() -> None:
    told = [(classify(text).reversibility, label) for text, label in HELD_OUT]
    known = [found == label for found, label in told if found is not None]
    assert f"they know {len(known)} and class {sum(known)} of these right" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_rules_agree_with_what_the_built_in_pairs_say_of_themselves(pair: object) -> None:
    assert classify(pair.forward).reversibility == pair.reversibility  # type: ignore[attr-defined]


def test_every_rule_decides_some_labelled_instruction_and_says_why() -> None:
    deciding = {classify(text).rule for text, _ in (*LABELLED, *FRESH, *EVERYDAY)} | {
        classify("Change nothing.").rule,
        classify("Rotate the picture by 7 degrees.").rule,
    }
    assert deciding - {""} == {rule.name for rule in RULES}
    assert all(rule.because for rule in RULES)


def test_words_that_nobody_knows_are_unknown_and_not_guessed() -> None:
    found = classify("Quux the frobnicator.")
    assert (found.reversibility, found.rule) == (None, "")


@given(st.sampled_from(LABELLED), st.sampled_from(["Please ", "Now ", "could you ", "  "]))
def test_courtesy_case_and_full_stops_change_nothing(row: tuple[str, Reversibility], before: str) -> None:
    text, _ = row
    assert classify(f"{before}{text.upper()} ") == classify(text)


@given(st.text(max_size=60))
def test_any_text_is_classed_or_unknown_without_an_error(text: str) -> None:
    assert classify(text).reversibility in (*get_args(Reversibility), None)
    assert plain(plain(text)) == plain(text)
