"""CLIP's direction: whether a picture changed towards the requested edit.

Its value depends on the instruction too, so it is not a metric of two pictures and not in any metric set.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench.metrics.base import MetricUnavailable, NotMeasurable
from convergebench.metrics.clip import Clip, read_model
from convergebench.model_imports import model_imports
from convergebench.types import Pixels, fingerprint_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "clip_direction"
VERSION = "1"
NO_CAPTIONS = "the instruction gives no captions to compare"
SMALLEST_CHANGE = 1e-4
"""For embeddings of length 1. Shorter differences are rounding errors, which have no direction."""

_ADD = re.compile(r"(?:add|insert|put|place) (?P<thing>.+?)(?: to (?P<place>the .+))?", re.IGNORECASE)
_REMOVE = re.compile(
    r"(?:remove|delete|erase|take away) (?P<thing>.+?)(?: from (?P<place>the .+))?", re.IGNORECASE
)
_REPLACE = re.compile(r"replace (?P<old>.+?) (?:with|by) (?P<new>.+)", re.IGNORECASE)
_WHOLE = re.compile(r"the (?:picture|image|photo|photograph)", re.IGNORECASE)


class Captions(NamedTuple):
    """Descriptions of the picture before and after the edit, derived from the instruction."""

    before: str
    after: str


def captions(instruction: str) -> Captions | None:
    """Captions for English instructions that add, remove or replace something; None for any other
    instruction.

    >>> captions("Add a hat to the person.")
    Captions(before='a picture of the person', after='a picture of the person with a hat')
    >>> captions("Remove the cat.")
    Captions(before='a picture with the cat', after='a picture')
    >>> captions("Replace the cat with a dog.")
    Captions(before='a picture of the cat', after='a picture of a dog')
    >>> captions("Flip the image horizontally.") is None
    True
    """
    text = instruction.strip().rstrip(".!").strip()
    if found := _ADD.fullmatch(text):
        return Captions(*_without_and_with(found["thing"], found["place"]))
    if found := _REMOVE.fullmatch(text):
        without, having = _without_and_with(found["thing"], found["place"])
        return Captions(having, without)
    if found := _REPLACE.fullmatch(text):
        return Captions(f"a picture of {found['old']}", f"a picture of {found['new']}")
    return None


def _without_and_with(thing: str, place: str | None) -> tuple[str, str]:
    without = "a picture" if place is None or _WHOLE.fullmatch(place) else f"a picture of {place}"
    return without, f"{without} with {thing}"


def version(clip_version: str, texts: Captions) -> str:
    """The definition's version, that of CLIP with its weights, and the texts: each changes the value."""
    return f"{VERSION}:{clip_version}:{texts_id(texts)}"


def texts_id(texts: Captions) -> str:
    """The captions as the last part of a version."""
    return fingerprint_of(*texts)


def direction(
    pictures: tuple[NDArray[np.float32], NDArray[np.float32]],
    texts: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> float:
    """The cosine between the change of the picture's embedding and that of the text's, each before and after.

    >>> right, up = np.eye(2, dtype=np.float32)
    >>> direction((right, up), (right, up))
    1.0
    """
    moved, expected = (after - before for before, after in (pictures, texts))
    lengths = [float(np.linalg.norm(change)) for change in (moved, expected)]
    if min(lengths) < SMALLEST_CHANGE:
        unchanged = "pictures" if lengths[0] < SMALLEST_CHANGE else "captions"
        raise NotMeasurable(f"CLIP sees no change between the two {unchanged}, so there is no direction")
    return float(np.clip(np.dot(moved, expected) / (lengths[0] * lengths[1]), -1, 1))


class DirectionQuery(NamedTuple):
    """An edit, as input for CLIP."""

    before: Pixels
    after: Pixels
    texts: Captions


@dataclass(frozen=True)
class ClipDirection:
    """Measures with a CLIP that is loaded already, and the text half of the same weights."""

    clip: Clip
    tokenizer: Any
    text_half: Any
    _known: dict[Captions, tuple[NDArray[np.float32], NDArray[np.float32]]] = field(default_factory=dict)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def measure(self, edits: Sequence[DirectionQuery]) -> list[float | NotMeasurable]:
        """The direction of each edit, or the reason why it has none."""
        embedded = self.clip.embedded([pixels for edit in edits for pixels in (edit.before, edit.after)])
        return [
            self._direction(embedded[2 * place], embedded[2 * place + 1], edit.texts)
            for place, edit in enumerate(edits)
        ]

    def similarities(self, pictures: Sequence[Pixels], texts: Sequence[str]) -> list[float]:
        """CLIP-T: the cosine between each picture and its text."""
        words = self._embedded(texts)
        return [float(np.dot(one, two)) for one, two in zip(self.clip.embedded(pictures), words, strict=True)]

    def _direction(
        self, before: NDArray[np.float32], after: NDArray[np.float32], texts: Captions
    ) -> float | NotMeasurable:
        try:
            return direction((before, after), self._texts(texts))
        except NotMeasurable as reason:
            return reason

    def _texts(self, texts: Captions) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        with self._writing:
            if texts not in self._known:
                before, after = self._embedded(texts)
                self._known[texts] = (before, after)
            return self._known[texts]

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import torch

        longest = self.text_half.config.text_config.max_position_embeddings
        words = self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt"
        )
        with torch.inference_mode():
            read = self.text_half.text_model(**words.to(self.clip.device)).pooler_output
            embedded = self.text_half.text_projection(read)
            unit: NDArray[np.float32] = (embedded / embedded.norm(dim=-1, keepdim=True)).cpu().numpy()
        return unit


def load(clip: Clip) -> ClipDirection:
    """Read the text encoder that belongs to this CLIP; raises MetricUnavailable if it is missing."""
    with model_imports:
        from transformers import CLIPTokenizer

    try:
        tokenizer: Any = CLIPTokenizer.from_pretrained(clip.weights, local_files_only=True)
        model = read_model(clip.weights)
        # If its files are missing, transformers creates a tokenizer with an empty vocabulary.
        if len(tokenizer) != model.config.text_config.vocab_size:
            raise ValueError("this is not the tokenizer of these weights")
    except (OSError, ValueError, RuntimeError) as error:
        raise MetricUnavailable(
            f"{clip.weights} holds no text half of CLIP with its tokenizer, so edits get no direction: "
            "give --clip a folder with both"
        ) from error
    del model.vision_model
    return ClipDirection(clip, tokenizer, model.to(clip.device))
