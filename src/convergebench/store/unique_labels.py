"""What editors are called in tables: by name, and by fingerprint too where two share a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from convergebench.types import Digest


def unique_labels(names: Mapping[Digest, str]) -> dict[Digest, str]:
    """A label for each fingerprint; two share a name after an upgrade, for example.

    >>> unique_labels({"1a2b3c4d": "jpeg", "5e6f7a8b": "jpeg", "9c0d1e2f": "noise"})
    {'1a2b3c4d': 'jpeg@1a2b3c', '5e6f7a8b': 'jpeg@5e6f7a', '9c0d1e2f': 'noise'}
    """
    shared = Counter(names.values())
    return {
        fingerprint: name if shared[name] == 1 else f"{name}@{fingerprint[:6]}"
        for fingerprint, name in names.items()
    }
