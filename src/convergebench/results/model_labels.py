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


def imported_labels(names: Mapping[str, str], taken: Iterable[str]) -> dict[str, str]:
    """A label for each model of imported tables, which have no fingerprints: its name, unless another model
    has it. `names` are those in the tables with those to show; a table's own name comes before a given one.

    >>> imported_labels({"qwen": "qwen", "flux": "flux"}, taken=["flux"])
    {'qwen': 'qwen', 'flux': 'flux (imported)'}
    >>> imported_labels({"old": "flux", "flux": "flux"}, taken=[])
    {'old': 'flux (imported)', 'flux': 'flux'}
    """
    used = set(taken)
    labels: dict[str, str] = {}
    by_origin = sorted(names, key=lambda model: names[model] != model)
    for model in by_origin:
        if names[model] not in used:
            labels[model] = names[model]
            used.add(names[model])
    for model in by_origin:
        label = names[model]
        while model not in labels and label in used:
            label = f"{label} (imported)"
        used.add(labels.setdefault(model, label))
    return {model: labels[model] for model in names}


def without_address(name: str) -> str:
    """The name of a model or judge without the settings that say where its server is.

    >>> without_address("server:looker?base_url=http://127.0.0.1:8000/v1&top_p=0.5")
    'server:looker?top_p=0.5'
    """
    base, _, query = name.partition("?")
    kept = [part for part in query.split("&") if part and not _is_address(part)]
    return f"{base}?{'&'.join(kept)}" if kept else base


def _is_address(setting: str) -> bool:
    key, _, value = setting.partition("=")
    return key == "base_url" or "://" in value
