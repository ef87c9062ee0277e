"""What docs/reliability.md promises, under hostile providers and judges, kills and damage: nothing paid for
is lost or bought twice, no key is left anywhere, and every error is a sentence.

The number of faults is CONVERGEBENCH_FAULTS: a few here, hundreds in `make faults`.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.engine.shared_limits import QUESTIONS_AT_ONCE
from convergebench.store import Workspace
from faults.commands import (
    ASKING,
    AT_ONCE,
    EDITING,
    ROUNDS,
    check_words,
    local_run,
    prepare,
    run_words,
    session_words,
)
from faults.damage import KINDS, damaged_pictures
from faults.hostile_judge import HostileJudge, digest
from faults.hostile_provider import HostileImagesServer
from faults.kills import LIMIT_SECONDS, Ended, in_process, killed_at, moments
from servers.asking import RESULT
from servers.base import KEY

FAULTS = int(os.environ.get("CONVERGEBENCH_FAULTS", "2"))
SEED = int(os.environ.get("CONVERGEBENCH_FAULTS_SEED", "5"))
SEEDS = range(SEED, SEED + max(1, FAULTS // 10))
"""A hostile schedule for each ten faults: one ends when all is done in spite of it."""
ENV = {"SERVER_API_KEY": KEY, "HF_HUB_OFFLINE": "1"}
PATIENCE = 4
"""Runs that a hostile provider may cost beside the faults."""
SHARE = 0.1 if FAULTS < 10 else 0.4
"""Of hostile answers: each is tried again after a while, and the usual tests have no time for many."""
READING = (["summary"], ["worst"], ["grid"], ["workspace", "list"], ["report"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {**ENV, "CONVERGEBENCH_CACHE": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)
    prepare(tmp_path)
    return tmp_path


def all_stored_seeds(workspace: Path) -> list[int]:
    """Of all edits that have a picture."""
    with Workspace.existing(workspace) as store:
        return [row[0] for row in store.query("SELECT seed FROM steps WHERE picture IS NOT NULL")]


def newest_generation(workspace: Path) -> list[int]:
    """The seeds of what was edited since the last --fresh: readers go on to show the generation before it
    where a trajectory has nothing of it yet."""
    sql = """
        SELECT s.seed FROM steps s JOIN trajectories t ON t.id = s.trajectory
        WHERE s.picture IS NOT NULL AND t.generation = (
            SELECT max(n.generation) FROM trajectories n
            WHERE (n.protocol, n.editor, n.case_fingerprint, n.seed)
                = (t.protocol, t.editor, t.case_fingerprint, t.seed))
    """
    with Workspace.existing(workspace) as store:
        return [row[0] for row in store.query(sql)]


def stored_seeds(workspace: Path) -> set[int]:
    """The same where nothing was edited with --fresh, which draws the same seeds again."""
    seeds = all_stored_seeds(workspace)
    assert len(seeds) == len(set(seeds)), "an edit is stored once"
    return set(seeds)


def stored_answers(workspace: Path) -> int:
    """The replies of judges and reasoners on record, good or bad."""
    if not (workspace / "convergebench.sqlite").is_file():
        return 0
    with Workspace.existing(workspace) as store:
        return int(store.query("SELECT count(*) FROM judge_attempts")[0][0])


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT_SECONDS
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)


def check_clean(ended: Ended, folder: Path) -> None:
    """No traceback, no control character, and the key in no file and no output."""
    for text in (ended.out, ended.err):
        assert "Traceback" not in text and "unexpected" not in text, text
        assert KEY not in text
        assert not any(letter in text for letter in "\x1b\x00\x07\u202e"), repr(text)
    for file in folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hostile_provider_costs_time_and_nothing_else(seed: int, folder: Path) -> None:
    with HostileImagesServer(RESULT.encoded, seed=seed, share_of_faults=SHARE) as server:
        for command, _ in reversed(EDITING.values()):
            for _ in range(PATIENCE + FAULTS):
                ended = in_process(command(server), folder)
                check_clean(ended, folder)
                if ended.code == 0:
                    break
        assert len(stored_seeds(folder / "results")) == server.served, "what was served is stored once"
        ended = in_process(check_words(), folder)
        check_clean(ended, folder)
        assert ended.code in (0, 1, 2, 3), ended.err
        assert len(all_stored_seeds(folder / "results")) == server.served
    for words in READING[: 2 + FAULTS // 2]:
        check_clean(in_process(words, folder), folder)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ASKING)
def test_a_hostile_judge_costs_time_and_nothing_else(name: str, seed: int, folder: Path) -> None:
    before, command = ASKING[name]
    if before is not None:
        assert in_process(before(), folder).code == 0
    with HostileJudge(seed=seed, share_of_faults=SHARE) as judge:
        for _ in range(PATIENCE + FAULTS):
            ended = in_process([*command(judge), "--retry-missing"], folder)
            check_clean(ended, folder)
            assert ended.code in (0, 1, 3), ended.err
            if ended.code == 0:
                break
        assert len(judge.answered) == len(set(judge.answered)), "what was answered is not asked again"
        assert judge.answered


def test_kills_lose_only_what_was_in_flight_and_repeat_nothing_that_is_stored(folder: Path) -> None:
    with HostileImagesServer(RESULT.encoded, share_of_faults=0.0) as server:
        moment, kept, asked = moments(SEED, 3), set[int](), 0
        for _, (command, _) in zip(range(FAULTS), itertools.cycle(EDITING.values()), strict=False):
            until = server.requests + next(moment)
            ended = killed_at(command(server), folder, ENV, lambda until=until: server.requests >= until)
            check_clean(ended, folder)
            assert not kept & set(server.seeds[asked:]), "nothing that was stored is asked for again"
            asked = len(server.seeds)
            kept = stored_seeds(folder / "results") if server.requests else set()
            # While an edit is written to the disk, the next one of its trajectory is asked for.
            assert len(set(server.seeds) - kept) <= 2 * AT_ONCE * len(EDITING)
        for command, _ in EDITING.values():
            assert in_process(command(server), folder).code == 0
        assert not kept & set(server.seeds[asked:])
        assert stored_seeds(folder / "results") == set(server.seeds)
        assert len(set(server.seeds)) == sum(edits for _, edits in EDITING.values())
        served = server.requests
        for command, _ in EDITING.values():
            assert in_process(command(server), folder).code == 0
        assert server.requests == served, "a finished run asks for nothing"


def test_a_killed_check_keeps_what_was_edited_anew(folder: Path) -> None:
    edits, kills = EDITING["run"][1], max(1, FAULTS // 10)
    with HostileImagesServer(RESULT.encoded, share_of_faults=0.0) as server:
        assert in_process(run_words(server), folder).code == 0
        for moment in itertools.islice(moments(SEED, edits), kills):
            until = server.requests + moment
            ended = killed_at(check_words(), folder, ENV, lambda until=until: server.requests >= until)
            check_clean(ended, folder)
        at_risk = server.requests - len(all_stored_seeds(folder / "results"))
        assert at_risk <= 2 * AT_ONCE * kills
        begun = len(newest_generation(folder / "results"))
        before = len(server.seeds)
        ended = in_process(run_words(server), folder)
        assert ended.code == 0, ended.err
        asked = server.seeds[before:]
        assert len(set(asked)) == edits - begun, "a run without --fresh goes on with it"
        late = len(asked) - len(set(asked))
        assert late <= AT_ONCE, "nothing but what the killed one had sent is asked for twice"
        assert len(newest_generation(folder / "results")) == edits
        # Of several killed in a row, the one before the last may have no return to compare with.
        assert in_process(["check", "--baseline", "previous"], folder).code in (
            (0,) if kills == 1 else (0, 2)
        )


def test_a_damaged_baseline_is_one_sentence(folder: Path) -> None:
    draw = random.Random(SEED)
    assert in_process(local_run(), folder).code == 0
    assert in_process(["export", "-o", "exported"], folder).code == 0
    for _ in range(FAULTS):
        shutil.copytree(folder / "results", folder / "old" / "results")
        shutil.copytree(folder / "exported", folder / "old" / "exported")
        file = draw.choice(["results/convergebench.sqlite", "exported/measurements.csv"])
        draw.choice(KINDS)(folder / "old" / file, draw)
        ended = in_process(["check", "-m", "noise", "--baseline", (Path("old") / file).parent], folder)
        check_clean(ended, folder)
        assert ended.code in (0, 1, 2, 4), (file, ended.err)
        shutil.rmtree(folder / "old")


def test_a_killed_judge_or_refinement_repeats_only_what_was_in_flight(folder: Path) -> None:
    assert in_process(local_run(), folder).code == 0
    names = itertools.cycle([name for name in ASKING if name != "turns"])
    with HostileJudge(share_of_faults=0.0) as judge:
        moment, at_risk = moments(SEED, 3), 0
        for _, name in zip(range(FAULTS), names, strict=False):
            words, until = ASKING[name][1](judge), len(judge.asked) + next(moment)
            ended = killed_at(words, folder, ENV, lambda until=until: len(judge.asked) >= until)
            check_clean(ended, folder)
            wait_until(lambda: not judge.connections)  # what was sent before the kill is read
            unstored = len(judge.asked) - at_risk - stored_answers(folder / "results")
            # Of each worker one answer is being written and one is under way; a refinement has its looks, and
            # a judge with the usual number of questions at once.
            workers = AT_ONCE + (QUESTIONS_AT_ONCE if name == "refine" else 0)
            assert 0 <= unstored <= 2 * workers
            at_risk += unstored
        for name in ("judge", "score", "refine"):
            ended = in_process(ASKING[name][1](judge), folder)
            assert ended.code == 0, ended.err
        digests = [digest(asked) for asked in judge.asked]
        assert len(digests) - len(set(digests)) <= at_risk, "an answer that is on the disk is not asked for"


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_pictures_cost_their_cases_and_nothing_else(seed: int, folder: Path) -> None:
    draw, at_once, commands = random.Random(seed), min(max(1, FAULTS // 2), 10), 2 if FAULTS < 10 else 4
    with HostileImagesServer(RESULT.encoded, share_of_faults=0.0) as server, HostileJudge(0, 0.0) as judge:
        grown = run_words(server, "--rounds", ROUNDS + 1)
        sessions = session_words(server)
        asking = (ASKING[name][1](judge) for name in ("judge", "score", "refine"))
        every = [*READING, grown, sessions, ["turns"], *asking]
        for words in (sessions, run_words(server), every[-1], every[-2]):
            assert in_process(words, folder).code == 0
        for file in itertools.islice(damaged_pictures(folder / "results", seed), at_once):
            for words in [*draw.sample(every, commands), ["workspace", "repair"]]:
                ended = in_process(words, folder)
                check_clean(ended, folder)
                assert ended.code in (0, 1, 2, 3), (words, file.name, ended.err)
        assert in_process(["workspace", "repair", "--apply", "--yes"], folder).code == 0
        for words in (sessions, run_words(server), grown, every[-1], every[-2], every[-3]):
            ended = in_process(words, folder)
            assert ended.code == 0, (words, ended.err)
        assert in_process(["workspace", "repair"], folder).code == 0, "all that was lost is there again"
