from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.picture import Picture
from convergebench.store import Workspace
from forked_python import ForkedPython
from made_pictures import textured

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


def steps(workspace: Path) -> list[tuple[Any, ...]]:
    with Workspace.existing(workspace) as store:
        return [
            tuple(row) for row in store.query("SELECT trajectory, position, picture FROM steps ORDER BY 1, 2")
        ]


def test_a_run_ends_with_the_ranking_and_0(cli: Cli, run: Words) -> None:
    ended = cli(*run(model="jpeg,identity"))
    assert ended.code == 0
    assert "round 2" in ended.out
    assert "SSIM @ R2" in ended.out
    assert "24 new edits" in ended.out
    assert ended.err == ""


def test_models_are_separated_by_commas_or_repeated(cli: Cli, run: Words) -> None:
    for words in (run(model="blur,tint"), run("--model", "tint", model="blur")):
        models = cli(*words, "--dry-run", "--json").json["models"]
        assert [model["model"] for model in models] == ["blur", "tint"]


def test_the_same_command_again_makes_no_edit(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    before = steps(tmp_path / "results")
    again = cli(*run("--json"))
    assert again.code == 0
    assert (again.json["run"]["edits"], again.json["run"]["replayed"]) == (0, 12)
    assert steps(tmp_path / "results") == before


def test_more_rounds_go_on_where_the_others_ended(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run(rounds=2))
    before = steps(tmp_path / "results")
    longer = cli(*run("--json", rounds=3)).json["run"]
    assert (longer["edits"], longer["replayed"]) == (6, 12)
    assert set(before) < set(steps(tmp_path / "results"))


def test_another_parameter_is_another_model(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    other = cli(*run("--json", model="jpeg?quality=40"))
    assert other.json["run"]["edits"] == 12
    assert {row["model"] for row in other.json["ranking"]["rows"]} == {"jpeg", "jpeg?quality=40"}


def test_fresh_edits_anew_and_keeps_the_old(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    assert cli(*run("--fresh", "--json")).json["run"]["edits"] == 12
    assert len(steps(tmp_path / "results")) == 24


def test_repeats_have_seeds_of_their_own(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run("--repeats", 2, "--seed", 7, model="noise"))
    with Workspace.existing(tmp_path / "results") as store:
        assert [row[0] for row in store.query("SELECT DISTINCT seed FROM trajectories ORDER BY 1")] == [7, 8]


def test_a_dry_run_says_what_is_done_and_to_do_and_touches_nothing(
    cli: Cli, run: Words, tmp_path: Path
) -> None:
    preview = cli(*run("--dry-run"))
    assert preview.code == 0
    assert "3 cases × 1 seed × 4 edits = 12 edits per model" in preview.out
    assert "jpeg: 0 done, 12 to do, free" in preview.out
    assert not (tmp_path / "results").exists()
    cli(*run())
    assert cli(*run("--dry-run")).out.endswith(
        "jpeg: 12 done, 0 to do\n"
    )  # not "free": a paid model has none
    planned = cli(*run("--dry-run", "--json", rounds=5)).json
    assert planned["rounds"] == 5
    assert (planned["models"][0]["done"], planned["models"][0]["to_do"]) == (12, 18)
    assert len(steps(tmp_path / "results")) == 12


def test_a_dry_run_of_a_fresh_start_counts_all_of_it(cli: Cli, run: Words) -> None:
    cli(*run())
    (planned,) = cli(*run("--dry-run", "--fresh", "--json")).json["models"]
    assert (planned["done"], planned["to_do"]) == (0, 12)


def test_json_is_all_there_is_on_standard_output(program: Cli, run: Words) -> None:
    ended = program(*run("--json"))
    assert ended.code == ended.json["exit_code"] == 0
    assert ended.err == ""
    assert ended.json["ranking"]["rows"][0]["model"] == "jpeg"
    assert ended.json["run"]["complete"] == ended.json["run"]["trajectories"] == 3


def test_a_refusal_ends_with_3_and_is_counted(cli: Cli, run: Words, pictures: Path) -> None:
    (pictures / "pictures.json").write_text(json.dumps({"anna.png": {"kind": "portrait"}}))
    words = run("--picture", "anna", "--category", "accessories", model="classical")
    ended = cli(*words)
    assert ended.code == 3
    assert "3 of 3 trajectories are not complete (3 refused)" in ended.err
    assert "the picture is smaller than 64 pixels" in ended.err
    assert cli(*words, "--json").json["exit_code"] == 3
    assert "1 of 1 trajectory is not complete (1 refused)" in cli(*words, "--limit", "1").err


def test_one_model_that_fails_does_not_keep_the_others_from_their_ranking(cli: Cli, run: Words) -> None:
    ended = cli(*run(model="jpeg,python:operator:truth"))
    assert ended.code == 3
    assert "1  jpeg" in ended.out
    assert "truth() takes exactly one argument" in " ".join(ended.out.split())
    assert "3 of 6 trajectories are not complete (3 crashed)" in ended.err
    assert "Rerun the command" in ended.err


BEGINNING = """
    import subprocess, sys
    from pathlib import Path

    def edit(image, instruction, seed):
        if not Path("other.out").exists():
            with open("other.out", "w") as out:
                subprocess.run([sys.executable, "-m", "convergebench", *WORDS], stdout=out, check=True)
        return image.point(lambda value: value // 2)
"""


@pytest.mark.parametrize(("suite", "protocol"), [("others", "round_trip"), ("pictures", "stay")])
def test_a_run_shows_its_own_ranking_though_another_begins_meanwhile(
    cli: Cli, run: Words, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, protocol: str
) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "hill.png").write_bytes(Picture.from_pixels(textured(seed=9)).encoded)
    meanwhile = ["run", "-m", "jpeg", "--suite", f"folder:{suite}", "--protocol", protocol, "--limit", "1",
                 "--rounds", "1", "--metric", "ssim", "-w", "results", "--json"]  # fmt: skip
    beginning = textwrap.dedent(BEGINNING).replace("WORDS", repr(meanwhile))
    (tmp_path / f"beginning_{protocol}.py").write_text(beginning)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    model = f"python:beginning_{protocol}:edit"
    ranking = cli(*run("--json", "--concurrency", 1, model=model)).json["ranking"]
    other = json.loads((tmp_path / "other.out").read_text())["ranking"]
    assert [row["model"] for row in other["rows"]] == ["jpeg"]
    assert [row["model"] for row in ranking["rows"]] == [model]
    assert ranking["rows"][0]["n"] == 3


def test_a_run_with_another_metric_than_ssim_is_ranked_by_it(cli: Cli, run: Words, tmp_path: Path) -> None:
    words = [word if word != "psnr,ssim" else "psnr" for word in run()]
    assert "PSNR @ R2" in cli(*words).out
    assert "PSNR @ R2" in cli("summary", "-w", tmp_path / "results").out


def test_what_a_run_would_cost_is_told_without_a_key(
    cli: Cli, run: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAL_KEY", raising=False)
    (planned,) = cli(*run("--dry-run", "--json", model="qwen")).json["models"]
    assert planned["cost_usd"] == pytest.approx(planned["to_do"] * 0.02)
    refused = cli(*run(model="qwen"))
    assert (refused.code, "no key: set FAL_KEY" in refused.err) == (2, True)


SLEEPY = """
    import asyncio, pathlib, signal
    from convergebench.editors import editor
    from convergebench.types import Edited

    HERE = pathlib.Path(__file__).parent

    def is_stopping():
        return signal.getsignal(signal.SIGINT) is signal.default_int_handler

    class Sleepy:
        def __init__(self, facts):
            self.facts = facts

        async def edit(self, request):
            with (HERE / "asleep").open("a") as asleep:
                asleep.write("z")
            while not (HERE / "awake").exists() and not is_stopping():
                await asyncio.sleep(0.01)
            (HERE / "stopping").touch()
            await asyncio.sleep(self.facts.parameters["seconds"])
            return Edited(request.image)

        async def close(self):
            pass

    editor("sleepy", summary="sleeps until the run stops", version="1", parameters={"seconds": 0.0})(Sleepy)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Where the model `sleepy` is installed, and says what it does."""
    site = tmp_path / "site"
    (site / "sleepy-1.dist-info").mkdir(parents=True)
    (site / "sleepy.py").write_text(textwrap.dedent(SLEEPY))
    (site / "sleepy-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: sleepy\nVersion: 1\n")
    (site / "sleepy-1.dist-info" / "entry_points.txt").write_text(
        "[convergebench.editors]\nsleepy = sleepy\n"
    )

    return site


def wait_for(is_so: Callable[[], bool], process: ForkedPython) -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def start(site: Path) -> Callable[..., ForkedPython]:
    """Starts a command that knows the model `sleepy`, and waits until it edits."""

    def started(words: list[object], edits: int = 1) -> ForkedPython:
        process = ForkedPython(
            ["-m", "convergebench", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(site)},
        )
        asleep = site / "asleep"
        wait_for(lambda: asleep.exists() and asleep.stat().st_size >= edits, process)
        return process

    return started


@pytest.mark.parametrize("number", [signal.SIGTERM])  # Ctrl-C: tests/engine/test_durability.py
def test_a_signal_keeps_what_is_in_flight_and_the_same_command_goes_on(
    start: Callable[..., ForkedPython], run: Words, tmp_path: Path, site: Path, number: signal.Signals
) -> None:
    words = run(model="sleepy", rounds=1)
    stopped = start(words, edits=3)
    stopped.send_signal(number)
    _, err = stopped.communicate(timeout=120)
    assert stopped.returncode == 130
    assert "Traceback" not in err
    assert "3 of 3 trajectories are not complete; all finished edits are in" in err
    assert "Rerun the command to continue" in err
    kept = steps(tmp_path / "results")
    assert len(kept) == 3
    (site / "awake").touch()
    out, _ = start([*words, "--json"]).communicate(timeout=120)
    assert json.loads(out)["exit_code"] == 0
    assert json.loads(out)["run"]["replayed"] == 3
    assert set(kept) < set(steps(tmp_path / "results"))


def test_a_fresh_start_that_is_stopped_goes_on_without_fresh(
    start: Callable[..., ForkedPython], run: Words
) -> None:
    stopped = start(run("--fresh", model="sleepy", rounds=1), edits=3)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=120)
    assert "Rerun the command, without --fresh, to continue" in err


def test_a_second_ctrl_c_ends_at_once_without_a_traceback(
    start: Callable[..., ForkedPython], run: Words, site: Path
) -> None:
    stopped = start(run(model="sleepy?seconds=3600"))
    stopped.send_signal(signal.SIGINT)
    wait_for((site / "stopping").exists, stopped)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=120)
    assert stopped.returncode == 130
    assert err == "convergebench: interrupted; finished work is saved, rerun the command to continue\n"


def test_a_run_begins_beside_one_that_is_creating_the_workspace(cli: Cli, run: Words, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with sqlite3.connect(tmp_path / "results" / "convergebench.sqlite") as database:
        database.execute("PRAGMA journal_mode = WAL")
    assert (tmp_path / "results" / "convergebench.sqlite").stat().st_size > 0
    assert cli(*run("--json")).code == 0


def test_your_own_pictures_take_the_place_of_a_suite(cli: Cli, tmp_path: Path) -> None:
    folder, results = tmp_path / "mine", tmp_path / "results"
    folder.mkdir()
    (folder / "a.png").write_bytes(Picture.from_pixels(textured(64, 64, seed=1)).encoded)
    (folder / "pictures.csv").write_text("file,kind,edits\na.png,object,horizontal_flip\n")
    ran = cli("run", "-m", "classical", "--images", folder, "--rounds", 1, "--metric", "psnr",
              "-w", results, "--json")  # fmt: skip
    assert ran.code == 0, ran.err
    with Workspace.existing(results) as store:
        assert [row["id"] for row in store.query("SELECT id FROM cases")] == ["a/horizontal_flip"]
