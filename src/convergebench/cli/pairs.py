"""convergebench pairs"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from convergebench.cli.exit_codes import DONE, INCOMPLETE
from convergebench.cli.options import AsJson, console, print_json

if TYPE_CHECKING:
    from convergebench.judges import Judge

T = TypeVar("T")

Instruction = Annotated[str, typer.Argument(metavar="INSTRUCTION", help="Instruction given to an editor.")]
JudgeName = Annotated[
    str | None,
    typer.Option("--judge", metavar="PROVIDER:MODEL", help="Language model to use, see `judge`."),
]

app = typer.Typer(name="pairs", help="Edits and their inverse instructions.")


@app.command("list")
def every(as_json: AsJson = False) -> None:
    """List the built-in pairs: edit, inverse, and reversibility."""
    from dataclasses import asdict

    from convergebench.suites import PAIRS

    if as_json:
        print_json([asdict(pair) for pair in PAIRS])
        return
    from rich.table import Column, Table

    names = ("category", "forward", "backward", "reversibility")
    table = Table(Column("pair", no_wrap=True), *(Column(name, overflow="fold") for name in names), box=None)
    for pair in PAIRS:
        table.add_row(pair.id, pair.category, pair.forward, pair.backward, pair.reversibility)
    console().print(table)


@app.command()
def classify(instruction: Instruction, judge: JudgeName = None, as_json: AsJson = False) -> int:
    """Say whether an edit can be undone.

    Rules decide, and a language model, if one is given, where no rule applies.
    """
    from convergebench.engine.instruction_inversion import class_of

    found = _run_with_judge(judge, lambda opened: class_of(instruction, opened))
    if as_json:
        print_json({"reversibility": found.reversibility, "by": found.rule, "because": found.because})
    else:
        by = f" ({found.rule})" if found.rule else ""
        typer.echo(f"{found.reversibility or 'unknown'}: {found.because}{by}")
    return DONE if found.reversibility else INCOMPLETE


@app.command()
def invert(instruction: Instruction, judge: JudgeName = None, as_json: AsJson = False) -> int:
    """Invert an instruction.

    By a language model if one is given, otherwise by templates.
    """
    from convergebench.engine.instruction_inversion import class_of, inverse_of

    found = _run_with_judge(judge, lambda opened: inverse_of(instruction, opened))
    classified = _run_with_judge(None, lambda opened: class_of(instruction, opened))
    if as_json:
        print_json(
            {"inverse": found.text, "by": found.by, "turned_down": list(found.turned_down),
             "reversibility": classified.reversibility, "because": classified.because}
        )  # fmt: skip
        return DONE if found.text else INCOMPLETE
    for line in found.turned_down:
        typer.echo(f"convergebench: {line}", err=True)
    if found.text is None:
        typer.echo(
            "convergebench: no inverse known for this instruction; try --judge PROVIDER:MODEL", err=True
        )
        return INCOMPLETE
    typer.echo(found.text)
    if classified.reversibility not in ("reversible", None):
        typer.echo(f"convergebench: it may not restore the picture: {classified.because}", err=True)
    return DONE


def _run_with_judge(name: str | None, ask: Callable[[Judge | None], Coroutine[Any, Any, T]]) -> T:
    """Await `ask` with the named language model open, or with None if no name is given."""
    import asyncio

    from convergebench import judges
    from convergebench.errors import ConvergeBenchError
    from convergebench.types import EditError

    async def call() -> T:
        if name is None:
            return await ask(None)
        judge = judges.open_judge(name)
        try:
            await judge.start()
            return await ask(judge)
        except EditError as error:
            raise ConvergeBenchError(f"{judge.facts.name} did not answer: {error}") from error
        finally:
            await judge.close()

    return asyncio.run(call())
