"""A Qwen2.5-VL on this machine, through transformers: such as the published EditRefine weights.

It needs no torchvision: the tokenizer and the plain image processor are combined here.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.errors import MissingExtra, WrongUse
from convergebench.judges.base import JudgeFacts, JudgeReply, Question
from convergebench.model_imports import model_imports
from convergebench.types import Misconfigured, Parameter, fingerprint_of

if TYPE_CHECKING:
    import torch

FAMILY = "qwen2_5_vl"
DTYPES = ("auto", "bfloat16", "float16", "float32")
SETTINGS = ("temperature", "max_tokens", "device", "dtype")
ABOUT_RUNNING = frozenset({"device"})
"""Settings that change where the model runs, but not its answers."""
SAMPLES, SAMPLE_BYTES = 16, 1 << 16
_PICTURE = "<|image_pad|>"
_TURN, _END = "<|im_start|>", "<|im_end|>"


class QwenLocal:
    """One model in this process; questions wait for each other."""

    def __init__(self, facts: JudgeFacts) -> None:
        strange = set(facts.settings) - set(SETTINGS)
        if strange:
            raise WrongUse(
                f"{facts.name} has no setting {', '.join(sorted(strange))}; it takes {', '.join(SETTINGS)}"
            )
        self._settings = dict(facts.settings)
        kept = {key: value for key, value in facts.settings.items() if key not in ABOUT_RUNNING}
        self.facts = replace(facts, version=f"{facts.version}{_content(facts.model)}", settings=kept)
        self._turn = threading.Lock()
        self._loaded: _Loaded | None = None

    async def start(self) -> None:
        self._loaded = await asyncio.to_thread(_load, self.facts.model, self._settings)

    async def ask(self, question: Question) -> JudgeReply:
        return await asyncio.to_thread(self._answered, question)

    async def close(self) -> None:
        self._loaded = None

    def _answered(self, question: Question) -> JudgeReply:
        assert self._loaded is not None, "start comes first"
        with self._turn:
            return self._loaded.reply(question, self._settings, self.facts.model)


class _Loaded:
    def __init__(self, model: Any, tokenizer: Any, pictures: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._pictures = pictures

    def reply(self, question: Question, settings: Mapping[str, Parameter], name: str) -> JudgeReply:
        import torch

        inputs = self._inputs(question)
        most, temperature = int(settings["max_tokens"]), float(settings["temperature"])
        # Otherwise the model family's own sampling settings would apply, with warnings.
        how: dict[str, Any] = {"top_p": None, "top_k": None, "repetition_penalty": 1.0, "temperature": None}
        how |= {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        torch.manual_seed(question.seed)
        with torch.inference_mode():
            out = self._model.generate(
                **inputs, max_new_tokens=most, eos_token_id=self._end, pad_token_id=self._end, **how
            )
        read = int(inputs["input_ids"].shape[1])
        written = out[0, read:].tolist()
        ended = self._end in written
        text = self._tokenizer.decode(written, skip_special_tokens=True)
        return JudgeReply(
            text, "complete" if ended else "truncated", "stop" if ended else "length", name, read,
            len(written), 0.0,
        )  # fmt: skip

    @property
    def _end(self) -> int:
        return int(self._tokenizer.convert_tokens_to_ids(_END))

    def _inputs(self, question: Question) -> dict[str, torch.Tensor]:
        import torch
        from PIL import Image

        shown = self._pictures(
            images=[Image.fromarray(picture.pixels) for picture in question.pictures], return_tensors="pt"
        )
        merged = self._pictures.merge_size**2
        places = iter([int(grid.prod()) // merged for grid in shown["image_grid_thw"]])
        said = "".join(
            part if isinstance(part, str) else f"<|vision_start|>{_PICTURE * next(places)}<|vision_end|>"
            for part in question.parts
        )
        system = f"{_TURN}system\n{question.system}{_END}\n" if question.system else ""
        text = f"{system}{_TURN}user\n{said}{_END}\n{_TURN}assistant\n"
        tokens = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)
        is_picture = tokens["input_ids"] == self._tokenizer.convert_tokens_to_ids(_PICTURE)
        inputs = {
            "input_ids": tokens["input_ids"],
            "attention_mask": tokens["attention_mask"],
            "mm_token_type_ids": is_picture.to(torch.int32),
            "image_grid_thw": shown["image_grid_thw"],
        }
        on_device = {key: value.to(self._model.device) for key, value in inputs.items()}
        pixels = shown["pixel_values"].to(self._model.device, self._model.dtype)
        return {**on_device, "pixel_values": pixels}


def _load(name: str, settings: Mapping[str, Parameter]) -> _Loaded:
    try:
        import torch

        with model_imports:
            from transformers import (
                AutoConfig,
                AutoTokenizer,
                Qwen2_5_VLForConditionalGeneration,
                Qwen2VLImageProcessorPil,
            )
    except ImportError as error:
        raise MissingExtra("transformers", "torch") from error
    dtype, device = str(settings["dtype"]), str(settings["device"])
    if dtype not in DTYPES:
        raise Misconfigured(f"dtype must be one of {', '.join(DTYPES)}, not {dtype}")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        family = AutoConfig.from_pretrained(name).model_type
        if family != FAMILY:
            raise Misconfigured(f"{name} is a {family}, not a Qwen2.5-VL; serve it as vllm:{name}")
        model: Any = Qwen2_5_VLForConditionalGeneration.from_pretrained(name, dtype=dtype)
        return _Loaded(
            model.to(device).eval(),
            AutoTokenizer.from_pretrained(name),
            Qwen2VLImageProcessorPil.from_pretrained(name),
        )
    except (OSError, ValueError, RuntimeError) as error:
        said = " ".join(str(error).split())[:300]
        raise Misconfigured(f"the weights of {name} cannot be loaded on {device}: {said}") from error


def _content(name: str) -> str:
    """Identifies the weights in a folder by their sizes and some of their bytes, because reading all of them
    would take minutes. A hub id is used unchanged."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return ""
    files = sorted(file for file in folder.iterdir() if file.suffix in (".safetensors", ".json"))
    return f"+{fingerprint_of([(file.name, _sampled(file)) for file in files])[:12]}"


def _sampled(file: Path) -> str:
    size = file.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with file.open("rb") as content:
        for place in range(SAMPLES):
            content.seek(place * size // SAMPLES)
            digest.update(content.read(SAMPLE_BYTES))
    return digest.hexdigest()
