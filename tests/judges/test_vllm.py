"""A program called vllm on the PATH that serves as the real one does, on the port that it is given."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.judges import Question, open_judge, rubric
from convergebench.types import Misconfigured, Unavailable

TESTS = Path(__file__).parents[1]
QUESTION = Question(
    "", ('Reply with one JSON object\n- "happened": "yes"',), rubric("roundtrip_forward").schema, 0
)
SERVING = """
import os, pathlib
from servers.judge import JudgeServer
here = pathlib.Path(__file__).parent
(here / "arguments").write_text(" ".join(sys.argv[1:]))
(here / "pid").write_text(str(os.getpid()))
JudgeServer(port=int(sys.argv[sys.argv.index("--port") + 1])).serve_forever()
"""

Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    def write(program: str) -> Path:
        path = tmp_path / "vllm"
        path.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(TESTS)!r})\n{program}")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return tmp_path

    return write


def ask(name: str, times: int = 1) -> list[str]:
    async def work() -> list[str]:
        judge = open_judge(name)
        try:
            await judge.start()
            return [(await judge.ask(QUESTION)).text for _ in range(times)]
        finally:
            await judge.close()

    return asyncio.run(work())


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_is_started_once_with_its_options_serves_all_questions_and_is_stopped(install: Install) -> None:
    folder = install(SERVING)
    name = "vllm:q/vl-30b?tensor_parallel_size=4&enforce_eager=true&temperature=0.2"
    replies = ask(name, times=3)
    words = (folder / "arguments").read_text().split()
    assert replies == ['{"reason": "seen", "happened": "yes"}'] * 3
    assert words[:4] == ["serve", "q/vl-30b", "--host", "127.0.0.1"]
    assert words[6:] == ["--tensor-parallel-size", "4", "--enforce-eager"]
    assert not is_running(int((folder / "pid").read_text()))


def test_one_that_ends_before_it_is_ready_says_its_last_words(install: Install) -> None:
    install("print('loading'); sys.exit('CUDA out of memory')")
    with pytest.raises(Misconfigured, match=r"before it was ready: .*CUDA out of memory"):
        ask("vllm:q/vl")


def test_another_program_at_its_port_that_speaks_no_http_is_not_taken_for_it(install: Install) -> None:
    install(
        "import socket\n"
        "other = socket.create_server(('127.0.0.1', int(sys.argv[sys.argv.index('--port') + 1])))\n"
        "asking, _ = other.accept()\n"
        "asking.recv(4096); asking.sendall(bytes(range(9)) + b'\\n')\n"
        "sys.exit('the port is taken')\n"
    )
    with pytest.raises(Misconfigured, match=r"before it was ready: .*the port is taken"):
        ask("vllm:q/vl")


def test_its_port_is_given_to_nobody_else_while_it_loads(install: Install) -> None:
    install(
        "import socket\n"
        "where = ('127.0.0.1', int(sys.argv[sys.argv.index('--port') + 1]))\n"
        "given = socket.socket()\n"
        "try: given.bind(where)\n"
        "except OSError as error: print(error)\n"
        "socket.create_server(where).close()\n"  # says that it may be used again, as servers do
        "sys.exit('could listen')\n"
    )
    with pytest.raises(Misconfigured, match=r"Address already in use.*could listen"):
        ask("vllm:q/vl")


def test_one_that_never_gets_ready_is_given_up_and_stopped(install: Install) -> None:
    folder = install(
        "import os, pathlib, time\n"
        "(pathlib.Path(__file__).parent / 'pid').write_text(str(os.getpid()))\n"
        "print('still loading', flush=True); time.sleep(60)"
    )
    with pytest.raises(Misconfigured, match=r"not ready after 10 s .*still loading"):
        ask("vllm:q/vl?start_seconds=10")
    assert not is_running(int((folder / "pid").read_text()))


def test_one_that_dies_while_it_serves_cannot_go_on(install: Install) -> None:
    folder = install(SERVING)

    async def work() -> None:
        judge = open_judge("vllm:q/vl")
        try:
            await judge.start()
            os.kill(int((folder / "pid").read_text()), 9)
            async with asyncio.timeout(60):
                while True:  # as the engine does, until it is known that the process has ended
                    with contextlib.suppress(Unavailable):
                        await judge.ask(QUESTION)
        finally:
            await judge.close()

    with pytest.raises(Misconfigured, match="vllm serve has ended"):
        asyncio.run(work())


def test_without_vllm_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Misconfigured, match="pip install vllm"):
        ask("vllm:q/vl")
