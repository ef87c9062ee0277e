"""Any program: `command:/path/to/program?timeout=600`, run for each edit as

    PROGRAM INPUT.png PROMPT OUTPUT.png SEED

without a shell. Exit code 0 and an output file are a success; 3 is a refusal, for the reason in stderr's last
line; all else is a failure that is tried again. `args` is another order of arguments, with {input}, {prompt},
{output} and {seed} in it. The program's file is part of the fingerprint.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from convergebench.atomic_files import temporary_folder
from convergebench.editors._exchange import hand_over, take_back
from convergebench.editors._file_version import version_with
from convergebench.editors._settings import without_settings
from convergebench.editors._stderr_tail import last_line, last_words
from convergebench.editors.registry import provider
from convergebench.errors import WrongUse
from convergebench.types import Edited, EditorFacts, EditRequest, Misconfigured, Refused, Share, Unavailable

REFUSED = 3
ARGUMENTS = "{input} {prompt} {output} {seed}"
_SLOT = re.compile(r"\{(input|prompt|output|seed)\}")


@provider(
    "command",
    summary="any program that takes a picture and a prompt",
    version="1",
    price_usd=0.0,
    parameters={"timeout": 600.0, "args": ARGUMENTS},
)
def command(facts: EditorFacts) -> CommandEditor:
    name = str(facts.parameters["model"])
    # Path("./slow.sh") is slow.sh, which would be looked for on the PATH.
    here = str(Path(name).expanduser().absolute()) if "/" in name else name
    found = shutil.which(here)
    if found is None:
        raise WrongUse(f"{name} is not a program that can be run; give its path, and check chmod +x")
    try:
        arguments = shlex.split(str(facts.parameters["args"]))
    except ValueError as error:
        raise WrongUse(f"args of {name} cannot be split ({error}); check its quotes") from error
    program = Path(found).absolute()
    used = {slot for argument in arguments for slot in _SLOT.findall(argument)}
    if not {"input", "output"} <= used:
        raise WrongUse(f"args of {name} must hold {{input}} and {{output}}, such as '{ARGUMENTS}'")
    known_as = version_with(without_settings(facts, "timeout"), program)
    return CommandEditor(known_as, [str(program), *arguments], float(facts.parameters["timeout"]))


class CommandEditor:
    share = Share()

    def __init__(self, facts: EditorFacts, template: list[str], timeout_seconds: float) -> None:
        self.facts = facts
        self._template = template
        self._timeout_seconds = timeout_seconds

    async def edit(self, request: EditRequest) -> Edited:
        with temporary_folder("command") as folder:
            output, said = folder / "output.png", folder / "stderr.log"
            await asyncio.to_thread(hand_over, request, folder / "input.png")
            slots = {
                "input": str(folder / "input.png"),
                "prompt": request.instruction,
                "output": str(output),
                "seed": str(request.seed),
            }
            code = await self._run(filled(self._template, slots), said)
            if code == REFUSED:
                raise Refused(last_line(said) or "the program refused and did not say why")
            if code != 0:
                why = last_words(said) or "it wrote nothing to stderr"
                raise Unavailable(f"the program ended with exit code {code}: {why}")
            return Edited(await asyncio.to_thread(take_back, output))

    async def close(self) -> None:
        pass

    async def _run(self, arguments: list[str], said: Path) -> int:
        with said.open("wb") as stderr:
            try:
                process = await asyncio.create_subprocess_exec(
                    *arguments,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    start_new_session=True,  # Ctrl-C is for us: what is in flight finishes
                )
            except OSError as error:
                raise Misconfigured(f"{arguments[0]} cannot be run: {error.strerror}") from error
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await process.wait()
        except TimeoutError:
            words = last_words(said)
            raise Unavailable(f"the program took longer than {self._timeout_seconds:g} s: {words}") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(
                    process.pid, signal.SIGKILL
                )  # it, if it is still there, and what it has left behind
            await process.wait()


def filled(template: list[str], slots: Mapping[str, str]) -> list[str]:
    """The arguments with their slots filled, each in one pass: a prompt may hold braces of its own.

    >>> filled(["--say", "{prompt}!"], {"prompt": "draw {seed} hats"})
    ['--say', 'draw {seed} hats!']
    """
    return [_SLOT.sub(lambda slot: slots[slot[1]], argument) for argument in template]
