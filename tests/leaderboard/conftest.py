"""Workspaces of made-up labs, and what they submit."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import convergebench
from convergebench.leaderboard import pack_submission
from convergebench.leaderboard.manifest import Pictures
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
