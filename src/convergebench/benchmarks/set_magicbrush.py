"""MagicBrush: sessions with masks and true results, from its dev parquet files or its test folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from convergebench.benchmarks._masks import region_mask
from convergebench.benchmarks._set_files import (
    SetFiles,
    Unusable,
    json_entries,
    table_columns,
    table_picture,
    table_rows,
)
from convergebench.benchmarks._set_suite import Entry, session_instructions, set_suite
from convergebench.errors import WrongUse
from convergebench.types import Case, SessionTurn

NAME = "magicbrush"
SESSIONS, CAPTIONS = "edit_sessions.json", "local_captions.json"
_COLUMNS = ("img_id", "turn_index", "source_img", "mask_img", "instruction", "target_img")
LAYOUT = f"MagicBrush's parquet files (train or dev), or its test folder with {SESSIONS} and images/"


def read(files: SetFiles) -> Iterator[Entry]:
    tables = [files.only] if files.only.endswith(".parquet") else files.matching("*.parquet")
    if tables:
        return _of_tables(files, tables)
    return _of_folder(files)


def _of_tables(files: SetFiles, tables: Sequence[str]) -> Iterator[Entry]:
    """A row is a turn; those of a picture make its session, in the order of turn_index."""
    sessions: dict[str, list[tuple[str, int, dict[str, Any]]]] = {}
    for name in tables:
        lacking = [one for one in _COLUMNS if one not in table_columns(files, name)]
        if lacking:
            raise WrongUse(f"{files.root / name} has no column {lacking[0]}; give {LAYOUT}")
        for number, row in enumerate(table_rows(files, name, ("img_id", "turn_index", "instruction"))):
            sessions.setdefault(str(row["img_id"]), []).append((name, number, row))
    for id, rows in sessions.items():
        yield f"session {id}", partial(_of_rows, files, id, rows)


def _of_rows(files: SetFiles, id: str, rows: list[tuple[str, int, dict[str, Any]]]) -> Case:
    rows = sorted(rows, key=lambda row: int(row[2]["turn_index"]))
    numbers = [int(row["turn_index"]) for _, _, row in rows]
    if numbers != list(range(1, len(rows) + 1)):
        raise Unusable(f"it has the turns {', '.join(map(str, numbers))}")
    instructions = session_instructions([row["instruction"] for _, _, row in rows])
    turns: list[SessionTurn] = []
    for (name, number, _), instruction in zip(rows, instructions, strict=True):
        place = len(turns) + 1
        start = table_picture(files, name, "source_img", number, id if place == 1 else f"{id}-start{place}")
        mask = table_picture(files, name, "mask_img", number, f"{id}-mask{place}")
        target = table_picture(files, name, "target_img", number, f"{id}-output{place}")
        turns.append(SessionTurn(instruction, "", start, target, region_mask(mask, start)))
    return _case(id, turns)


def _of_folder(files: SetFiles) -> Iterator[Entry]:
    found = [files.only] if files.only else files.ending(SESSIONS)
    if not found:
        raise WrongUse(f"{files.root} holds no {SESSIONS} and no parquet file; give {LAYOUT}")
    text = json_entries(files, found[0])
    sessions = text[0][1] if len(text) == 1 and not text[0][0] else dict(text)
    if not isinstance(sessions, dict):
        raise WrongUse(f"{files.root / found[0]} is no object of sessions; give {LAYOUT}")
    captions = _captions(files)
    for id, entries in sessions.items():
        yield f"session {id}", partial(_of_entries, files, str(id), entries, captions.get(str(id), {}))


def _captions(files: SetFiles) -> dict[str, Any]:
    """What each true result shows, by session and file name; empty if the set came without them."""
    found = files.ending(CAPTIONS)
    return {key: named for key, named in json_entries(files, found[0]) if key} if found else {}


def _of_entries(files: SetFiles, id: str, entries: Any, captions: dict[str, str]) -> Case:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unusable("it is not a list of turns")
    instructions = session_instructions([entry.get("instruction") for entry in entries])
    turns = []
    for place, (entry, instruction) in enumerate(zip(entries, instructions, strict=True), start=1):
        first = f"{id}-input.png" if place == 1 else f"{id}-output{place - 1}.png"
        start = files.picture(id if place == 1 else f"{id}-start{place}", str(entry.get("input") or first))
        output = str(entry.get("output") or f"{id}-output{place}.png")
        target = files.picture(f"{id}-output{place}", output)
        mask_name = str(entry.get("mask") or f"{id}-mask{place}.png")
        mask = files.picture(f"{id}-mask{place}", mask_name) if files.ending(mask_name) else None
        marked = mask and region_mask(mask, start)
        turns.append(SessionTurn(instruction, "", start, target, marked, str(captions.get(output) or "")))
    return _case(id, turns)


def _case(id: str, turns: Sequence[SessionTurn]) -> Case:
    source = turns[0].start
    assert source is not None
    first = replace(turns[0], start=None)
    return Case(id, (source,), first.instruction, category="session", turns=(first, *turns[1:]))


SUITE = set_suite(
    NAME,
    "MagicBrush: sessions of one to three turns with masks and true results",
    read,
    layout=LAYOUT,
    turns=528,
    patterns=("*.parquet", "*.json"),
)
