from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from convergebench.results.model_labels import imported_labels, unique_labels

NAMES = st.sampled_from(["jpeg", "noise", "jpeg@aaaaaa", "jpeg (imported)"])
FINGERPRINTS = st.text(alphabet="abc", min_size=16, max_size=16)


@given(st.dictionaries(FINGERPRINTS, NAMES))
def test_no_two_editors_share_a_label_and_every_label_begins_with_the_name(names: dict[str, str]) -> None:
    labels = unique_labels(names)
    assert len(set(labels.values())) == len(names)
    assert all(labels[one].startswith(name) for one, name in names.items())


def test_fingerprints_are_written_longer_where_their_beginnings_are_the_same() -> None:
    labels = unique_labels({"aaaaaa11": "jpeg", "aaaaaa22": "jpeg"})
    assert list(labels.values()) == ["jpeg@aaaaaa1", "jpeg@aaaaaa2"]


@given(st.dictionaries(NAMES, NAMES), st.sets(NAMES))
def test_no_imported_model_has_the_label_of_another_model(names: dict[str, str], taken: set[str]) -> None:
    labels = imported_labels(names, taken)
    assert list(labels) == list(names)
    assert all(labels[model].startswith(name) for model, name in names.items())
    assert len(set(labels.values())) == len(names)
    assert not set(labels.values()) & taken
