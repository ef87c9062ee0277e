"""The types that the rest of the package shares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from convergebench.picture import Picture

Pixels: TypeAlias = "NDArray[np.uint8]"
"""Height × width × 3, sRGB, 0–255."""
Parameter: TypeAlias = str | int | float | bool
Digest: TypeAlias = str
"""SHA-256 of a picture's bytes, in hexadecimal."""


def parameter_in(text: str) -> Parameter:
    """A parameter from text, converted to the type that it looks like.

    >>> parameter_in("20"), parameter_in("2.5"), parameter_in("true"), parameter_in("auto")
    (20, 2.5, True, 'auto')
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def fingerprint_of(*parts: Any) -> str:
    """Sixteen hexadecimal digits that identify any JSON value.

    >>> fingerprint_of("jpeg", {"quality": 75}) == fingerprint_of("jpeg", {"quality": 75})
    True
    """
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


# Cases

Reversibility: TypeAlias = Literal[
    "reversible", "information-destroying", "information-inventing", "ambiguous"
]
"""Whether an edit can be undone exactly, and if not, why not."""


@dataclass(frozen=True)
class SourcePicture:
    """A picture that editing starts from: a file, identified by its content."""

    id: str
    path: Path
    digest: Digest
    kind: str = "picture"
    description: str = ""


@dataclass(frozen=True)
class Undoable:
    """An instruction and the one that undoes it."""

    forward: str
    backward: str


@dataclass(frozen=True)
class SessionTurn:
    """One turn of a session: what is asked, and what the set that it comes from says about it."""

    instruction: str
    task: str = ""
    """The set's own type of edit, such as subject_add."""
    start: SourcePicture | None = None
    """The true picture that the turn starts from, where the set has one."""
    target: SourcePicture | None = None
    """A correct result."""
    mask: SourcePicture | None = None
    """White where the edit belongs."""
    caption: str = ""
    """What a correct result shows, in words."""


SeedPolicy: TypeAlias = Literal["fresh", "same"]
"""Whether every step of a trajectory has its own seed, or all have the first one's."""


@dataclass(frozen=True)
class Case:
    """One task for an editor: pictures and an instruction, with its inverse if it has one."""

    id: str
    sources: tuple[SourcePicture, ...]
    forward: str
    backward: str | None = None
    pair: str = ""
    category: str = ""
    kind: str = "picture"
    language: str = "en"
    hints: Mapping[str, str] = field(default_factory=dict)
    more: tuple[Undoable, ...] = ()
    """Further edits, for protocols that make several before they undo any."""
    turns: tuple[SessionTurn, ...] = ()
    """The turns of a session, in order; empty for cases of other protocols."""

    @property
    def edits(self) -> tuple[Undoable, ...]:
        """Every edit that can be undone, in order."""
        return ((Undoable(self.forward, self.backward),) if self.backward is not None else ()) + self.more

    @property
    def source(self) -> SourcePicture:
        return self.sources[0]

    @property
    def fingerprint(self) -> str:
        more = [[(edit.forward, edit.backward) for edit in self.more]] if self.more else []
        turns = [{"turns": [turn.instruction for turn in self.turns]}] if self.turns else []
        return fingerprint_of(
            [s.digest for s in self.sources], self.forward, self.backward, self.id, *more, *turns
        )


@dataclass(frozen=True)
class UnusableEntry:
    """An entry of a suite's data that is no case, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Suite:
    """A named, versioned list of cases."""

    name: str
    version: str
    cases: tuple[Case, ...]
    unusable: tuple[UnusableEntry, ...] = ()


# Editors


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

    @property
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


class EditError(Exception):
    """The reason why an edit has no picture. The class determines whether a retry can help."""

    kind: FailureKind = "unavailable"
    cost_usd: float | None = None
    """The cost that was charged nevertheless; None if no charge is known."""

    def __init__(self, reason: object = "", *, cost_usd: float | None = None) -> None:
        super().__init__(reason)
        self.cost_usd = cost_usd


class Refused(EditError):
    """The editor will not or cannot do this edit: a result, never retried."""

    kind = "refused"


class RateLimited(EditError):
    """Too many requests; retry after this number of seconds."""

    kind = "rate_limited"

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.after_seconds = after_seconds


class Unavailable(EditError):
    """Timeouts, lost connections, server errors: a retry may help."""

    kind = "unavailable"


class NoReply(Unavailable):
    """The request was sent and no complete answer came: it may have been charged."""


class Misconfigured(EditError):
    """No key, no credit, no such model: this editor cannot continue."""

    kind = "misconfigured"


class BadOutput(EditError):
    """The output is not a picture."""

    kind = "bad_output"


class UnusableAnswer(BadOutput):
    """What came back breaks a rule of ours, such as the largest size of an answer. It may have been paid for,
    and asking again would give the same: it is not tried again in the same run."""


class Crashed(EditError):
    """The editor failed with an unexpected error."""

    kind = "crashed"


# Steps

FailureKind = Literal[
    "refused", "rate_limited", "unavailable", "misconfigured", "bad_output", "crashed", "absent"
]
"""`absent`: an imported chain lacks the picture, and why is not known."""


@dataclass(frozen=True)
class Failure:
    kind: FailureKind
    reason: str


@dataclass(frozen=True)
class Step:
    """One edit in a trajectory: its picture, or the reason why it has none."""

    position: int
    role: str
    round: int
    instruction: str
    seed: int
    inputs: tuple[Digest, ...]
    outcome: PictureFacts | Failure
    seconds: float
    cost_usd: float | None
    attempts: int


@dataclass(frozen=True)
class PictureFacts:
    digest: Digest
    width: int
    height: int
    media_type: str


Image: TypeAlias = "SourcePicture | Picture"


class Edit(Protocol):
    """The editing function that a protocol receives: durable, retried, recorded."""

    def __call__(
        self, image: Image | Sequence[Image], instruction: str, *, role: str, round: int
    ) -> Awaitable[Picture]: ...


# Measurements

Better: TypeAlias = Literal["higher", "lower", "nearest"]
"""`nearest` is for signed metrics, which can deviate from the perfect value in both directions."""
Dimension: TypeAlias = Literal["quality", "semantic", "drift", "region"]


@dataclass(frozen=True)
class MetricFacts:
    """The properties of a metric that tables, plots and docs use."""

    name: str
    version: str
    better: Better
    perfect: float
    worst: float
    """If `better` is nearest, the same distance on the other side of perfect is equally bad."""
    dimension: Dimension
    unit: str = ""
    summary: str = ""
    needs_weights: bool = False
    """Whether a missing value may become available when weights are installed; otherwise it stays missing."""
    is_sampled: bool = False
    """Whether a run measures it at the reported rounds only, unless it is requested."""
    inapplicable: str = ""
    """The reason that it gives where it does not apply to the source; such a value is not missing."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric's value for (reference, picture), or missing, with the reason."""

    metric: str
    version: str
    value: float | None
    missing: str | None = None
    detail: str | None = None
    """Details of the measurement as JSON, such as a mask, a histogram or a position."""


@dataclass(frozen=True)
class ImportedReturn:
    """One row of a file: values by metric name, without missing ones."""

    model: str
    case: str
    picture: str
    pair: str
    category: str
    kind: str
    seed: int
    round: int
    measured: Mapping[str, float]
