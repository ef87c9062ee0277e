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

Instruction = Annotated[str, typer.Argument(metavar="INSTRUCTION", help="What an editor is told.")]
JudgeName = Annotated[
    str | None,
    typer.Option("--judge", metavar="PROVIDER:MODEL", help="A language model to ask, as in `judge`."),
]

app = typer.Typer(name="pairs", help="Edits and what undoes them.")


@app.command("list")
def every(as_json: AsJson = False) -> None:
    """The built-in pairs: what is asked, what undoes it, and whether it can be undone."""
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
    """Whether an edit can be undone: by rules, then by a language model if one is given."""
    from convergebench.engine.instruction_inversion import class_of

    found = _asked(judge, lambda opened: class_of(instruction, opened))
    if as_json:
        print_json({"reversibility": found.reversibility, "by": found.rule, "because": found.because})
    else:
        by = f" ({found.rule})" if found.rule else ""
        typer.echo(f"{found.reversibility or 'unknown'}: {found.because}{by}")
    return DONE if found.reversibility else INCOMPLETE


@app.command()
def invert(instruction: Instruction, judge: JudgeName = None, as_json: AsJson = False) -> int:
    """The instruction that undoes another: by a language model if one is given, else by templates."""
    from convergebench.engine.instruction_inversion import class_of, inverse_of

    found = _asked(judge, lambda opened: inverse_of(instruction, opened))
    told = _asked(None, lambda opened: class_of(instruction, opened))
    if as_json:
        print_json(
            {"inverse": found.text, "by": found.by, "turned_down": list(found.turned_down),
             "reversibility": told.reversibility, "because": told.because}
        )  # fmt: skip
        return DONE if found.text else INCOMPLETE
    for line in found.turned_down:
        typer.echo(f"convergebench: {line}", err=True)
    if found.text is None:
        typer.echo("convergebench: nobody knows what undoes this; try --judge PROVIDER:MODEL", err=True)
        return INCOMPLETE
    typer.echo(found.text)
    if told.reversibility not in ("reversible", None):
        typer.echo(f"convergebench: it may not bring the picture back, as {told.because}", err=True)
    return DONE


def _asked(name: str | None, ask: Callable[[Judge | None], Coroutine[Any, Any, T]]) -> T:
    """With the language model of that name open while it is asked; with none where none is named."""
    import asyncio

    from convergebench import judges
    from convergebench.errors import ConvergeBenchError
    from convergebench.types import EditError

    async def asking() -> T:
        if name is None:
            return await ask(None)
        judge = judges.open_judge(name)
        try:
            await judge.start()
            return await ask(judge)
        except EditError as error:
            raise ConvergeBenchError(f"{judge.facts.name} gives no answer: {error}") from error
        finally:
            await judge.close()

    return asyncio.run(asking())
