"""Tables of a leaderboard: entries of one suite, protocol and number of rounds, on the cases they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench.analysis import Ranking, Results, headline_rankings
from convergebench.analysis.round_trip.common_cases import begun_chains, on_chains
from convergebench.leaderboard.entries import CheckedSubmission, Entry, newest_of
from convergebench.results import Records, load_results
from convergebench.store import Workspace, merging, removal
from convergebench.store.table_rows import change_fingerprints, forget_measurements, measured_pairs
from convergebench.store.visibility import set_model_name
from convergebench.types import SuiteId, fingerprint_of

_LEAST_SHARE = 0.5
"""An entry that would leave fewer of the largest entry's cases to compare the others on is kept apart."""
Chains = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class TableKey:
    """What two entries must have in common to be compared."""

    suite: SuiteId
    protocol: str
    rounds: int
    other_versions: tuple[tuple[str, str], ...] = ()
    """Metrics and their versions, where these are not the ones installed here."""


@dataclass(frozen=True)
class SharedRanking:
    """A ranking of entries on the cases that all of them have begun."""

    results: Results
    ranking: Ranking
    cases: int
    """Shared by all."""
    own_cases: Mapping[str, int]
    """By entry, before the restriction."""


@dataclass(frozen=True)
class BoardTable:
    key: TableKey
    entries: Mapping[str, Entry]
    """Every entry by name, the superseded ones too."""
    rankings: tuple[SharedRanking, ...]
    """The reversible edits, then the partially reversible ones."""
    kept_apart: Mapping[str, int]
    """Entries that share too few cases, with the number that would be left."""
    histories: Mapping[str, SharedRanking]
    """By model: all of its entries over time, if there are several."""


def board_tables(entries: Sequence[Entry], work: Path, pictures: Path) -> list[BoardTable]:
    """Those with the most entries first; tables with other versions of metrics last. Uses up the workspaces
    of the submissions."""
    groups: dict[TableKey, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(_key(entry.submission), []).append(entry)
    ordered = sorted(groups.items(), key=lambda one: (one[0].other_versions, -len(one[1]), one[0].suite))
    return [
        _table(key, members, work / f"table-{number}", pictures)
        for number, (key, members) in enumerate(ordered)
    ]


def _key(submission: CheckedSubmission) -> TableKey:
    manifest, verification = submission.manifest, submission.verification
    other = () if verification.is_measured else tuple(sorted(verification.other_versions.items()))
    return TableKey(manifest.suite, manifest.protocol, manifest.rounds, other)


def _table(key: TableKey, entries: Sequence[Entry], folder: Path, pictures: Path) -> BoardTable:
    with Workspace.create(folder, str(pictures)) as merged:
        for submission in _verified_first(entries):
            own = [one for one in entries if one.submission is submission]
            _merge(merged, submission, own)
        results = load_results(merged, key.suite)
    current = newest_of(entries)
    rankings: list[SharedRanking] = []
    apart: dict[str, int] = {}
    for part in (results, results.partial):
        if part is None or not part.metrics:
            continue
        ranking, too_few = _shared_ranking(part, current)
        rankings += [ranking] if ranking else []
        apart |= too_few if part is results else {}
    return BoardTable(
        key, {one.name: one for one in entries}, tuple(rankings), apart, _histories(results, entries)
    )


def _verified_first(entries: Iterable[Entry]) -> list[CheckedSubmission]:
    """What was measured here takes precedence over what was submitted of the same pictures."""
    every = {one.submission.digest: one.submission for one in entries}
    return sorted(every.values(), key=lambda one: (not one.verification.is_measured, one.digest))


def _merge(merged: Workspace, submission: CheckedSubmission, entries: Sequence[Entry]) -> None:
    """Every entry is a model of its own, also if others submitted the same one."""
    own = {one.fingerprint: fingerprint_of(submission.digest, one.fingerprint) for one in entries}
    with Workspace.create(submission.folder) as workspace:
        others = [one for one in Records.of(workspace).editors if one not in own]
        if others:
            removal.remove_models(workspace, others)
        change_fingerprints(workspace, own)
        for one in entries:
            set_model_name(workspace, own[one.fingerprint], one.name)
        forget_measurements(workspace, measured_pairs(merged))
        merging.merge(merged, workspace)


def _shared_ranking(
    results: Results, entries: Sequence[Entry]
) -> tuple[SharedRanking | None, dict[str, int]]:
    """The ranking, and the entries that it leaves out with the number of cases they would share."""
    begun = begun_chains(results)
    chosen = [one for one in entries if begun.get(one.name)]
    kept, shared, apart = _largest_first(chosen, begun)
    if not kept:
        return None, apart
    restricted = on_chains(results, kept, shared)
    ((ranked_results, ranking), *_) = headline_rankings(restricted)
    own = {name: _cases(begun[name]) for name in kept}
    return SharedRanking(ranked_results, ranking, _cases(shared), own), apart


def _largest_first(
    entries: Sequence[Entry], begun: Mapping[str, Chains]
) -> tuple[list[str], Chains, dict[str, int]]:
    """The entries that can be compared, the chains they share, and the others with what they would share.

    One submission of a few cases must not reduce the comparison of all the others to these.
    """
    ordered = sorted(
        entries,
        key=lambda one: (not one.submission.verification.is_measured, -len(begun[one.name]), one.date),
    )
    kept: list[str] = []
    apart: dict[str, int] = {}
    shared: Chains = frozenset()
    least = _LEAST_SHARE * len(begun[ordered[0].name]) if ordered else 0
    for one in ordered:
        left = shared & begun[one.name] if kept else begun[one.name]
        if len(left) < least:
            apart[one.name] = _cases(left)
        else:
            kept.append(one.name)
            shared = left
    return kept, shared, apart


def _histories(results: Results, entries: Sequence[Entry]) -> dict[str, SharedRanking]:
    by_model: dict[str, list[Entry]] = {}
    for one in entries:
        by_model.setdefault(one.model, []).append(one)
    found = {
        model: _shared_ranking(results, members)[0]
        for model, members in sorted(by_model.items())
        if len(members) > 1
    }
    return {model: ranking for model, ranking in found.items() if ranking is not None}


def _cases(chains: Iterable[tuple[str, int]]) -> int:
    return len({case for case, _ in chains})
