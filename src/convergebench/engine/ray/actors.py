"""The actors on the nodes: an editor or a metric set, with direct access to the picture store."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from convergebench.engine.measuring.items import opened
from convergebench.engine.measuring.measurement_queue import Row
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.ray.messages import EditMessage, EditReply, MeasurableMessage, MeasureMessage
from convergebench.errors import ConvergeBenchError, WorkspaceError
from convergebench.metrics import MetricOptions, MetricSet
from convergebench.store import open_pictures
from convergebench.types import (
    BatchEditor,
    Crashed,
    Edited,
    EditError,
    Editor,
    EditRequest,
    Misconfigured,
)


class EditorActor:
    """One replica of an editor."""

    def __init__(self, build: Callable[[], Editor], place: str) -> None:
        self._build = build
        self._place = place
        self._one_at_a_time = asyncio.Lock()

    async def ready(self, fingerprint: str) -> EditError | None:
        """Build the editor. Returns the reason if it is unavailable on this node, or differs from the
        driver's editor."""
        try:
            self._pictures = open_pictures(self._place)
            self._editor = self._build()
        except (EditError, ConvergeBenchError) as error:
            return error if isinstance(error, EditError) else Misconfigured(f"{error} ({_node()})")
        if self._editor.facts.fingerprint != fingerprint:
            return Misconfigured(
                f"{self._editor.facts.name} is a different editor on {_node()}: "
                "install the same packages and files on every node"
            )
        return None

    async def serve(self, messages: Sequence[EditMessage]) -> Sequence[EditReply | EditError]:
        try:
            requests = await asyncio.gather(*(asyncio.to_thread(self._opened, one) for one in messages))
        except WorkspaceError as error:
            reason = f"{error} (on {_node()}; --pictures names a place that all nodes reach)"
            return [Misconfigured(reason)] * len(messages)
        started = time.perf_counter()
        outcomes = await self._edited(requests)
        seconds = time.perf_counter() - started
        return await asyncio.gather(
            *(asyncio.to_thread(self._kept, outcome, seconds) for outcome in outcomes)
        )

    async def close(self) -> None:
        await self._editor.close()

    def _opened(self, message: EditMessage) -> EditRequest:
        images = tuple(self._pictures.open(facts) for facts in message.images)
        for image in images:
            _ = image.encoded
        return EditRequest(images, message.instruction, message.seed, message.context)

    async def _edited(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        try:
            if isinstance(self._editor, BatchEditor):
                return await self._editor.edit_batch(requests)
            return [await self._edited_alone(request) for request in requests]
        except EditError as error:
            return [error] * len(requests)
        except Exception as error:
            return [Crashed(" ".join(f"{type(error).__name__}: {error}".split()))] * len(requests)

    async def _edited_alone(self, request: EditRequest) -> Edited:
        """The measured seconds exclude the wait for the previous request."""
        async with self._one_at_a_time:
            started = time.perf_counter()
            edited = await self._editor.edit(request)
            seconds = time.perf_counter() - started
        return edited if edited.seconds is not None else replace(edited, seconds=seconds)

    def _kept(self, outcome: Edited | EditError, seconds: float) -> EditReply | EditError:
        if isinstance(outcome, EditError):
            return outcome
        picture = outcome.picture
        seconds = seconds if outcome.seconds is None else outcome.seconds
        try:
            self._pictures.put(picture)
        except WorkspaceError:  # the driver may still be able to write; if not, it reports why
            return EditReply(picture.facts, outcome.cost_usd, seconds, picture.encoded)
        return EditReply(picture.facts, outcome.cost_usd, seconds)


class MetricActor:
    """One metric set."""

    def __init__(self, metrics: Sequence[str], options: MetricOptions, place: str) -> None:
        self._metric_set = MetricSet(metrics, options)
        self._pictures = open_pictures(place)
        self._measurers = Measurers.here(self._metric_set, self._pictures)

    async def ready(self) -> None:
        return None

    async def serve(
        self, messages: Sequence[MeasureMessage | MeasurableMessage]
    ) -> Sequence[list[Row] | list[str]]:
        return [
            await asyncio.to_thread(self._measure, one)
            if isinstance(one, MeasureMessage)
            else await asyncio.to_thread(self._measurable)
            for one in messages
        ]

    def _measurable(self) -> list[str]:
        names = [facts.name for facts in self._metric_set.facts if facts.needs_weights]
        return [name for name in names if self._metric_set.can_measure(name)]

    def _measure(self, message: MeasureMessage) -> list[Row]:
        open_once = cache(self._pictures.open)
        items = [opened(item, open_once) for item in message.items]
        return self._measurers.by_kind[message.kind].measure(items)

    async def close(self) -> None:
        pass


def _node() -> str:
    return f"node {socket.gethostname()}"
