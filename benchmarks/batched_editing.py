"""Edits a second of a local pipeline: its own loop, one picture after the other, beside the harness at batch
sizes 1, 4 and 8, store included.

On a CPU with tiny random weights; with `--device cuda` InstructPix2Pix in its real size, with random weights
too, on 512 × 512 pictures. Loading is not counted; each has a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

BATCHES = (1, 4, 8)


@dataclass(frozen=True)
class Load:
    device: str
    dtype: str
    side: int
    steps: int
    cases: int
    rounds: int

    @property
    def edits(self) -> int:
        return self.cases * self.rounds * 2


TINY = Load("cpu", "float32", 64, 4, 32, 1)
FULL = Load("cuda:0", "bfloat16", 512, 20, 16, 1)


def full_size_instruct_pix2pix() -> Any:
    import torch
    from diffusers import AutoencoderKL, UNet2DConditionModel

    import tiny_pipelines

    pipeline = tiny_pipelines.instruct_pix2pix()
    vae = AutoencoderKL(
        block_out_channels=(128, 256, 512, 512),
        down_block_types=tiny_pipelines.DOWN,
        up_block_types=tiny_pipelines.UP,
        layers_per_block=2,
        latent_channels=4,
    )
    pipeline.register_modules(unet=UNet2DConditionModel(in_channels=8, cross_attention_dim=16), vae=vae)
    return pipeline.to(torch.bfloat16)


def make_cases(folder: Path, load: Load) -> list[Any]:
    from convergebench.picture import Picture
    from convergebench.types import Case, SourcePicture
    from made_pictures import textured

    cases = []
    for number in range(load.cases):
        picture = Picture.from_pixels(textured(load.side, load.side, seed=number))
        path = folder / f"{number}.png"
        path.write_bytes(picture.encoded)
        source = SourcePicture(str(number), path, picture.digest)
        cases.append(Case(f"case{number}", (source,), "Add a red ball.", "Remove the red ball.", "ball"))
    return cases


def own_loop(model: Path, cases: list[Any], load: Load, out: Path, turn: str) -> float:
    """Seconds for what a script with a `for` does: edit, save, edit back, save."""
    import torch
    from diffusers import DiffusionPipeline
    from PIL import Image

    pipeline = DiffusionPipeline.from_pretrained(model, dtype=getattr(torch, load.dtype)).to(load.device)
    pipeline.set_progress_bar_config(disable=True)

    def edit(image: Any, prompt: str, seed: int) -> Any:
        generator = torch.Generator("cpu").manual_seed(seed)
        return pipeline(
            image=image, prompt=prompt, generator=generator, num_inference_steps=load.steps
        ).images[0]

    edit(Image.open(cases[0].source.path), "Warm up.", 0)
    started = time.perf_counter()
    for case in cases:
        image = Image.open(case.source.path)
        for step in range(2 * load.rounds):
            image = edit(image, case.backward if step % 2 else case.forward, step)
            image.save(out / f"{case.id}_{step}{turn}.png")
    return time.perf_counter() - started


def harness(model: Path, cases: list[Any], load: Load, batch: int, out: Path, turn: str) -> float:
    """Seconds of a run with this batch size."""
    from convergebench.editors.registry import open_editor
    from convergebench.engine import Plan, run_plan
    from convergebench.metrics import Ruler
    from convergebench.picture import Picture
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace
    from convergebench.types import EditRequest

    editor = open_editor(
        f"diffusers:{model}?steps={load.steps}&dtype={load.dtype}&device={load.device}&batch={batch}"
    )
    plan = Plan("bench@0", round_trip(load.rounds), tuple(cases), (editor,), (0,))
    warm_up = [EditRequest((Picture.from_file(cases[0].source.path),), "Warm up.", 0)] * batch

    async def timed() -> float:
        await editor.edit_batch(warm_up)  # type: ignore[attr-defined]
        with Workspace.create(out / turn) as workspace:
            run = workspace.start_run({}, "bench")
            started = time.perf_counter()
            outcome = await run_plan(plan, workspace, Ruler([]), run=run, concurrency=load.cases)
            seconds = time.perf_counter() - started
        assert outcome.edits == load.edits, outcome
        return seconds

    return asyncio.run(timed())


def in_own_process(measure: Callable[..., float], *arguments: Any) -> float:
    """The faster of two. One after the other in one process, they would share torch's caches and threads."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=one_thread) as process:
        return min(process.submit(measure, *arguments, turn).result() for turn in ("a", "b"))


def one_thread() -> None:
    """Tiny layers gain nothing by several, and lose much where another program wants the same cores."""
    import torch

    torch.set_num_threads(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    device = parser.parse_args().device
    import tiny_pipelines

    load, build = (
        (TINY, tiny_pipelines.instruct_pix2pix) if device == "cpu" else (FULL, full_size_instruct_pix2pix)
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = tiny_pipelines.save(build, folder / "model")
        cases = make_cases(folder, load)
        alone = in_own_process(own_loop, model, cases, load, folder)
        print(f"own loop:         {load.edits / alone:7.2f} edits a second")
        for batch in BATCHES:
            seconds = in_own_process(harness, model, cases, load, batch, folder / f"results{batch}")
            print(
                f"harness, batch {batch}: {load.edits / seconds:7.2f} edits a second, "
                f"{alone / seconds:.2f} × the own loop"
            )


if __name__ == "__main__":
    main()
