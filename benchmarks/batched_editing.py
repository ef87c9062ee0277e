"""What the harness costs beside a local pipeline's own loop, at batch sizes 1, 4 and 8.

    python benchmarks/batched_editing.py [--device cuda]

The loop is a bare one: it calls the pipeline with as many pictures and keeps what comes back in memory. The
harness is asked for the same edits, and encodes, stores and records each. On a CPU with tiny random weights;
with `--device cuda` InstructPix2Pix in its real size, with random weights too, on 768 × 768 pictures. Loading
and unloading are not counted. Both are timed in turns, and of each the fastest turn counts: in CPU seconds of
all threads where the CPU does the work, so that other programs do not count, and by the clock on a GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from row import row

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
    turns: int
    now: Callable[[], float]

    @property
    def edits(self) -> int:
        return self.cases * self.rounds * 2


TINY = Load("cpu", "float32", 128, 50, 8, 1, turns=8, now=time.process_time)
FULL = Load("cuda:0", "bfloat16", 768, 6, 16, 2, turns=2, now=time.perf_counter)


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


def own_loop(model: Path, cases: list[Any], load: Load) -> Callable[[int], float]:
    """Seconds of the edits by batch size, as a script with a `for` does them."""
    import torch
    from diffusers import DiffusionPipeline
    from PIL import Image

    pipeline = DiffusionPipeline.from_pretrained(model, dtype=getattr(torch, load.dtype)).to(load.device)
    pipeline.set_progress_bar_config(disable=True)
    sources = [Image.open(case.source.path).convert("RGB") for case in cases]

    def seconds(batch: int) -> float:
        started = load.now()
        for first in range(0, len(cases), batch):
            images = sources[first : first + batch]
            for step in range(2 * load.rounds):
                prompt = cases[first].backward if step % 2 else cases[first].forward
                images = pipeline(
                    image=images,
                    prompt=[prompt] * len(images),
                    generator=[torch.Generator("cpu").manual_seed(step) for _ in images],
                    num_inference_steps=load.steps,
                ).images
        return load.now() - started

    return seconds


def harness(model: Path, cases: list[Any], load: Load, folder: Path) -> Callable[[int], float]:
    """Seconds of a run by batch size."""
    from convergebench.editors.registry import open_editor
    from convergebench.engine import Plan, RunLimits, run_plan
    from convergebench.engine.progress import NoProgress
    from convergebench.metrics import MetricSet
    from convergebench.picture import Picture
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace
    from convergebench.types import EditRequest

    class Clock(NoProgress):
        def ended(self, model: str, unmade: int) -> None:
            self.at = load.now()

    async def timed(batch: int) -> float:
        settings = f"steps={load.steps}&dtype={load.dtype}&device={load.device}&batch={batch}"
        editor = open_editor(f"diffusers:{model}?{settings}")
        plan = Plan("bench@0", round_trip(load.rounds), tuple(cases), (editor,), (0,))
        first = EditRequest((Picture.from_file(cases[0].source.path),), "Warm up.", 0)
        await editor.edit_batch([first] * batch)  # type: ignore[attr-defined]
        with tempfile.TemporaryDirectory(dir=folder) as name, Workspace.create(Path(name) / "w") as workspace:
            run, clock = workspace.start_run({}, "bench"), Clock()
            started = load.now()
            outcome = await run_plan(
                plan, workspace, MetricSet([]), run=run, limits=RunLimits(load.cases), progress=clock
            )
        assert outcome.edits == load.edits, outcome
        return clock.at - started

    return lambda batch: asyncio.run(timed(batch))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    device = parser.parse_args().device
    if device == "cpu":
        # Tiny layers gain nothing by several threads. Set before torch is there: its own switch is for one.
        os.environ["OMP_NUM_THREADS"] = "1"
    import tiny_pipelines

    load, build = (
        (TINY, tiny_pipelines.instruct_pix2pix) if device == "cpu" else (FULL, full_size_instruct_pix2pix)
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = tiny_pipelines.save(build, folder / "model")
        cases = make_cases(folder, load)
        loop, ours = own_loop(model, cases, load), harness(model, cases, load, folder)
        costs = []
        for batch in BATCHES:
            loop(batch)  # torch makes its plans for this size
            turns = [(loop(batch), ours(batch)) for _ in range(load.turns)]
            bare, run = (min(seconds) for seconds in zip(*turns, strict=True))
            print(
                f"batch {batch}: {load.edits / bare:7.2f} edits a second in the bare loop, "
                f"{load.edits / run:7.2f} in the harness, which costs {100 * (run / bare - 1):+.1f} %",
                flush=True,
            )
            each = 1000 * (run - bare) / load.edits
            costs.append(f"{100 * (run / bare - 1):+.1f} % at batch {batch} ({each:+.1f} ms an edit)")
        kind = "a tiny pipeline on a CPU" if device == "cpu" else "a full-size pipeline on a GPU"
        row(
            f"what the harness costs, with {kind}",
            ", ".join(costs),
            "the same pipeline in a bare loop",
        )


if __name__ == "__main__":
    main()
