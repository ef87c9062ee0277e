"""A study whose server is killed, attacked, and has lost pictures: no vote is lost or counted twice."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest

from convergebench.store import Workspace
from convergebench.votes.vote_store import read_votes
from faults.commands import local_run, prepare
from faults.damage import damaged_pictures
from faults.kills import in_process
from faults.vote_server import (
    HOSTILE_BYTES,
    PATHS_THAT_LEAD_OUT,
    VoteServer,
    answer_request,
    hostile_votes,
    vote_on,
)

pytest.importorskip("uvicorn", reason="pip install 'convergebench[view]'")

FAULTS = int(os.environ.get("CONVERGEBENCH_FAULTS", "2"))
SEED = int(os.environ.get("CONVERGEBENCH_FAULTS_SEED", "5"))
ENV = {"HF_HUB_OFFLINE": "1"}
MODELS = ("--model", "noise,jpeg")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    assert in_process(local_run("noise,jpeg"), tmp_path).code == 0
    return tmp_path


def stored(folder: Path) -> list[tuple[object, ...]]:
    with Workspace.existing(folder / "results") as workspace:
        return [(vote.rater, vote.kind, vote.pictures, vote.repeat) for vote in read_votes(workspace)]


def started(server: VoteServer, rater: str) -> dict[str, Any]:
    status, state = server.post("start", {"rater": rater, "consent": ""})
    assert status == 200, state
    found: dict[str, Any] = state
    return found


def test_a_killed_vote_server_has_every_vote_that_it_confirmed(folder: Path) -> None:
    draw, confirmed, in_flight = random.Random(SEED), 0, 0
    for number in range(max(1, FAULTS // 4)):
        rater = f"rater{number // 3}"
        with VoteServer(folder, *MODELS, env=ENV) as server:
            state = started(server, rater)
            for _ in range(draw.randint(1, 3)):
                if state["question"] is None:
                    break
                status, state = server.post("answer", vote_on(state["question"], rater))
                assert status == 200, state
                confirmed += 1
            if state["question"] is not None and draw.random() < 0.7:
                server.send(answer_request(vote_on(state["question"], rater))).close()
                in_flight += 1
            ended = server.stop(signal.SIGKILL)
            assert "Traceback" not in ended.err, ended.err
        votes = stored(folder)
        assert len(votes) == len(set(votes)), "no vote counts twice"
        assert confirmed <= len(votes) <= confirmed + in_flight


def test_hostile_requests_change_nothing_and_lost_pictures_are_left_out(folder: Path) -> None:
    (lost,) = itertools.islice(damaged_pictures(folder / "results", SEED), 1)
    with VoteServer(folder, *MODELS, "--votes", "9", env=ENV) as server:
        state = started(server, "ada")
        for hostile in hostile_votes(vote_on(state["question"], "ada")):
            assert server.post("answer", hostile)[0] == 400, hostile
            assert server.post("start", hostile)[0] in (200, 400)
        for path in PATHS_THAT_LEAD_OUT:
            assert server.get(path)[0] in (400, 404), path
        open_connections = [server.send(data) for data in HOSTILE_BYTES]
        assert stored(folder) == []
        while state["question"] is not None:
            for role, digest in state["question"]["pictures"]:
                assert digest != lost.stem
                status, picture = server.get(f"/pictures/{state['question']['files'][role]}")
                assert (status, hashlib.sha256(picture).hexdigest()) == (200, digest)
            status, state = server.post("answer", vote_on(state["question"], "ada"))
            assert status == 200, state
        for connection in open_connections:
            connection.close()
        ended = server.stop()
    assert len(stored(folder)) == state["done"] > 1
    assert "Traceback" not in ended.err and lost.stem in ended.err, ended.err


def test_a_study_to_send_leaves_lost_pictures_out(folder: Path) -> None:
    (lost,) = itertools.islice(damaged_pictures(folder / "results", SEED), 1)
    ended = in_process(["vote", *MODELS, "--export", "study"], folder)
    assert ended.code == 0, ended.err
    assert lost.stem in ended.err
    copied = {file.stem for file in (folder / "study" / "pictures").rglob("*.png")}
    assert copied and lost.stem not in copied
