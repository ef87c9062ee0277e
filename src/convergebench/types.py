"""The vocabulary: what the rest of the code talks about, and nothing that it does."""

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
    """A parameter as it was typed, of the type that it looks like.

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
    """Sixteen hexadecimal digits that stand for anything JSON can hold.

    >>> fingerprint_of("jpeg", {"quality": 75}) == fingerprint_of("jpeg", {"quality": 75})
    True
    """
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


# What is asked

Reversibility: TypeAlias = Literal[
    "reversible", "information-destroying", "information-inventing", "ambiguous"
]
"""Whether an edit can be undone exactly, and if not, why not."""


@dataclass(frozen=True)
class SourcePicture:
    """A picture that editing starts from: a file, known by what is in it."""

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
class Case:
    """One thing asked of an editor: pictures and an instruction, with its inverse if it has one."""

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
        return fingerprint_of([s.digest for s in self.sources], self.forward, self.backward, self.id, *more)


@dataclass(frozen=True)
class Suite:
    """A named, versioned list of cases."""

    name: str
    version: str
    cases: tuple[Case, ...]


# Who is asked


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
    """Whose limits it is under: editors of one provider share its concurrency and rate."""
    at_once: int | None = None
    """Requests at a time that its provider allows; None for editors of this machine."""
    per_minute: float | None = None
    """Requests a minute that its provider allows, where that is known."""
    label: str = ""
    """A name given by the user. It is not part of the fingerprint, so a model can be renamed."""

    @property
    def title(self) -> str:
        """The name to show."""
        return self.label or self.name

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.name, self.version, dict(self.parameters))


@dataclass(frozen=True)
class StepContext:
    """Where in its trajectory an edit stands. A model is never told; `folder` looks its pictures up by it."""

    case: str
    position: int
    role: str
    round: int
    seed: int
    """The trajectory's seed, of which each step's own is made."""


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
    """Turns a request into a picture, or raises an EditError that says why not."""

    facts: EditorFacts

    async def edit(self, request: EditRequest) -> Edited: ...

    async def close(self) -> None: ...


@runtime_checkable
class BatchEditor(Editor, Protocol):
    """An editor that serves many requests in one call, each with its own outcome, in order.

    Like any editor it may be asked again before it has answered.
    """

    batch_size: int

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]: ...


@dataclass(frozen=True)
class Share:
    """What one replica of an editor takes of a machine; GPUs only where there are any."""

    cpus: float = 1.0
    gpus: float = 0.0


@runtime_checkable
class Replicable(Editor, Protocol):
    """An editor that does its work where it is, so that more of them on more machines do more."""

    share: Share


@runtime_checkable
class PreparedEditor(Editor, Protocol):
    """An editor that takes a while to get ready, which is not the time of its first edit; it sets itself a
    deadline for each, so that waiting for its turn does not count either."""

    async def prepare(self) -> None:
        """Returns when it can be asked, or when it is clear that it cannot: then it says so when asked."""


class EditError(Exception):
    """Why there is no picture. The class says whether asking again can help."""

    kind: FailureKind = "unavailable"
    cost_usd: float | None = None
    """What was charged all the same; None where no charge is known of."""

    def __init__(self, reason: object = "", *, cost_usd: float | None = None) -> None:
        super().__init__(reason)
        self.cost_usd = cost_usd


class Refused(EditError):
    """The editor will not or cannot do this edit: a result, never tried again."""

    kind = "refused"


class RateLimited(EditError):
    """Too many requests; ask again after this many seconds."""

    kind = "rate_limited"

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.after_seconds = after_seconds


class Unavailable(EditError):
    """Timeouts, lost connections, server errors: asking again may help."""

    kind = "unavailable"


class Misconfigured(EditError):
    """No key, no credit, no such model: this editor cannot continue."""

    kind = "misconfigured"


class BadOutput(EditError):
    """What came back is not a picture."""

    kind = "bad_output"


class Crashed(EditError):
    """The editor broke in a way that it does not foresee."""

    kind = "crashed"


# What happened

FailureKind = Literal["refused", "rate_limited", "unavailable", "misconfigured", "bad_output", "crashed"]


@dataclass(frozen=True)
class Failure:
    kind: FailureKind
    reason: str


@dataclass(frozen=True)
class Step:
    """One edit in a trajectory: its picture, or why there is none."""

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
    """The editing function a protocol is handed: durable, retried, recorded."""

    def __call__(
        self, image: Image | Sequence[Image], instruction: str, *, role: str, round: int
    ) -> Awaitable[Picture]: ...


# How it is measured

Better: TypeAlias = Literal["higher", "lower", "nearest"]
"""Nearest to the perfect value: signed metrics, which can miss it on either side."""
Dimension: TypeAlias = Literal["quality", "semantic", "drift", "region"]


@dataclass(frozen=True)
class MetricFacts:
    """All that tables, plots and docs need to know of a metric."""

    name: str
    version: str
    better: Better
    perfect: float
    worst: float
    """Where `better` is nearest, being as far from perfect on the other side is as bad."""
    dimension: Dimension
    unit: str = ""
    summary: str = ""
    needs_weights: bool = False
    """Missing today may be there tomorrow; what needs nothing is missing for good."""
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
    """What the value was made of, as JSON, where that is worth keeping: a mask, a histogram, a place."""


@dataclass(frozen=True)
class ImportedReturn:
    """One row of a file: what was measured, by metric name; a metric without a value is not in it."""

    model: str
    case: str
    picture: str
    pair: str
    category: str
    kind: str
    seed: int
    round: int
    measured: Mapping[str, float]
