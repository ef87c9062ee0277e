"""How long `convergebench score` takes as a whole, from the start of the program to its end.

    python benchmarks/score_command.py [--rounds 3] [--before OTHER/src]

GEdit-Bench's layout with pictures of 400 × 656 that were made elsewhere: they are read, checked, stored,
shown to a judge twice (source and result, then the result alone) and scored. The judge answers in a process
of its own, which reads every request to its end and does nothing else with it.

    instant   200 samples, 32 calls at once, replies at once
    many      the same with 1,000 samples, so that the start of the program does not decide
    late      1,000 samples, 32 calls at once, each reply after half a second; ideal is 31.25 s

`--before` is another copy of this package's `src`, measured in turn with this one: the ratio is what counts,
since other work on the machine slows both. CPU is that of the program, with the judge's beside it. Workspaces
(1 GB for 1,000 samples) are removed at the end: file systems are slow to use the places of files again that
were removed a moment ago.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from row import row as performance_row

import convergebench

WIDTH, HEIGHT = 400, 656
WORKERS = 32
SOURCE = Path(convergebench.__file__).parents[1]
REPLY = {
    "reason": "seen", "edit_success": 7, "rest_preserved": 7, "naturalness": 7, "artifacts": 7,
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    title: str
    samples: int
    after_seconds: float

    @property
    def ideal_seconds(self) -> float:
        return 2 * self.samples * self.after_seconds / WORKERS


SETTINGS = {
    "instant": Setting("instant", 200, 0.0),
    "many": Setting("instant", 1000, 0.0),
    "late": Setting("0.5 s", 1000, 0.5),
}


@dataclass(frozen=True)
class Took:
    wall_seconds: float
    cpu_seconds: float
    judge_seconds: float
    """Of CPU, in the process that answers."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--only", choices=SETTINGS)
    given = parser.parse_args()
    for name in [given.only] if given.only else SETTINGS:
        setting = SETTINGS[name]
        sources = {"before": given.before, "now": SOURCE} if given.before else {"now": SOURCE}
        rows: dict[str, list[Took]] = {name: [] for name in sources}
        with tempfile.TemporaryDirectory() as folder, judge_process(setting.after_seconds) as judge:
            write_benchmark(Path(folder), setting.samples)
            if not setting.after_seconds:
                for which, source in sources.items():
                    scored(Path(folder), judge, source, f"{which} first")  # compiles
            for number in range(given.rounds):
                for which, source in sources.items():
                    rows[which].append(scored(Path(folder), judge, source, f"{which} {number}"))
        show(setting, {which: _median(found) for which, found in rows.items()})


def show(setting: Setting, found: dict[str, Took]) -> None:
    print(f"\n{setting.title}: {setting.samples} samples × 2 calls at {WIDTH} × {HEIGHT}, {WORKERS} at once")
    for which, took in found.items():
        each = 1000 * took.cpu_seconds / setting.samples
        print(
            f"  {which}: {took.wall_seconds:.2f} s, {setting.samples / took.wall_seconds:.0f} samples/s, "
            f"{took.cpu_seconds:.2f} s of CPU, {each:.1f} ms a sample, the judge {took.judge_seconds:.2f} s",
            end="",
        )
        ideal = setting.ideal_seconds
        print(f", {took.wall_seconds / ideal:.2f} × the ideal {ideal:.2f} s" if ideal else "")
    if "before" in found:
        before, now = found["before"], found["now"]
        wall, cpu = before.wall_seconds / now.wall_seconds, before.cpu_seconds / now.cpu_seconds
        print(f"  {wall:.2f} times as fast as before, with 1/{cpu:.2f} of the CPU")
    now = found["now"]
    performance_row(
        f"all of `score`: {setting.samples} samples × 2 calls, {setting.title}, {WORKERS} at once",
        f"{setting.samples / now.wall_seconds:.0f} samples/s, {now.wall_seconds:.2f} s",
        f"{now.cpu_seconds:.2f} s of CPU",
    )


def _median(rows: list[Took]) -> Took:
    return Took(
        median(row.wall_seconds for row in rows),
        median(row.cpu_seconds for row in rows),
        median(row.judge_seconds for row in rows),
    )


def scored(folder: Path, judge: Judge, source: Path, name: str) -> Took:
    results = folder / "workspaces" / name
    command = [
        sys.executable, "-m", "convergebench", "score", str(folder / "results"), "--model", "mine",
        "--suite", "gedit", "--data", str(folder / "data.jsonl"), "--judge", judge.name, "--concurrency",
        str(WORKERS), "--json", "-w", str(results),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(source), "CONVERGEBENCH_CACHE": f"{results}/cache"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")  # an installed package has it
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, of_judge, started = _cpu_of_children(), judge.cpu_seconds, time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - started
    if done.returncode:
        sys.exit(done.stderr or done.stdout)
    return Took(wall, _cpu_of_children() - before, judge.cpu_seconds - of_judge)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_benchmark(folder: Path, samples: int) -> None:
    """Sources and results with the grain of a photograph, saved by Pillow as other programs save them."""
    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(0)
    across, down = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    smooth = 90 + 60 * np.sin(across / 40)[..., None] + [20, 40, 60] * np.cos(down / 30)[..., None]
    place = folder / "results" / "fullset" / "color_alter" / "en"
    place.mkdir(parents=True)
    (folder / "sources").mkdir()
    lines = []
    for number in range(samples):
        for file in (folder / "sources" / f"{number}.png", place / f"{number}.png"):
            pixels = (smooth + rng.normal(0, 6, smooth.shape)).clip(0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(file, compress_level=1)
        lines.append({"key": str(number), "task_type": "color_alter", "instruction": "Paint it red.",
                      "instruction_language": "en", "input_image": f"sources/{number}.png"})  # fmt: skip
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, lines)))


@dataclass(frozen=True)
class Judge:
    name: str
    process: int

    @property
    def cpu_seconds(self) -> float:
        """So far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def judge_process(after_seconds: float) -> Iterator[Judge]:
    command = [sys.executable, __file__, "--serve", str(after_seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield Judge(process.stdout.readline().strip(), process.pid)
        process.stdin.close()


class JudgeConnection(asyncio.BufferedProtocol):
    """Receives each request into one buffer, looks at nothing but its length, and sends the same answer."""

    room = memoryview(bytearray(1 << 20))

    def __init__(self, answer: bytes, after_seconds: float) -> None:
        self._answer, self._after_seconds = answer, after_seconds
        self._head, self._left = b"", 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        return self.room

    def buffer_updated(self, count: int) -> None:
        if not self._left:
            head, found, body = (self._head + self.room[:count]).partition(b"\r\n\r\n")
            self._head = b"" if found else head
            if not found:
                return
            lines = head.lower().split(b"\r\n")
            self._left = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
            count = len(body)
        self._left -= count
        if not self._left:
            asyncio.get_running_loop().call_later(self._after_seconds, self._transport.write, self._answer)


async def serve(after_seconds: float) -> None:
    """Answer until standard input ends."""
    message = {"role": "assistant", "content": json.dumps(REPLY)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    content = json.dumps({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]}).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    answer, loop = head.encode() + content, asyncio.get_running_loop()
    server = await loop.create_server(lambda: JudgeConnection(answer, after_seconds), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(f"server:m?base_url=http://127.0.0.1:{port}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(float(sys.argv[2])))
    else:
        main()
