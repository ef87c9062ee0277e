"""What docs/reliability.md promises, under a hostile provider, kills and damage: nothing paid for is lost or
bought twice, no key is left anywhere, and every error is a sentence.

The number of faults is CONVERGEBENCH_FAULTS: a few here, hundreds in `make faults`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from convergebench.picture import Picture
from convergebench.store import Workspace
from faults.damage import damaged_pictures
from faults.hostile_provider import HostileImagesServer
from faults.kills import Ended, finished, killed_at, moments
from made_pictures import textured
from servers.asking import RESULT
from servers.base import KEY

FAULTS = int(os.environ.get("CONVERGEBENCH_FAULTS", "2"))
CASES, ROUNDS, AT_ONCE = 2, 2, 2
ENV = {"SERVER_API_KEY": KEY, "HF_HUB_OFFLINE": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "photos").mkdir()
    for number in range(CASES):
        picture = Picture.from_pixels(textured(seed=number))
        (tmp_path / "photos" / f"{number}.png").write_bytes(picture.encoded)
    return tmp_path


def run_words(server: HostileImagesServer, *more: object) -> list[object]:
    model = f"server:any?base_url={server.url}/v1"
    return ["run", "-m", model, "--images", "photos", "--limit", CASES, "--rounds", ROUNDS,
            "--metric", "psnr", "--concurrency", AT_ONCE, *more]  # fmt: skip


def stored_edits(workspace: Path) -> list[tuple[int, int]]:
    with Workspace.existing(workspace) as store:
        rows = store.query("SELECT trajectory, position FROM steps WHERE picture IS NOT NULL")
        return [(row["trajectory"], row["position"]) for row in rows]


def check_clean(ended: Ended, folder: Path) -> None:
    """No traceback, no control character, and the key in no file and no output."""
    for text in (ended.out, ended.err):
        assert "Traceback" not in text, text
        assert KEY not in text
        assert not any(letter in text for letter in "\x1b\x00\x07\u202e"), repr(text)
    for file in folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_a_hostile_provider_costs_time_and_nothing_else(folder: Path) -> None:
    with HostileImagesServer(RESULT.encoded, seed=5, share_of_faults=0.4) as server:
        for _ in range(4 + FAULTS):
            ended = finished(run_words(server), folder, ENV)
            check_clean(ended, folder)
            if ended.code == 0:
                break
        edits = stored_edits(folder / "results")
        assert len(set(edits)) == len(edits) == server.served, "each picture that was served is stored once"


def test_kills_lose_only_what_was_in_flight_and_repeat_nothing_that_is_stored(folder: Path) -> None:
    with HostileImagesServer(RESULT.encoded, share_of_faults=0.0) as server:
        kills, moment = 0, moments(1, 3)
        for _ in range(FAULTS):
            before = server.requests + next(moment)
            ended = killed_at(run_words(server), folder, ENV, lambda before=before: server.requests >= before)
            kills += ended.killed
            check_clean(ended, folder)
        assert finished(run_words(server), folder, ENV).code == 0
        edits = stored_edits(folder / "results")
        assert len(edits) == len(set(edits)) == CASES * ROUNDS * 2
        # An edit goes on while the one before it is written: two of a trajectory can be at risk.
        assert server.requests <= len(edits) + kills * AT_ONCE * 2
        served = server.requests
        assert finished(run_words(server), folder, ENV).code == 0
        assert server.requests == served, "a finished run asks for nothing"


def test_damaged_pictures_cost_their_cases_and_nothing_else(folder: Path) -> None:
    with HostileImagesServer(RESULT.encoded, share_of_faults=0.0) as server:
        assert finished(run_words(server), folder, ENV).code == 0
        for _, file in zip(range(max(1, FAULTS // 2)), damaged_pictures(folder / "results", 7), strict=False):
            for words in (["report"], ["workspace", "repair"], run_words(server, "--rounds", ROUNDS + 1)):
                ended = finished(words, folder, ENV)
                check_clean(ended, folder)
                assert ended.code in (0, 3), (words, file.name, ended.err)
