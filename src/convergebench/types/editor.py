"""Editors: their identity, what they are asked and what they return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from convergebench.types.failure import EditError
from convergebench.types.values import Parameter, fingerprint_of

if TYPE_CHECKING:
    from convergebench.picture import Picture


@dataclass(frozen=True)
class EditorFacts:
    """An editor's identity: every parameter that changes its output is in the fingerprint."""

    name: str
    version: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    role: Literal["model", "probe", "floor"] = "model"
    price_usd: float | None = None
    """Per edit; 0 is free, None is unknown."""
    max_inputs: int = 1
    provider: str = ""
    """The provider whose limits apply: its editors share concurrency and rate."""
    at_once: int | None = None
    """Parallel requests that its provider allows; None for editors on this machine."""
    per_minute: float | None = None
    """Requests per minute that its provider allows, if known."""
    typical_seconds: float | None = None
    """Per edit, where that was measured; for forecasts only."""
    label: str = ""
    """A name given by the user. It is not part of the fingerprint, so a model can be renamed."""
    warnings: tuple[str, ...] = ()
    """What it silently ignores or changes, as clauses that follow its name."""

    @property
    def title(self) -> str:
        """The name to show."""
        return self.label or self.name

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.name, self.version, dict(self.parameters))


@dataclass(frozen=True)
class StepContext:
    """The position of an edit in its trajectory. Models do not receive it; `folder` finds its pictures by
    it."""

    case: str
    position: int
    role: str
    round: int
    seed: int
    """The trajectory's seed, from which each step's seed is derived."""


@dataclass(frozen=True)
class EditRequest:
    images: tuple[Picture, ...]
    instruction: str
    seed: int
    context: StepContext | None = None

    @property
    def image(self) -> Picture:
        return self.images[0]


@dataclass(frozen=True)
class Edited:
    picture: Picture
    cost_usd: float | None = None
    seconds: float | None = None
    """Duration of the edit itself, from editors that measure it; it excludes waiting."""


class Editor(Protocol):
    """Turns a request into a picture, or raises an EditError with the reason."""

    facts: EditorFacts

    async def edit(self, request: EditRequest) -> Edited: ...

    async def close(self) -> None: ...


@runtime_checkable
class BatchEditor(Editor, Protocol):
    """An editor that serves many requests in one call, each with its own outcome, in order.

    Like any editor, it may receive another call before it has answered.
    """

    batch_size: int

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]: ...


@dataclass(frozen=True)
class Share:
    """The resources that one replica of an editor uses; GPUs only if the machine has any."""

    cpus: float = 1.0
    gpus: float = 0.0


@runtime_checkable
class Replicable(Editor, Protocol):
    """An editor that computes locally, so that replicas on more machines increase the throughput."""

    share: Share


@runtime_checkable
class PreparedEditor(Editor, Protocol):
    """An editor that takes a while to start, which does not count as time of its first edit. It sets its own
    deadline for each edit, so that waiting in a queue does not count either."""

    async def prepare(self) -> None:
        """Returns when the editor is ready, or when it is clear that it cannot start; edits then fail with
        the reason."""
