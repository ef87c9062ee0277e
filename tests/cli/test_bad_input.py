"""Whatever a person may hand to the program: a clear sentence, and nothing lost."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import io
import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from convergebench import api, engine
from convergebench.engine import Plan
from convergebench.metrics import MetricSet
from convergebench.protocols import round_trip
from convergebench.store import DATABASE, Workspace
from convergebench.store.schema import VERSION
from convergebench.types import Case
from made_pictures import textured
from scripted import Scripted

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def header_only(width: int, height: int) -> bytes:
    """A PNG file that promises a size and holds nothing."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b""))
        + chunk(b"IEND", b"")
    )


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(Image.fromarray(np.rot90(textured()).copy()), exif=exif)


WHOLE = saved(Image.fromarray(textured()))
DAMAGED = {
    "truncated": (WHOLE[: len(WHOLE) // 2], "damaged (it ends too early)"),
    "empty": (b"", "the file is empty"),
    "huge": (header_only(30_000, 30_000), "make it smaller than 100 megapixels"),
    "text": (b"This is a letter, not a picture.\n", "unknown picture format"),
}
UNUSUAL = {
    "cmyk.jpg": saved(Image.fromarray(textured()).convert("CMYK"), "JPEG"),
    "grey16.png": saved(Image.fromarray(textured()[..., 0].astype(np.uint16) * 257)),
    "palette.png": saved(Image.fromarray(textured()).quantize(32)),
    "palette_transparent.png": saved(Image.fromarray(textured()).quantize(32), transparency=3),
    "alpha.png": saved(Image.fromarray(textured()).convert("RGBA")),
    "turned.png": turned(),
    "grey.png": saved(Image.fromarray(textured()[..., 0])),
}

# Pictures


@pytest.mark.parametrize("name", DAMAGED)
def test_a_bad_picture_is_named_by_measure_and_by_run(
    cli: Cli, run: Words, pictures: Path, tmp_path: Path, name: str
) -> None:
    content, said = DAMAGED[name]
    bad = pictures / f"{name}.png"
    bad.write_bytes(content)
    for words in (["measure", pictures / "anna.png", bad], ["measure", bad, pictures / "anna.png"], run()):
        ended = cli(*words)
        assert ended.code == 1
        assert f"{name}.png: " in ended.sentence
        assert said in ended.sentence
    assert not (tmp_path / "results").exists()


def test_all_bad_pictures_of_a_folder_are_named_at_once(cli: Cli, run: Words, pictures: Path) -> None:
    for name, (content, _) in DAMAGED.items():
        (pictures / f"{name}.png").write_bytes(content)
    sentence = cli(*run()).sentence
    assert sentence.startswith(f"4 files of 6 in {pictures} cannot be read")
    for name in DAMAGED:
        assert f"{name}.png" in sentence


def test_a_picture_that_is_not_there_is_named(cli: Cli, pictures: Path) -> None:
    ended = cli("measure", pictures / "anna.png", pictures / "absent.png")
    assert ended.code == 1
    assert ended.sentence == f"{pictures / 'absent.png'}: No such file or directory; check the name"


def test_unusual_pictures_are_edited_and_measured_like_any_other(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "unusual"
    folder.mkdir()
    for name, content in UNUSUAL.items():
        (folder / name).write_bytes(content)
    words = [
        "run",
        "-m",
        "identity",
        "--suite",
        f"folder:{folder}",
        "--pair",
        "horizontal_flip",
        "--rounds",
        1,
    ]
    ended = cli(*words, "--metric", "ssim", "-w", tmp_path / "results", "--json")
    assert ended.code == 0
    assert ended.json["run"]["complete"] == len(UNUSUAL)
    assert ended.json["ranking"]["rows"][0]["metrics"]["ssim"]["mean"] == pytest.approx(1)


def test_a_turned_picture_is_measured_upright(cli: Cli, tmp_path: Path) -> None:
    for name, content in (("turned.png", turned()), ("upright.png", WHOLE)):
        (tmp_path / name).write_bytes(content)
    ended = cli("measure", tmp_path / "upright.png", tmp_path / "turned.png", "--metric", "psnr", "--json")
    assert ended.json[0]["metrics"]["psnr"]["value"] == "inf"


def test_a_source_that_breaks_during_a_run_is_left_out_and_the_others_are_done(
    cli: Cli, run: Words, pictures: Path, tmp_path: Path
) -> None:
    settings = api.Settings(("jpeg",), f"folder:{pictures}", 1, pairs=("horizontal_flip",), metrics=("psnr",))
    plan = api.make_plan(settings)
    (pictures / "anna.png").write_bytes(WHOLE[:100])
    with Workspace.create(tmp_path / "results") as store:
        outcome = api.execute(plan, settings, store)
    assert (outcome.complete, outcome.trajectories) == (1, 2)
    (reason,) = outcome.unreadable.values()
    assert "anna.png: the picture is damaged" in reason


# What is asked


def run_cases(cases: list[Case], folder: Path) -> tuple[engine.Outcome, Scripted]:
    editor = Scripted()
    plan = Plan("odd@0", round_trip(2), tuple(cases), (editor,), (0,))
    with Workspace.create(folder) as store:
        number = store.start_run({"suite": "odd@0"}, "0")
        work = engine.run_plan(
            plan, store, MetricSet(("psnr", "ssim")), run=number, limits=engine.RunLimits(2)
        )
        return asyncio.run(work), editor


def test_a_prompt_of_100_kilobytes_arrives_whole(make_case: Callable[..., Case], tmp_path: Path) -> None:
    prompt = "Add a very détaillé hat. " * 4000
    case = replace(make_case(), forward=prompt)
    outcome, editor = run_cases([case], tmp_path / "results")
    assert outcome.complete == 1
    assert editor.requests[0].instruction == prompt
    again, untouched = run_cases([case], tmp_path / "results")
    assert (again.replayed, untouched.requests) == (4, [])


IDENTITIES = (
    "../../etc/passwd", "a/b\\c", 'it\'s "quoted"', "'; DROP TABLE steps; --", "a,b\nc", "ünï/日本", " ",
)  # fmt: skip


def test_any_case_id_is_run_resumed_and_exported(
    cli: Cli, make_case: Callable[..., Case], tmp_path: Path
) -> None:
    case = make_case()
    odd = [
        replace(case, id=identity, sources=(replace(case.source, id=identity),), pair=identity)
        for identity in IDENTITIES
    ]
    before = set(tmp_path.iterdir()) | {tmp_path / "results"}
    assert run_cases(odd, tmp_path / "results")[0].complete == len(odd)
    assert run_cases(odd, tmp_path / "results")[0].replayed == 4 * len(odd)
    for command in ("summary", "export", "plot", "grid", "report"):
        assert cli(command, "-w", tmp_path / "results").code == 0
    with api.open(tmp_path / "results") as opened:
        assert set(opened.frame()["case"]) == set(IDENTITIES)
    assert set(tmp_path.iterdir()) == before


# Workspaces


def without_override() -> None:
    """Let permissions hold for root too, in the child process that this is called in."""
    drop_from_bounding_set, dac_override = 24, 1
    if os.getuid() == 0 and ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0) != 0:
        os._exit(77)


@pytest.mark.parametrize("prepared", [False, True], ids=["new", "existing"])
def test_a_read_only_workspace_is_refused_and_can_still_be_looked_at(
    cli: Cli, program: Cli, run: Words, tmp_path: Path, prepared: bool
) -> None:
    results = tmp_path / "results"
    results.mkdir()
    if prepared:
        cli(*run())
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    places = [results, *(path for path in results.rglob("*"))]
    for path in places:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        ended = program(*run("--fresh"), preexec_fn=without_override)
        looked = program("summary", "-w", results, preexec_fn=without_override) if prepared else None
    finally:
        for path in places:
            path.chmod(0o755)
    if ended.code == 77:
        pytest.skip("this root may not give up its right to write everywhere")
    assert ended.code == 1
    assert str(results) in ended.sentence
    assert "choose another" in ended.sentence
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before
    assert looked is None or (looked.code == 0 and "jpeg" in looked.out)


def test_a_workspace_that_is_a_file_is_refused(cli: Cli, run: Words, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("mine")
    ended = cli(*run())
    assert ended.code == 1
    assert "choose another place with --workspace" in ended.sentence
    assert (tmp_path / "results").read_text() == "mine"


def test_a_workspace_of_a_newer_version_is_refused_untouched(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    database = tmp_path / "results" / DATABASE
    with sqlite3.connect(database) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    for words in (run(), ["summary", "-w", tmp_path / "results"], run("--dry-run")):
        ended = cli(*words)
        assert ended.code == 1
        assert "newer ConvergeBench" in ended.sentence
    with sqlite3.connect(database) as db:
        assert db.execute("SELECT count(*) FROM steps").fetchone() == (12,)


@pytest.mark.parametrize("damage", ["text", "zeros in the middle"])
def test_a_corrupt_database_is_named_and_the_pictures_stay(
    cli: Cli, run: Words, tmp_path: Path, damage: str
) -> None:
    cli(*run())
    database = tmp_path / "results" / DATABASE
    for beside in ("-wal", "-shm"):
        database.with_name(database.name + beside).unlink(missing_ok=True)
    content = bytearray(database.read_bytes())
    if damage == "text":
        content[:] = b"once this was a database\n" * 500
    else:
        content[512:-512] = bytes(len(content) - 1024)
    database.write_bytes(content)
    pictures = {path: path.read_bytes() for path in (tmp_path / "results" / "pictures").rglob("*.png")}
    for words in (["summary", "-w", tmp_path / "results"], run()):
        ended = cli(*words)
        assert ended.code == 1
        assert f"the database {database} is damaged" in ended.sentence
    assert database.read_bytes() == bytes(content)
    assert pictures == {
        path: path.read_bytes() for path in (tmp_path / "results" / "pictures").rglob("*.png")
    }


def test_a_run_that_was_told_of_infinite_money_does_not_make_the_workspace_look_damaged(
    cli: Cli, run: Words, tmp_path: Path
) -> None:
    cli(*run())
    before = cli("summary", "-w", tmp_path / "results", "--json").json
    with contextlib.closing(sqlite3.connect(tmp_path / "results" / DATABASE)) as database, database:
        database.execute("UPDATE runs SET settings = ?", [json.dumps({"max_cost_usd": float("inf")})])
    assert cli("summary", "-w", tmp_path / "results", "--json").json == before
    for words in (["worst", "-w", tmp_path / "results"], run()):
        assert cli(*words).code == 0


def test_a_stored_picture_that_was_changed_is_named_and_left_out(
    cli: Cli, run: Words, tmp_path: Path
) -> None:
    cli(*run())
    for path in (tmp_path / "results" / "pictures").rglob("*.png"):
        path.write_bytes(WHOLE[:-7])
    ended = cli("grid", "-w", tmp_path / "results")
    assert ended.code == 0
    assert "is damaged: its content is not what was stored" in ended.err
    assert (tmp_path / "results" / "model_comparison_round2.png").is_file()
    repair = cli("workspace", "repair", "-w", tmp_path / "results", "--json")
    assert repair.code == 3
    assert {one["reason"] for one in repair.json["lost"]} == {"damaged"}


def test_notes_beside_the_pictures_that_are_wrong_are_explained(cli: Cli, run: Words, pictures: Path) -> None:
    for text, said in (
        ("{", "is not valid JSON"),
        ("[]", "must look like"),
        (json.dumps({"absent.png": {}}), "absent.png"),
    ):
        (pictures / "pictures.json").write_text(text)
        ended = cli(*run())
        assert ended.code == 2
        assert said in ended.sentence
