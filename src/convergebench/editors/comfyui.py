"""A ComfyUI server with a workflow of yours: upload, queue, wait, view."""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from convergebench.editors._http import Web, called_off_by, part_of, patiently, sentence
from convergebench.editors._remote import DEADLINE_SECONDS, deadline, edited_from, made_ready, sent_pictures
from convergebench.editors._workflow import Workflow, read_workflow
from convergebench.editors.needs import Package
from convergebench.editors.registry import provider
from convergebench.providers import one_line
from convergebench.types import (
    BadOutput,
    Edited,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Unavailable,
)

if TYPE_CHECKING:
    import aiohttp

    from convergebench.picture import Picture

FIRST_POLL_SECONDS = 0.05
POLL_SECONDS = 1.0
LISTEN_SECONDS = 15.0
PING_SECONDS = 10.0
AT_ONCE = 2
"""A server works on one job at a time; one more waits there, so that it is never idle. Those that wait here
do not use up their deadline."""
ENDS = ("execution_success", "execution_error", "execution_interrupted")


@provider(
    "comfyui",
    summary="your ComfyUI workflow, as comfyui:/path/workflow.json (API format)",
    version="1",
    price_usd=0.0,
    needs=(Package("aiohttp", "http"),),
    parameters={"base_url": "http://127.0.0.1:8188"},
)
def comfyui(facts: EditorFacts) -> ComfyUI:
    return ComfyUI(facts, read_workflow(Path(str(facts.parameters["model"])).expanduser()))


class ComfyUI:
    """Free as far as we know. The workflow's digest is a parameter, so a changed one is another editor."""

    def __init__(
        self, facts: EditorFacts, workflow: Workflow, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        parameters = {**facts.parameters, "workflow": workflow.digest}
        self.facts = replace(facts, parameters=parameters, max_inputs=workflow.pictures)
        self._workflow = workflow
        self._server = str(facts.parameters["base_url"]).rstrip("/")
        self._web = Web(self._server)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        pictures = await made_ready(partial(sent_pictures, self.facts), request)
        async with self._turns, deadline(self._deadline_seconds):
            names = [await self._upload(picture) for picture in pictures]
            graph = self._workflow.filled(names, request.instruction, request.seed)
            client = uuid.uuid4().hex
            async with self._news(client) as news:
                job = await self._queue(graph, client)
                async with called_off_by(lambda: self._call_off(job)):
                    done = await self._done(job, news)
            data = await self._view(self._chosen(done))
        return await edited_from(data, self.facts.price_usd)

    async def close(self) -> None:
        await self._web.close()

    async def _upload(self, image: Picture) -> str:
        import aiohttp

        from convergebench.picture import SUFFIXES

        name = f"convergebench-{image.digest[:16]}{SUFFIXES[image.facts.media_type]}"
        form = aiohttp.FormData({"overwrite": "true", "type": "input"})
        form.add_field("image", image.encoded, filename=name, content_type=image.facts.media_type)
        reply = await self._web.ask("POST", f"{self._server}/upload/image", data=form)
        kept = reply.good().json()
        folder = kept.get("subfolder")
        return f"{folder}/{part_of(kept, 'name')}" if folder else str(part_of(kept, "name"))

    async def _queue(self, graph: Any, client: str) -> str:
        body = {"prompt": graph, "client_id": client}
        reply = await self._web.ask("POST", f"{self._server}/prompt", json=body)
        if reply.status == 400:
            raise Misconfigured(_why_not(reply.reason, reply.json()))
        answer = reply.good().json()
        if answer.get("node_errors"):
            raise Misconfigured(_why_not("", answer))
        return str(part_of(answer, "prompt_id"))

    @contextlib.asynccontextmanager
    async def _news(self, client: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse | None]:
        """The server's messages for one client; None if it has no websocket for us."""
        import aiohttp

        address = f"{self._server}/ws?clientId={client}"
        try:
            socket = await self._web.session.ws_connect(address, heartbeat=PING_SECONDS)
        except (aiohttp.ClientError, Unavailable):
            yield None
            return
        async with socket:
            yield socket

    async def _done(self, job: str, news: aiohttp.ClientWebSocketResponse | None) -> Any:
        """The job's history once it has ended. News of the end only spares us asking."""

        async def history() -> Any:
            return (await self._web.ask("GET", f"{self._server}/history/{job}")).good().json().get(job)

        wait_seconds = FIRST_POLL_SECONDS  # the history is written just after the end is told
        while True:
            if news is not None and not news.closed:
                await _heard_of_the_end(job, news)
            entry = await patiently(history)
            status = (entry or {}).get("status") or {}
            if status.get("status_str") == "error":
                raise Unavailable(_what_failed(status.get("messages") or []))
            if entry and status.get("completed", True):
                return entry
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(2 * wait_seconds, POLL_SECONDS)

    def _chosen(self, done: Any) -> Any:
        """The one picture that the workflow is for: saved ones go before previews."""
        outputs: dict[str, Any] = done.get("outputs", {})
        node = self._workflow.result_node
        nodes = outputs.values() if node is None else [outputs.get(node, {})]
        pictures = [image for output in nodes for image in output.get("images", [])]
        saved = [image for image in pictures if image.get("type") == "output"] or pictures
        if not saved:
            raise BadOutput("the workflow made no picture")
        if len(saved) > 1:
            raise Misconfigured(f"the workflow made {len(saved)} pictures; title the node that counts result")
        return saved[0]

    async def _view(self, image: Any) -> bytes:
        wanted = {name: image.get(name, "") for name in ("filename", "subfolder", "type")}
        return await self._web.fetch(f"{self._server}/view?{urlencode(wanted)}")

    async def _call_off(self, job: str) -> None:
        """Out of the queue if it waits there, stopped if it runs."""
        await self._web.ask("POST", f"{self._server}/queue", json={"delete": [job]})
        queue = (await self._web.ask("GET", f"{self._server}/queue")).good().json()
        # Older servers stop whatever runs, so ask only when that is ours.
        if any(running[1] == job for running in queue.get("queue_running", [])):
            await self._web.ask("POST", f"{self._server}/interrupt", json={"prompt_id": job})


async def _heard_of_the_end(job: str, news: aiohttp.ClientWebSocketResponse) -> None:
    """Listen until the job ends or the server hangs up, but not for ever: an end can be missed."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LISTEN_SECONDS):
            async for message in news:
                if _tells_the_end(job, message):
                    return


def _tells_the_end(job: str, message: aiohttp.WSMessage) -> bool:
    import aiohttp

    if message.type is not aiohttp.WSMsgType.TEXT:
        return False  # previews
    told = json.loads(message.data)
    about = told.get("data") or {}
    if about.get("prompt_id") != job:
        return False
    return told.get("type") in ENDS or (told.get("type") == "executing" and about.get("node") is None)


def _why_not(reason: str, answer: Any) -> str:
    """Which nodes the server objects to, and why."""
    nodes = [
        f"node {node} ({said.get('class_type', '?')}): {sentence(said.get('errors'))}"
        for node, said in (answer.get("node_errors") or {}).items()
    ]
    return one_line("the workflow does not fit this server: " + "; ".join(nodes or [reason]), None)


def _what_failed(messages: list[Any]) -> str:
    for kind, about in messages:
        if kind == "execution_error":
            node = f"node {about.get('node_id')} ({about.get('node_type')})"
            return one_line(f"{node}: {about.get('exception_message')}", None)
        if kind == "execution_interrupted":
            return "the job was interrupted on the server"
    return "the workflow failed on the server"
