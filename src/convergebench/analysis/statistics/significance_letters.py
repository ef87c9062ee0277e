"""Groups of models that cannot be distinguished, as letters: two models that share a letter do not differ."""

from __future__ import annotations

import itertools
import string
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.paired_difference import Values, sign_flip_p_value
from convergebench.analysis.round_trip.preserved_scale import shortfall
from convergebench.analysis.statistics.clustered_mean import clustered_standard_error
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile
from convergebench.types import MetricFacts


def significance_letters(values: Mapping[str, Values], facts: MetricFacts) -> dict[str, str]:
    """The letters of each model, given best first; `a` is the group of the best model.

    Each pair is compared on its shared cases by Student's t over source pictures, with Bonferroni's
    correction for the number of pairs, and must differ by the test of `paired_difference`, too: models that
    this calls alike would otherwise have different letters where there are few pictures.
    """
    pairs = list(itertools.combinations(values, 2))
    losses = {
        model: {key: shortfall(value, facts) for key, (_, value) in found.items()}
        for model, found in values.items()
    }
    different = set()
    for one, other in pairs:
        shared = [key for key in values[one] if key in values[other]]
        differences = np.array([losses[one][key] - losses[other][key] for key in shared])
        if _is_different(differences, [values[one][key][0] for key in shared], len(pairs)):
            different.add(frozenset((one, other)))
    return letters(list(values), different)


def letters(models: Sequence[str], different: Collection[frozenset[str]]) -> dict[str, str]:
    """The compact letter display: a letter for every largest group in which no two models differ.

    >>> letters("ABC", {frozenset("AC")})
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    columns: list[set[str]] = [set(models)]
    for pair in different:
        one, other = pair
        split = [column for column in columns if pair <= column]
        columns = [column for column in columns if column not in split]
        for column in (part for whole in split for part in (whole - {one}, whole - {other})):
            if not any(column <= kept for kept in columns):
                columns = [kept for kept in columns if not kept <= column] + [column]
    place = {model: number for number, model in enumerate(models)}
    columns.sort(key=lambda column: sorted(place[model] for model in column))
    return {
        model: "".join(_letter(number) for number, column in enumerate(columns) if model in column)
        for model in models
    }


def _is_different(differences: NDArray[np.float64], pictures: Sequence[str], comparisons: int) -> bool:
    clusters = len(set(pictures))
    error = clustered_standard_error(differences, pictures) if clusters > 1 else None
    if error is None:
        return False
    tail = (1 - CONFIDENCE) / comparisons / 2
    if abs(differences.mean()) <= error * student_quantile(1 - tail, clusters - 1):
        return False
    return sign_flip_p_value(differences, list(pictures)) < 1 - CONFIDENCE


def _letter(number: int) -> str:
    alphabet = string.ascii_letters
    return alphabet[number] if number < len(alphabet) else f"({number + 1})"
