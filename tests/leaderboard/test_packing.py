"""What leaves the machine in a submission, and what does not."""

from __future__ import annotations

import io
import json
import shutil
import socket
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import convergebench
from convergebench.api import Settings, execute, make_plan
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.leaderboard.opening import open_submission
from convergebench.leaderboard.scrubbing import Scrubber
from convergebench.leaderboard.verification import verify
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Edited, EditorFacts, EditRequest
from leaderboard.conftest import METRICS, submit

KEY, MAIL = "wr3-secret-of-the-provider", "jane@example.org"
HOME = "/home/jane.doe"


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.fixture
def careless(east: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which settings, names and failures tell of the machine."""
    folder = tmp_path / "results"
    shutil.copytree(east, folder)
    monkeypatch.setenv("FAL_KEY", KEY)
    reason = (
        f"POST http://127.0.0.1:8188/prompt with Bearer {KEY}: {socket.gethostname()} could not read "
        f"{HOME}/models/m.safetensors (10.1.2.3:9000, fe80::1, {MAIL}, sk-proj-abcdefghijklmnop)"
    )
    settings = json.dumps({"suite": "x", "api_key": "hunter22", "base_url": "http://localhost:9/v1",
                           "models": [f"diffusers:{HOME}/my models/m?steps=4"], "note": reason})  # fmt: skip
    with Workspace.create(folder) as workspace:
        workspace.write_rows("UPDATE runs SET settings = ?", [(settings,)])
        workspace.write_rows(
            "UPDATE editors SET parameters = ?", [(json.dumps({"base_url": f"http://{KEY}"}),)]
        )
        workspace.write_rows("INSERT OR REPLACE INTO model_names SELECT fingerprint, ?, ? FROM editors",
                             [(f"mine:{HOME}/flux", "2026-01-01T00:00:00")])  # fmt: skip
        workspace.write_rows("UPDATE measurements SET missing = ? WHERE value IS NULL", [(reason,)])
        failed = """INSERT INTO steps SELECT NULL, trajectory, position, role, round, instruction, seed,
            inputs, NULL, NULL, NULL, NULL, 'unavailable', ?, 1, 0.5, 3, run, at
            FROM steps WHERE position = 3"""
        workspace.write_rows(failed, [(reason,)]).result()
    return folder


def test_no_key_path_or_address_of_the_machine_is_in_any_byte(careless: Path, tmp_path: Path) -> None:
    packed = members(submit(careless, tmp_path / "one.zip", "Lab"))
    planted = [KEY, "hunter22", HOME, "jane", "127.0.0.1", ":8188", "localhost", "10.1.2.3", "fe80::1",
               "sk-proj", str(tmp_path), "my models"]  # fmt: skip
    for name, data in packed.items():
        assert [one for one in planted if one.encode() in data] == [], name
        if not name.startswith("pictures/"):  # two letters are in any compressed picture
            words = data.decode().replace('"', " ").replace(",", " ").split()
            assert socket.gethostname() not in words
    steps = packed["rows/steps.jsonl"].decode()
    assert "POST [address] with Bearer [key]: [address] could not read [path]" in steps
    assert "diffusers:[path]?steps=4" in packed["rows/runs.jsonl"].decode()


def test_an_instruction_that_holds_a_key_is_never_written(
    careless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.existing(careless) as workspace:
        ((instruction,), *_) = workspace.query("SELECT instruction FROM steps")
    monkeypatch.setenv("MY_TOKEN", instruction)
    with pytest.raises(WorkspaceError, match="hold a key of the environment"):
        submit(careless, tmp_path / "one.zip", "Lab")
    assert not (tmp_path / "one.zip").exists()


def test_the_same_results_give_the_same_bytes(east: Path, tmp_path: Path) -> None:
    first, second = (submit(east, tmp_path / f"{name}.zip", "Lab") for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


def test_the_manifest_says_what_is_in_it(east: Path, tmp_path: Path) -> None:
    packed = members(submit(east, tmp_path / "one.zip", "Lab", "none"))
    manifest = json.loads(packed["manifest.json"])
    assert manifest["files"].keys() == packed.keys() - {"manifest.json"}
    assert manifest["suite"].startswith("folder:[path]@")
    assert (manifest["protocol"], manifest["rounds"], manifest["cases"]) == ("round_trip", 2, 4)
    assert [one["name"] for one in manifest["models"]] == ["classical-ghost"]
    assert manifest["metrics"]["undid"] and manifest["package"] == convergebench.__version__


def test_a_submitter_needs_a_name(east: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="cannot be the submitter's name"):
        submit(east, tmp_path / "one.zip", " ")


class SigningEditor:
    """Writes into each file who made it, as some programs do."""

    facts = EditorFacts("signing", "1")

    async def edit(self, request: EditRequest) -> Edited:
        darker = (request.image.pixels * 0.9).astype(np.uint8)
        exif, file = Image.Exif(), io.BytesIO()
        exif[0x010E] = f"made in {HOME}"
        Image.fromarray(darker).save(file, "PNG", exif=exif)
        return Edited(Picture.from_bytes(file.getvalue()))

    async def close(self) -> None:
        pass


def test_pictures_lose_their_metadata_and_keep_their_numbers(pictures: Path, tmp_path: Path) -> None:
    for source in pictures.iterdir():
        (tmp_path / "own").mkdir(exist_ok=True)
        file = tmp_path / "own" / source.name
        exif = Image.Exif()
        exif[0x010E] = f"taken in {HOME}"
        Image.open(source).save(file, "PNG", exif=exif)
    place = tmp_path / "results"
    settings = Settings(("signing",), f"folder:{tmp_path / 'own'}", rounds=1, limit=1, metrics=METRICS)
    with Workspace.create(place) as workspace:
        execute(make_plan(settings, open_editor=lambda _: SigningEditor()), settings, workspace)
    folder = tmp_path / "submissions"
    packed = members(submit(place, folder / "one.zip", "Lab"))
    assert [name for name, data in packed.items() if HOME.encode() in data] == []
    opened = open_submission(folder / "one.zip", tmp_path / "opened", tmp_path / "opened-pictures")
    values = [row for row in opened.rows["measurements"] if row["value"] is not None]
    compared = [row for row in values if row["metric"] != "footprint"]
    assert verify(opened, METRICS).compared == len(compared) > 5


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("folder:{cwd}/my photos@5e03c4f241b955b0", "folder:[path]@5e03c4f241b955b0"),
        ("folder:client photos@5e03c4f241b955b0", "folder:[path]@5e03c4f241b955b0"),
        ("edits:spring.csv@5e03c4f241b955b0/partial", "edits:[path]@5e03c4f241b955b0/partial"),
        ("folder:/srv/a@b/photos@5e03c4f241b955b0/cross_edit", "folder:[path]@5e03c4f241b955b0/cross_edit"),
        ("openai:m?base_url=http://10.0.0.1/v1&size=512", "openai:m?base_url=[address]&size=512"),
        ("fal:fal-ai/flux-2/klein/9b/edit", "fal:fal-ai/flux-2/klein/9b/edit"),
        ("converge@2", "converge@2"),
    ],
)
def test_a_name_keeps_what_identifies_the_suite_or_the_model(name: str, clean: str) -> None:
    assert Scrubber().value(name.replace("{cwd}", str(Path.cwd()))) == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("no file /home/jane/x.png; and/or 1/2 at 12:30:45", "no file [path]; and/or 1/2 at 12:30:45"),
        ("fal-ai/flux/dev returned 500", "fal-ai/flux/dev returned 500"),
        ("gpu7.corp:8000 or [::1]:80 refused", "[address] or [address] refused"),
        (r"C:\Users\jane\x.png is missing", "[path] is missing"),
        ("request 3f2c1b7a-1111-2222-3333-444455556666 failed", "request [key] failed"),
    ],
)  # fmt: skip
def test_a_message_loses_the_machine_and_keeps_its_meaning(text: str, clean: str) -> None:
    assert Scrubber().text(text) == clean
