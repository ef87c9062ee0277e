"""Workspaces of made-up labs, and what they submit."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import convergebench
from convergebench.leaderboard import BuiltLeaderboard, build_leaderboard, pack_submission
from convergebench.leaderboard.entries import LeftOut
from convergebench.leaderboard.manifest import Pictures
from convergebench.leaderboard.packing import digest_of_file
from convergebench.picture import Picture
from convergebench.store import Workspace
from drawn_chains import room

METRICS = ("psnr", "ssim", "regions")
ROUNDS = 2


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for number, name in enumerate(("hall", "loft", "yard")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(room(seed=number)).encoded)
    return folder


def edited(pictures: Path, folder: Path, model: str, cases: int) -> Path:
    convergebench.run(
        [model], f"folder:{pictures}", ROUNDS, limit=cases, workspace=folder, metrics=METRICS
    ).close()
    return folder


@pytest.fixture(scope="session")
def north(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with six cases."""
    return edited(pictures, tmp_path_factory.mktemp("north") / "results", "classical", 6)


@pytest.fixture(scope="session")
def east(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another model, on four of the same cases."""
    return edited(pictures, tmp_path_factory.mktemp("east") / "results", "classical-ghost", 4)


@pytest.fixture(scope="session")
def south(east: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Measured by another version of SSIM."""
    folder = tmp_path_factory.mktemp("south") / "results"
    shutil.copytree(east, folder)
    with Workspace.create(folder) as workspace:
        changed = [("0", "ssim")]
        workspace.write_rows("UPDATE measurements SET version = ? WHERE metric = ?", changed).result()
    return folder


def submit(workspace: Path, path: Path, label: str, pictures: Pictures = "full") -> Path:
    path.parent.mkdir(exist_ok=True)
    with Workspace.existing(workspace) as opened:
        pack_submission(opened, path, label=label, pictures=pictures)
    return path


Change = Callable[[bytes], bytes]


def rewritten(source: Path, target: Path, changes: Mapping[str, Change], *, sign: bool) -> Path:
    """A copy with changed members; the manifest has the new digests if `sign`."""
    with zipfile.ZipFile(source) as old:
        members = {name: old.read(name) for name in old.namelist()}
    members |= {name: change(members[name]) for name, change in changes.items()}
    if sign:
        manifest = json.loads(members["manifest.json"])
        manifest["files"] = {
            name: hashlib.sha256(data).hexdigest()
            for name, data in members.items()
            if name != "manifest.json"
        }
        members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(target, "w") as new:
        for name, data in members.items():
            new.writestr(name, data)
    return target


def flattered(data: bytes) -> bytes:
    """Every `undid` of a perfect 1."""
    rows = [json.loads(line) for line in data.splitlines()]
    for row in rows:
        if row[2] == "undid" and row[4] is not None:
            row[4] = 1.0
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


@dataclass(frozen=True)
class Built:
    board: BuiltLeaderboard
    site: Path
    folder: Path

    @property
    def left_out(self) -> Mapping[str, LeftOut]:
        return {one.file: one for one in self.board.board.left_out}

    @property
    def data(self) -> Any:
        return json.loads((self.site / "leaderboard.json").read_text())


@pytest.fixture(scope="session")
def built(north: Path, east: Path, south: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("submissions")
    sound = submit(north, folder / "north.zip", "North <i>Lab</i>")
    submit(east, folder / "east.zip", "East")
    submit(south, folder / "south.zip", "South")
    submit(south, folder / "south-small.zip", "South, thumbnails", "thumbnails")
    submit(north, folder / "west-none.zip", "West", "none")
    withdrawn = submit(east, folder / "west-old.zip", "West")
    rows = "rows/measurements.jsonl"
    rewritten(sound, folder / "changed.zip", {rows: flattered}, sign=False)
    rewritten(sound, folder / "forged.zip", {rows: flattered}, sign=True)
    shutil.copyfile(sound, folder / "twice.zip")
    (folder / "broken.zip").write_bytes(sound.read_bytes()[:5000])
    (folder / "link.zip").symlink_to(sound)
    line = f'[[withdrawn]]\ndigest = "{digest_of_file(withdrawn)}"\nreason = "a wrong setting"\n'
    (folder / "withdrawn.toml").write_text(line)
    site = tmp_path_factory.mktemp("written") / "site"
    return Built(build_leaderboard(folder, site, metric_names=METRICS), site, folder)
