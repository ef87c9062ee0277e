"""ComfyUI: upload, queue, websocket, history, view, interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from servers.base import BROKEN, SLOW_SECONDS, LoopbackServer

INVALID = {
    "error": {
        "type": "prompt_outputs_failed_validation",
        "message": "Prompt outputs failed validation",
        "details": "",
        "extra_info": {},
    },
    "node_errors": {
        "4": {
            "errors": [{"type": "value_not_in_list", "message": "Value not in list", "details": "ckpt_name"}],
            "dependent_outputs": ["9"],
            "class_type": "CheckpointLoaderSimple",
        }
    },
}
EXECUTION_ERROR = {
    "node_id": "3",
    "node_type": "KSampler",
    "exception_type": "torch.OutOfMemoryError",
    "exception_message": "Allocation on device failed",
}
PICTURE = {"filename": "edited_00001_.png", "subfolder": "", "type": "output"}
OUTPUTS: dict[str, dict[str, Any]] = {
    "preview": {"9": {"images": [PICTURE | {"type": "temp"}]}},
    "saved_and_preview": {
        "8": {"images": [PICTURE | {"type": "temp", "filename": "p.png"}]},
        "9": {"images": [PICTURE]},
    },
    "two_saved": {"8": {"images": [PICTURE | {"filename": "other.png"}]}, "9": {"images": [PICTURE]}},
    "no_picture": {"9": {"text": ["done"]}},
}


class ComfyServer(LoopbackServer):
    """One job runs at a time, and its end is told to those who listen.

    Words: success, slow, silent (tells nobody of the end), hang_up (closes the websocket), invalid,
    partly_invalid, execution_error, interrupted, not_a_picture, view_gone, queue_error, never_ends, those of
    OUTPUTS, and those of BROKEN with `queue_` or `history_once_` before.
    """

    def __init__(
        self, script: Sequence[str] = ("success",), picture: bytes = b"", websocket: bool = True
    ) -> None:
        super().__init__(script, picture)
        self.uploaded: dict[str, bytes] = {}
        self.queued: list[dict[str, Any]] = []
        self.interrupted: list[str] = []
        self.history_asked = 0
        self._websocket = websocket
        self._listeners: dict[str, web.WebSocketResponse] = {}
        self._history: dict[str, dict[str, Any]] = {}
        self._words: dict[str, str] = {}
        self._running: list[str] = []
        self._jobs: set[asyncio.Task[None]] = set()
        self._worker = asyncio.Lock()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/upload/image", self._upload),
            web.post("/prompt", self._queue),
            web.get("/ws", self._listen),
            web.get("/history/{job}", self._tell_history),
            web.get("/view", self._view),
            web.get("/queue", self._tell_queue),
            web.post("/queue", self._accepted),
            web.post("/interrupt", self._interrupt),
        ]

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        image = form["image"]
        assert isinstance(image, web.FileField) and form["overwrite"] == "true" and form["type"] == "input"
        self.uploaded[image.filename] = image.file.read()
        return web.json_response({"name": image.filename, "subfolder": "", "type": "input"})

    async def _queue(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        self.queued.append(asked["prompt"])
        word, job = self.next_word(), f"job-{len(self.queued)}"
        if word == "queue_error":
            return web.Response(status=500, text="500 Internal Server Error")
        if word.startswith("queue_"):
            return await BROKEN[word.removeprefix("queue_")](request)
        if word == "invalid":
            return web.json_response(INVALID, status=400)
        self._words[job] = word
        self._running.append(job)
        work = asyncio.get_running_loop().create_task(self._execute(job, word, asked["client_id"]))
        self._jobs.add(work)
        errors = INVALID["node_errors"] if word == "partly_invalid" else {}
        return web.json_response({"prompt_id": job, "number": 1, "node_errors": errors})

    async def _execute(self, job: str, word: str, client: str) -> None:
        await self._tell(client, "status", {"status": {"exec_info": {"queue_remaining": 1}}})
        await self._tell(client, "executing", {"node": None, "prompt_id": "somebody else's"})
        await self._tell(client, "executing", {"node": "3", "prompt_id": job})
        if word == "never_ends":
            return
        if client in self._listeners:
            await self._listeners[client].send_bytes(b"\x00\x00\x00\x01a preview")
            if word == "hang_up":
                await self._listeners[client].close()
        async with self._worker:
            await asyncio.sleep(SLOW_SECONDS if word == "slow" else 0.02)
        while word == "asked_thrice" and self.history_asked < 3:  # noqa: ASYNC110 - by requests
            await asyncio.sleep(0.005)
        self._running.remove(job)
        failures: dict[str, tuple[str, dict[str, str]]] = {
            "execution_error": ("execution_error", EXECUTION_ERROR),
            "interrupted": ("execution_interrupted", {"node_id": "3"}),
        }
        kind, about = failures.get(word, ("execution_success", {}))
        if word != "silent":
            await self._tell(client, kind, {"prompt_id": job, **about})
        status = "error" if word in failures else "success"
        self._history[job] = {
            "outputs": OUTPUTS.get(word, {"9": {"images": [PICTURE]}}),
            "status": {"status_str": status, "completed": status == "success", "messages": [[kind, about]]},
        }
        if word != "silent":
            await self._tell(client, "executing", {"node": None, "prompt_id": job})

    async def _tell(self, client: str, kind: str, data: Any) -> None:
        listener = self._listeners.get(client)
        if listener is not None and not listener.closed:
            await listener.send_json({"type": kind, "data": data})

    async def _listen(self, request: web.Request) -> web.StreamResponse:
        if not self._websocket:
            return web.Response(status=403)
        listener = web.WebSocketResponse()
        await listener.prepare(request)
        self._listeners[request.query["clientId"]] = listener
        async for _ in listener:
            pass
        return listener

    async def _tell_history(self, request: web.Request) -> web.StreamResponse:
        self.history_asked += 1
        job = request.match_info["job"]
        word = self._words[job]
        if word.startswith("history_once_") and self.history_asked == 1:
            return await BROKEN[word.removeprefix("history_once_")](request)
        return web.json_response({job: self._history[job]} if job in self._history else {})

    async def _view(self, request: web.Request) -> web.StreamResponse:
        word = self._words[f"job-{len(self.queued)}"]
        if word == "view_gone" or request.query["filename"] != PICTURE["filename"]:
            return web.Response(status=404)
        body = b"<html>an error page</html>" if word == "not_a_picture" else self.picture
        return web.Response(body=body, content_type="image/png")

    async def _tell_queue(self, request: web.Request) -> web.StreamResponse:
        running = [[number, job, {}, {}, []] for number, job in enumerate(self._running)]
        return web.json_response({"queue_running": running, "queue_pending": []})

    async def _accepted(self, request: web.Request) -> web.StreamResponse:
        return web.Response()

    async def _interrupt(self, request: web.Request) -> web.StreamResponse:
        self.interrupted.append((await request.json())["prompt_id"])
        return web.Response()
