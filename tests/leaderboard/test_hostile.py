"""Files that somebody made to do harm: each is left out with its reason, and the others stay."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.leaderboard import build_leaderboard
from convergebench.leaderboard.opening import open_submission
from convergebench.leaderboard.submitted_rows import BadSubmission
from leaderboard.conftest import rewritten, submit

Row = list[Any]


@pytest.fixture(scope="module")
def sound(east: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return submit(east, tmp_path_factory.mktemp("sound") / "sound.zip", "Lab", "none")


def reason_for(path: Path, tmp_path: Path) -> str:
    with pytest.raises(BadSubmission) as refusal:
        open_submission(path, tmp_path / "opened", tmp_path / "pictures")
    return str(refusal.value)


def changed(table: str, change: Callable[[Row], None]) -> dict[str, Callable[[bytes], bytes]]:
    """The first row of a table, changed."""

    def rewrite(data: bytes) -> bytes:
        first, *others = data.splitlines()
        row = json.loads(first)
        change(row)
        return b"\n".join([json.dumps(row).encode(), *others]) + b"\n"

    return {f"rows/{table}.jsonl": rewrite}


def setting(column: int, value: Any) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        row[column] = value

    return change


@pytest.mark.parametrize(
    ("table", "column", "value", "reason"),
    [
        ("steps", 7, '["../../etc/passwd"]', "row 1 of steps is damaged: impossible value of inputs"),
        ("steps", 14, float("nan"), "NaN is not JSON"),
        ("steps", 14, -1, "impossible value of seconds"),
        ("steps", 4, 10**9, "impossible value of round"),
        ("steps", 4, 7, "is of round 7, which was not planned"),
        ("steps", 5, "Do nothing.", "has another instruction than its case"),
        ("steps", 1, 999, "belongs to no trajectory"),
        ("steps", 18, "yesterday", "impossible value of at"),
        ("trajectories", 1, "no_such_protocol", "impossible value of protocol"),
        ("trajectories", 6, 10**9, "impossible value of rounds"),
        ("trajectories", 2, "0" * 16, "refers to one that is not there"),
        ("editors", 4, "winner", "impossible value of role"),
        ("editors", 1, "x" * 30_000, "impossible value of name"),
        ("case_facts", 7, "Add a very small dot.", "has another instruction than its case"),
        ("suite_cases", 1, "converge@2", "another suite than its manifest says"),
        ("measurements", 4, 10**400, "int too large"),
        ("measurements", 5, "and a reason", "the rows contradict each other"),
        ("runs", 4, "[" * 100_000, "nested too deeply"),
    ],
)
def test_rows_that_cannot_be_are_refused(
    sound: Path, tmp_path: Path, table: str, column: int, value: Any, reason: str
) -> None:
    path = rewritten(sound, tmp_path / "bad.zip", changed(table, setting(column, value)), sign=True)
    assert reason in reason_for(path, tmp_path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[:-40], "is not JSON"),
        (lambda data: b"[" * 200_000, "is not JSON"),
        (lambda data: b'{"format": "other"}', "not that of a submission"),
        (lambda data: data.replace(b'"format_version": 1', b'"format_version": 2'), "version 2"),
        (lambda data: data.replace(b'"cases": 4', b'"cases": -4'), "impossible cases"),
        (lambda data: data.replace(b'"note": ""', b'"note": "", "extra": 1'), "one too many"),
        (lambda data: data.replace(b'"label": "Lab"', b'"label": "L\\u202eab"'), "impossible label"),
    ],
    ids=["cut", "deep", "other format", "newer", "negative", "extra", "reordering"],
)
def test_a_manifest_that_cannot_be_is_refused(
    sound: Path, tmp_path: Path, change: Callable[[bytes], bytes], reason: str
) -> None:
    path = rewritten(sound, tmp_path / "bad.zip", {"manifest.json": change}, sign=False)
    assert reason in reason_for(path, tmp_path)


def with_member(sound: Path, path: Path, name: str, data: bytes, mode: int = stat.S_IFREG) -> Path:
    path.write_bytes(sound.read_bytes())
    member = zipfile.ZipInfo(name)
    member.external_attr = (mode | 0o644) << 16
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(member, data, zipfile.ZIP_DEFLATED)
    return path


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/cron.d/evil", "pictures/../x.png", "rows/sqlite.jsonl"]
)
def test_a_member_with_another_name_is_refused(sound: Path, tmp_path: Path, name: str) -> None:
    path = with_member(sound, tmp_path / "bad.zip", name, b"x")
    assert "a submission has no member" in reason_for(path, tmp_path)


def test_a_link_in_the_archive_is_refused(sound: Path, tmp_path: Path) -> None:
    name = f"pictures/{'0' * 64}.png"
    path = with_member(sound, tmp_path / "bad.zip", name, b"/etc/passwd", stat.S_IFLNK)
    assert "is a link" in reason_for(path, tmp_path)


def test_a_bomb_is_refused_before_it_is_unpacked(sound: Path, tmp_path: Path) -> None:
    name = f"pictures/{'0' * 64}.png"
    path = with_member(sound, tmp_path / "bad.zip", name, bytes(40 * 1024**2))
    assert path.stat().st_size < 2**20
    assert "would unpack to 40 MiB" in reason_for(path, tmp_path)


def test_a_member_that_the_manifest_does_not_list_is_refused(sound: Path, tmp_path: Path) -> None:
    path = with_member(sound, tmp_path / "bad.zip", f"thumbnails/{'0' * 64}.jpg", b"<script>")
    assert "its members are not those that its manifest lists" in reason_for(path, tmp_path)


def test_pictures_that_are_missing_exchanged_or_no_pictures_are_refused(east: Path, tmp_path: Path) -> None:
    full = submit(east, tmp_path / "full.zip", "Lab")
    with zipfile.ZipFile(full) as file:
        first, second, *_ = [name for name in file.namelist() if name.startswith("pictures/")]
        other = file.read(second)
    exchanged = rewritten(full, tmp_path / "exchanged.zip", {first: lambda _: other}, sign=True)
    assert "is another picture than its name says" in reason_for(exchanged, tmp_path / "one")
    script = rewritten(full, tmp_path / "script.zip", {first: lambda _: b"<svg onload=alert(1)>"}, sign=True)
    assert "is not a picture" in reason_for(script, tmp_path / "two")


def test_bytes_changed_anywhere_never_stop_the_build(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir()
    data = sound.read_bytes()
    for number in range(24):
        place = int(hashlib.sha256(bytes([number])).hexdigest(), 16) % len(data)
        (folder / f"{number:02}.zip").write_bytes(
            data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        )
    (folder / "sound.zip").write_bytes(data)
    (folder / "empty.zip").touch()
    built = build_leaderboard(folder, tmp_path / "site", metric_names=("ssim",))
    assert "sound.zip" in {one.file.name for one in built.board.submissions}
    assert all(one.reason for one in built.board.left_out)
    assert len(built.board.left_out) >= 20


def test_cases_that_are_not_in_the_installed_suite_are_refused(sound: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(sound) as file:
        suite = json.loads(file.read("manifest.json"))["suite"].encode()
    names = ("rows/suite_cases.jsonl", "manifest.json")
    pretend: dict[str, Callable[[bytes], bytes]] = {
        name: lambda data: data.replace(suite, b"converge-drawn@0") for name in names
    }
    (tmp_path / "submissions").mkdir()
    rewritten(sound, tmp_path / "submissions" / "easy.zip", pretend, sign=True)
    built = build_leaderboard(tmp_path / "submissions", tmp_path / "site")
    (left_out,) = built.board.left_out
    assert "4 of its cases are not in converge-drawn@0" in left_out.reason
