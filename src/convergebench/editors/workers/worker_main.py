"""The far end of a worker: it runs in the model's environment, on any Python from 3.8 on, with no packages.

It reads JSON lines from its standard input and answers each with one on its standard output:

    {"adapter": path, "parameters": {…}}   → {"hello": 1, "adapter": …, "model": …, "version": …, "python": …}
    {"image": path, "instruction": …, "seed": …, "output": path} → {"done": true} or {"refused": reason}

or {"error": reason}. Whatever the model's own code prints goes to stderr. When its input ends, it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import platform
import queue
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, TextIO

PROTOCOL = 1
_PR_SET_PDEATHSIG = 1
_LONGEST_REASON = 2000


def main() -> None:
    _die_with_parent()
    requests, replies = _take_pipes()
    line = _read_in_background(requests)
    # Python puts the script's folder first: the names in ours must not hide packages of the same names.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    try:
        adapter, state, hello = _load(line.get())
    except Exception as error:
        _reply(replies, _failure(error))
        sys.exit(1)
    _reply(replies, hello)
    while True:
        _reply(replies, _answer(adapter, state, line.get()))


def _die_with_parent() -> None:
    """Linux ends us with the parent, even inside native code; elsewhere the closed pipe has to do."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _take_pipes() -> tuple[TextIO, TextIO]:
    """Keep the pipes for ourselves: nothing that the model's code reads or prints may disturb them."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


def _read_in_background(requests: TextIO) -> queue.Queue[dict[str, Any]]:
    """Requests as they come. The end of the input is the end of us, also in the middle of an edit."""
    line: queue.Queue[dict[str, Any]] = queue.Queue()

    def read() -> None:
        for request in requests:
            line.put(json.loads(request))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return line


def _load(request: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    path, parameters = request["adapter"], request["parameters"]
    if parameters.get("repo"):
        sys.path.insert(0, parameters["repo"])
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location("convergebench_adapter_" + name, path)
    assert spec is not None and spec.loader is not None
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    state = adapter.load(parameters)
    hello = {
        "hello": PROTOCOL,
        "adapter": name,
        "model": parameters.get("weights") or getattr(adapter, "MODEL", name),
        "version": str(getattr(adapter, "VERSION", "1")),
        "python": platform.python_version(),
    }
    return adapter, state, hello


def _answer(adapter: Any, state: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        adapter.edit(state, request["image"], request["instruction"], request["seed"], request["output"])
    except Exception as error:
        if type(error).__name__ == "Refused":
            return {"refused": str(error)[:_LONGEST_REASON]}
        return _failure(error)
    return {"done": True}


def _failure(error: Exception) -> dict[str, Any]:
    traceback.print_exc()
    return {"error": f"{type(error).__name__}: {error}"[:_LONGEST_REASON]}


def _reply(replies: TextIO, content: dict[str, Any]) -> None:
    sys.stdout.flush()
    replies.write(json.dumps(content) + "\n")
    replies.flush()


if __name__ == "__main__":
    main()
