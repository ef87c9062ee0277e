"""A ComfyUI workflow in API format with named slots for pictures, prompt and seed.

A slot is a node titled image (then image 2, image 3 …), prompt or seed, or any input whose text holds
{image}, {prompt} or {seed}. A node titled result says which picture is meant where several are saved.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse

Graph = dict[str, dict[str, Any]]

TITLE = re.compile(r"(image|prompt|seed|result)(?: ?(\d+))?", re.IGNORECASE)
PLACEHOLDER = re.compile(r"\{(image|prompt|seed)(?: ?(\d+))?\}")
INPUTS = {
    "image": ("image", "value"),
    "prompt": ("text", "prompt", "value", "string", "instruction"),
    "seed": ("seed", "noise_seed", "value"),
}
"""The input of common node types for each kind of slot."""


@dataclass(frozen=True)
class Slot:
    kind: str
    number: int
    """Which of several pictures, from 1."""
    node: str
    input: str


@dataclass(frozen=True)
class Workflow:
    graph: Graph
    slots: tuple[Slot, ...]
    digest: str
    """Independent of the formatting of the file."""
    result_node: str | None

    @property
    def pictures(self) -> int:
        return max(slot.number for slot in self.slots if slot.kind == "image")

    def filled(self, images: Sequence[str], prompt: str, seed: int) -> Graph:
        """The graph for one edit; picture slots beyond those given get the last one."""
        graph = copy.deepcopy(self.graph)
        for slot in self.slots:
            inputs = graph[slot.node]["inputs"]
            if slot.kind == "image":
                inputs[slot.input] = images[min(slot.number, len(images)) - 1]
            elif slot.kind == "seed":
                inputs[slot.input] = seed
            else:
                template = str(inputs[slot.input])
                inputs[slot.input] = (
                    template.replace("{prompt}", prompt) if "{prompt}" in template else prompt
                )
        return graph


def read_workflow(path: Path) -> Workflow:
    """The workflow in a file; raises WrongUse with advice if it cannot be used as an editor."""
    try:
        graph = json.loads(path.read_bytes())
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}; give the path of a workflow in API format") from error
    except ValueError as error:
        raise WrongUse(f"{path} is not JSON ({error}); export the workflow in API format") from error
    if not _is_api_format(graph):
        raise WrongUse(f"{path} is not a workflow in API format; use ComfyUI's Export (API)")
    slots = tuple(_slots(path, graph))
    for kind in ("image", "prompt"):
        if not any(slot.kind == kind for slot in slots):
            raise WrongUse(f"{path} has no slot for the {kind}; title one of its nodes {kind}")
    canonical = json.dumps(graph, sort_keys=True).encode()
    results = [node for node in graph if _title(graph, node)[0] == "result"]
    return Workflow(graph, slots, hashlib.sha256(canonical).hexdigest()[:16], results[0] if results else None)


def _is_api_format(graph: Any) -> bool:
    return isinstance(graph, dict) and all(
        isinstance(node, dict) and "class_type" in node and isinstance(node.get("inputs"), dict)
        for node in graph.values()
    )


def _slots(path: Path, graph: Graph) -> list[Slot]:
    found = []
    for node, content in graph.items():
        kind, number = _title(graph, node)
        if kind in INPUTS:
            found.append(Slot(kind, number, node, _input_for(path, kind, content)))
        for name, value in content["inputs"].items():
            match = PLACEHOLDER.search(value) if isinstance(value, str) else None
            if match and kind not in INPUTS:
                found.append(Slot(match[1], int(match[2] or 1), node, name))
    return found


def _title(graph: Graph, node: str) -> tuple[str, int]:
    match = TITLE.fullmatch(str(graph[node].get("_meta", {}).get("title", "")).strip())
    return (match[1].lower(), int(match[2] or 1)) if match else ("", 0)


def _input_for(path: Path, kind: str, content: dict[str, Any]) -> str:
    for name in INPUTS[kind]:
        # A list is a link to another node's output: that input is not ours to set.
        if name in content["inputs"] and not isinstance(content["inputs"][name], list):
            return name
    raise WrongUse(
        f"{path}: the node titled {kind} ({content['class_type']}) has no input for it; "
        f"put {{{kind}}} into the right input instead"
    )
