"""Model labels: one for each model, in every table, file, page and paper of a workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from convergebench.types import Digest

_DIGITS = range(6, 17)


def unique_labels(names: Mapping[Digest, str]) -> dict[Digest, str]:
    """A label for each fingerprint: the name, followed by the fingerprint if several models share the name,
    such as one editor with different parameters or versions.

    >>> unique_labels({"1a2b3c4d": "jpeg", "5e6f7a8b": "jpeg", "9c0d1e2f": "noise"})
    {'1a2b3c4d': 'jpeg@1a2b3c', '5e6f7a8b': 'jpeg@5e6f7a', '9c0d1e2f': 'noise'}
    """
    shared = Counter(names.values())
    labels: dict[Digest, str] = {}
    for digits in _DIGITS:
        labels = {
            fingerprint: name if shared[name] == 1 else f"{name}@{fingerprint[:digits]}"
            for fingerprint, name in names.items()
        }
        if len(set(labels.values())) == len(labels):
            break
    return labels


def imported_labels(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """A label for each model of imported tables, which have no fingerprints: its name, unless that is taken.

    >>> imported_labels(["qwen", "flux"], taken=["flux"])
    {'qwen': 'qwen', 'flux': 'flux (imported)'}
    """
    imported, used = list(dict.fromkeys(names)), set(taken)
    labels = {name: name for name in imported if name not in used}
    used |= set(labels)
    for name in imported:
        label = name
        while name not in labels and label in used:
            label = f"{label} (imported)"
        used.add(labels.setdefault(name, label))
    return {name: labels[name] for name in imported}
