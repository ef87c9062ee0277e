"""A study as a folder of plain files, for raters elsewhere: it opens in any browser, without a server."""

from __future__ import annotations

import logging
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from convergebench.analysis.judged.next_comparison import PairTally, interval_width
from convergebench.analysis.votes.question_order import slot_of
from convergebench.analysis.votes.vote import QuestionKind, Vote
from convergebench.atomic_files import replacing
from convergebench.errors import LostPicture, WorkspaceError, WrongUse
from convergebench.report.page.data_script import script_of
from convergebench.report.page.filmstrips import picture_of
from convergebench.report.page.page_files import PARTS
from convergebench.report.page.static_site import PICTURES
from convergebench.store import Workspace
from convergebench.store.pictures import REPAIR
from convergebench.types import Digest, fingerprint_of
from convergebench.votes.ballot import VoteQuestion, pair_question, visibility_question
from convergebench.votes.question_pool import ChainQuestion, PairQuestion, QuestionPool
from convergebench.votes.study import StudyText, question_data
from convergebench.votes.vote_files import PAGE, vote_files

log = logging.getLogger("convergebench")

_ORDERS = 8
"""Different orders of kinds and control questions; a rater's pseudonym chooses one."""
_CATCH_TRIALS = 24


def write_offline_folder(
    workspace: Workspace, pool: QuestionPool, text: StudyText, votes: Sequence[Vote], folder: Path
) -> Path:
    """Write the page and everything that it needs. Nothing in the folder names a model."""
    if folder.exists() and any(folder.iterdir()):
        raise WrongUse(f"{folder} is not empty; choose a new folder")
    pairs, chains, facts = _copied(workspace, pool, votes, text.votes, folder)
    study = {"consent": text.consent, "mark": text.consent_mark, "live": False}
    _write(folder / PARTS / "data" / "study.js", script_of("study", study))
    _write(folder / PARTS / "data" / "ballot.js", script_of("ballot", _ballot(pairs, chains, text, facts)))
    for name, content in vote_files().items():
        _write(folder / PAGE if name == PAGE else folder / PARTS / name, content)
    return folder / PAGE


def _copied(
    workspace: Workspace, pool: QuestionPool, votes: Sequence[Vote], count: int, folder: Path
) -> tuple[list[PairQuestion], list[ChainQuestion], dict[Digest, dict[str, Any]]]:
    """The questions, with their pictures in the folder. Where a picture is lost, other questions take the
    place of those that need it."""
    facts: dict[Digest, dict[str, Any]] = {}
    while pool.kinds:
        pairs, chains = _pairs(pool, votes, count), _chains(pool, count)
        digests = {digest for one in pairs for digest in (one.source, *one.pictures)}
        digests |= {digest for one in chains for digest in (one.source, *one.returns)}
        lost = []
        for digest in sorted(digests - facts.keys()):
            try:
                picture = workspace.pictures.load(digest)
            except LostPicture as error:
                log.warning("left out of the study: %s", error)
                lost.append(digest)
                continue
            facts[digest] = picture_of(picture.facts)
            place = folder / PICTURES / facts[digest]["file"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(picture.encoded)
        if not lost:
            return pairs, chains, {digest: facts[digest] for digest in digests}
        pool = pool.without(lost)
    raise WorkspaceError(f"every question needs a picture that is lost; {REPAIR}")


def _ballot(
    pairs: Sequence[PairQuestion],
    chains: Sequence[ChainQuestion],
    text: StudyText,
    facts: Mapping[Digest, dict[str, Any]],
) -> dict[str, Any]:
    kinds: list[QuestionKind] = list(dict.fromkeys(one.kind for one in pairs))
    if chains:
        kinds.append("visibility")
    return {
        "id": fingerprint_of(sorted(facts), text.consent, text.votes),
        "kinds": kinds,
        "slots": [list(_slots(kinds, text.votes, f"order {n}")) for n in range(_ORDERS)],
        "pairs": [question_data(pair_question(one, *one.pictures), facts) for one in pairs],
        "catches": [question_data(one, facts) for one in _catch_trials(pairs, chains)],
        "chains": [
            {
                **question_data(visibility_question(one, one.source), facts),
                "returns": [[digest, facts[digest]["file"]] for digest in one.returns],
            }
            for one in chains
        ],
    }


def _pairs(pool: QuestionPool, votes: Sequence[Vote], count: int) -> list[PairQuestion]:
    """As many as a rater may need: pairs of models in turn, the least certain first, then the places with the
    fewest votes."""
    tallies: defaultdict[tuple[str, tuple[str, str]], PairTally] = defaultdict(PairTally)
    asked: Counter[object] = Counter()
    for said, question in pool.answered_pairs(votes):
        before = tallies[said.kind, question.models]
        value = said.value if said.first == question.models[0] else 1 - said.value
        tallies[said.kind, question.models] = PairTally(before.votes + 1, before.won + value)
        asked[question.key] += 1
    groups: defaultdict[tuple[str, tuple[str, str]], list[PairQuestion]] = defaultdict(list)
    chance = random.Random("offline")
    unique = list({one.key: one for one in pool.pairs}.values())
    chance.shuffle(unique)
    for one in sorted(unique, key=lambda one: asked[one.key]):
        groups[one.kind, one.models].append(one)
    ordered = sorted(groups, key=lambda group: -interval_width(tallies[group]))
    in_turn = [
        groups[group][n]
        for n in range(max(map(len, groups.values()), default=0))
        for group in ordered
        if n < len(groups[group])
    ]
    kinds = dict.fromkeys(one.kind for one in in_turn)
    return [one for kind in kinds for one in [pair for pair in in_turn if pair.kind == kind][:count]]


def _chains(pool: QuestionPool, count: int) -> list[ChainQuestion]:
    chains = list({one.key: one for one in pool.chains}.values())
    random.Random("chains").shuffle(chains)
    return chains[:count]


def _slots(kinds: Sequence[QuestionKind], count: int, order: str) -> Iterator[str]:
    chance = random.Random(order)
    for number in range(count):
        slot = slot_of(order, number)
        yield chance.choice(kinds) if slot == "new" else slot


def _catch_trials(pairs: Sequence[PairQuestion], chains: Sequence[ChainQuestion]) -> list[VoteQuestion]:
    chance = random.Random("catch trials")
    found = [visibility_question(one, one.source) for one in chains[:_CATCH_TRIALS]]
    for kind in dict.fromkeys(one.kind for one in pairs):
        mine = [one for one in pairs if one.kind == kind][:_CATCH_TRIALS]
        found += [pair_question(one, *[chance.choice(one.pictures)] * 2) for one in mine]
    return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
