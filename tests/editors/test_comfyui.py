"""ComfyUI's editor against a server with its routes, websocket and history."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import passing_time
from convergebench.editors import open_editor
from convergebench.editors._workflow import read_workflow
from convergebench.editors.comfyui import ComfyUI
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.types import (
    BadOutput,
    Case,
    Edited,
    EditError,
    EditRequest,
    Misconfigured,
    NoReply,
    Refused,
    Unavailable,
    UnusableAnswer,
)
from servers.asking import RESULT, SEED, SOURCE, Row, ask, ask_and_wait_in_vain, round_trip_rows
from servers.comfyui import ComfyServer

WORKFLOW: dict[str, Any] = {
    "1": {"class_type": "LoadImage", "inputs": {"image": "example.png"}, "_meta": {"title": "image"}},
    "2": {
        "class_type": "CLIPTextEncode",
        "inputs": {"text": "", "clip": ["4", 1]},
        "_meta": {"title": "Prompt"},
    },
    "3": {
        "class_type": "KSampler",
        "inputs": {"seed": 0, "steps": 20, "model": ["4", 0]},
        "_meta": {"title": "seed"},
    },
    "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "flux.safetensors"}},
    "8": {"class_type": "PreviewImage", "inputs": {"images": ["3", 0]}},
    "9": {"class_type": "SaveImage", "inputs": {"images": ["3", 0], "filename_prefix": "edited"}},
}
NAME = f"convergebench-{SOURCE.digest[:16]}.png"


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convergebench.editors.comfyui.POLL_SECONDS", 0.02)
    monkeypatch.setattr("convergebench.editors.comfyui.LISTEN_SECONDS", 0.5)


@pytest.fixture
def workflow(tmp_path: Path) -> Path:
    return written(tmp_path, WORKFLOW)


def written(folder: Path, graph: Any) -> Path:
    path = folder / "workflow.json"
    path.write_text(graph if isinstance(graph, str) else json.dumps(graph))
    return path


def served(*script: str, **options: bool) -> ComfyServer:
    return ComfyServer(script or ("success",), RESULT.encoded, **options)


def opened(server: ComfyServer, workflow: Path) -> ComfyUI:
    editor = open_editor(f"comfyui:{workflow}?base_url={server.url}")
    assert isinstance(editor, ComfyUI)
    return editor


def failure(word: str, workflow: Path) -> EditError:
    with served(word) as server, pytest.raises(EditError) as caught:
        ask(opened(server, workflow))
    return caught.value


@pytest.mark.parametrize("word", ["success", "slow", "preview", "saved_and_preview"])
def test_the_picture_comes_back_as_it_was_saved_and_is_free(word: str, workflow: Path) -> None:
    with served(word) as server:
        edited = ask(opened(server, workflow))
    assert edited.picture.encoded == RESULT.encoded
    assert edited.cost_usd == 0.0


def test_the_slots_are_filled_and_all_else_stays(workflow: Path) -> None:
    with served() as server:
        ask(opened(server, workflow))
    expected = copy.deepcopy(WORKFLOW)
    expected["1"]["inputs"]["image"] = NAME
    expected["2"]["inputs"]["text"] = "Add a red ball."
    expected["3"]["inputs"]["seed"] = SEED
    assert server.queued == [expected]
    assert server.uploaded == {NAME: SOURCE.encoded}


def test_slots_can_be_placeholders_in_any_input(tmp_path: Path) -> None:
    graph = {
        "1": {"class_type": "Load", "inputs": {"file": "{image}"}},
        "2": {
            "class_type": "Edit",
            "inputs": {"order": "Please: {prompt} Keep the rest.", "noise": "{seed}"},
        },
    }
    with served() as server:
        ask(opened(server, written(tmp_path, graph)))
    assert server.queued[0]["1"]["inputs"] == {"file": NAME}
    assert server.queued[0]["2"]["inputs"] == {
        "order": "Please: Add a red ball. Keep the rest.",
        "noise": SEED,
    }


def test_a_workflow_takes_as_many_pictures_as_it_has_slots(tmp_path: Path, workflow: Path) -> None:
    two = {**WORKFLOW, "7": {**WORKFLOW["1"], "_meta": {"title": "image 2"}}}
    with served() as server:
        with pytest.raises(Refused, match="takes one picture, got 2"):
            ask(opened(server, workflow), SOURCE, RESULT)
        ask(opened(server, written(tmp_path, two)), SOURCE, RESULT)
    (graph,) = server.queued
    assert graph["1"]["inputs"]["image"] == NAME
    assert graph["7"]["inputs"]["image"] == f"convergebench-{RESULT.digest[:16]}.png"


def test_the_end_is_told_by_the_websocket(workflow: Path) -> None:
    with served("slow") as server:
        ask(opened(server, workflow))
    assert server.history_asked <= 2


@pytest.mark.parametrize("word", ["silent", "hang_up", "history_once_reset", "history_once_truncated"])
def test_a_job_is_found_in_the_history_when_its_end_is_not_heard_of(word: str, workflow: Path) -> None:
    with served(word) as server:
        assert ask(opened(server, workflow)).picture.encoded == RESULT.encoded
    assert len(server.queued) == 1


def test_a_server_without_websocket_is_polled(workflow: Path) -> None:
    with served("asked_thrice", websocket=False) as server:
        assert ask(opened(server, workflow)).picture.encoded == RESULT.encoded
    assert server.history_asked > 2


@pytest.mark.parametrize(
    ("word", "kind", "reason"),
    [
        ("invalid", Misconfigured, "node 4 (CheckpointLoaderSimple): Value not in list"),
        ("partly_invalid", Misconfigured, "node 4 (CheckpointLoaderSimple): Value not in list"),
        ("two_saved", Misconfigured, "title the node that counts result"),
        ("execution_error", Unavailable, "node 3 (KSampler): Allocation on device failed"),
        ("interrupted", Unavailable, "interrupted"),
        ("queue_error", Unavailable, "500"),
        ("queue_reset", NoReply, "connection to 127.0.0.1 lost"),
        ("queue_truncated", NoReply, "was cut off"),
        ("no_picture", BadOutput, "no picture"),
        ("not_a_picture", BadOutput, "not a picture"),
    ],
)
def test_each_failure_has_its_kind_and_reason(
    word: str, kind: type[EditError], reason: str, workflow: Path
) -> None:
    error = failure(word, workflow)
    assert type(error) is kind
    assert reason in str(error)


def test_the_node_titled_result_says_which_of_two_pictures_counts(tmp_path: Path) -> None:
    graph = {**WORKFLOW, "9": {**WORKFLOW["9"], "_meta": {"title": "Result"}}}
    with served("two_saved") as server:
        assert ask(opened(server, written(tmp_path, graph))).picture.encoded == RESULT.encoded


def test_a_server_that_is_not_there_is_unavailable(workflow: Path) -> None:
    with served() as server:
        editor = opened(server, workflow)
    with pytest.raises(Unavailable, match=r"connection to 127\.0\.0\.1 lost"):
        ask(editor)


def test_a_picture_that_cannot_be_fetched_is_given_up_at_once(workflow: Path) -> None:
    with served("view_gone") as server, pytest.raises(UnusableAnswer, match=r"fetched: 404"):
        ask(ComfyUI(opened(server, workflow).facts, read_workflow(workflow)))


def test_a_job_that_never_ends_is_given_up_and_stopped_on_the_server(workflow: Path) -> None:
    with served("never_ends") as server, pytest.raises(Unavailable, match=r"no picture after 300 seconds"):
        ask_and_wait_in_vain(opened(server, workflow), server)
    assert server.interrupted == ["job-1"]


def test_waiting_for_its_turn_does_not_use_up_an_edits_deadline(workflow: Path) -> None:
    async def one(editor: ComfyUI, seed: int) -> Edited:
        edited = await editor.edit(EditRequest((SOURCE,), "Add a red ball.", seed))
        passing_time.let_pass(3)
        return edited

    async def many(editor: ComfyUI) -> list[Edited]:
        try:
            return await asyncio.gather(*(one(editor, seed) for seed in range(40)))
        finally:
            await editor.close()

    with served() as server:
        editor = ComfyUI(opened(server, workflow).facts, read_workflow(workflow), deadline_seconds=60)
        assert len(passing_time.run(many(editor))) == 40, "in 120 seconds"


def test_another_workflow_under_the_same_name_is_another_editor(tmp_path: Path, workflow: Path) -> None:
    with served() as server:
        before = opened(server, workflow).facts
        written(tmp_path, json.dumps(WORKFLOW, indent=4))
        reformatted = opened(server, workflow).facts
        written(tmp_path, {**WORKFLOW, "4": {"class_type": "UNETLoader", "inputs": {}}})
        changed = opened(server, workflow).facts
    assert before.fingerprint == reformatted.fingerprint != changed.fingerprint


@pytest.mark.parametrize(
    ("graph", "advice"),
    [
        ("{", "export the workflow in API format"),
        ({"nodes": [], "links": [], "version": 0.4}, r"Export \(API\)"),
        ({key: node for key, node in WORKFLOW.items() if key != "1"}, "title one of its nodes image"),
        ({key: node for key, node in WORKFLOW.items() if key != "2"}, "title one of its nodes prompt"),
        (
            {**WORKFLOW, "3": {"class_type": "Odd", "inputs": {"n": 1}, "_meta": {"title": "seed"}}},
            r"put \{seed\} into the right input",
        ),
    ],
)
def test_a_workflow_that_cannot_serve_says_what_to_change(tmp_path: Path, graph: Any, advice: str) -> None:
    with pytest.raises(WrongUse, match=advice):
        open_editor(f"comfyui:{written(tmp_path, graph)}")


def test_a_workflow_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"gone\.json: No such file"):
        open_editor(f"comfyui:{tmp_path / 'gone.json'}")


def test_the_workspace_tells_attempts_and_the_reason_of_a_failure(
    workspace: Workspace, make_case: Callable[..., Case], workflow: Path
) -> None:
    with served("queue_error", "success", "execution_error") as server:
        outcome, rows = round_trip_rows(workspace, opened(server, workflow), make_case())
    assert outcome.failures == {"unavailable": 1}
    said = "node 3 (KSampler): Allocation on device failed"
    assert rows == [Row(None, None, 2, 0.0), Row("unavailable", said, 3, None)]
