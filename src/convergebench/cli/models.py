"""convergebench models"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.listing import print_listing
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    WorkspaceFolder,
    print_json,
    terminal_width,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from convergebench.editors import Listing, ModelFacts
    from convergebench.types import Parameter

ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Model name, optionally with parameters.")]

app = typer.Typer(name="models", invoke_without_command=True)


@app.callback()
def every(
    context: typer.Context,
    search: Annotated[
        str, typer.Option(metavar="TEXT", help="Only models with these words in name, id or description.")
    ] = "",
    ready: Annotated[bool, typer.Option("--ready", help="Only models that can be used now.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the models, their status and the price of an edit."""
    from convergebench.editors import listings, providers
    from convergebench.errors import WrongUse

    if context.invoked_subcommand is not None:
        return
    found = [one for one in listings() if _matches(one, search) and not (ready and one.missing() is not None)]
    if as_json:
        print_json([_facts(one) for one in found])
        return
    if not found:
        raise WrongUse(f"no model has {search!r} in its name; any endpoint works as provider:ID, see models")
    _print_table(_in_order(found))
    names = " ".join(sorted(f"{one.name}:" for one in providers()))
    closing = (
        f"For any other model of a provider, put the provider's name before its id or path: {names}. "
        "See one model's parameters with `convergebench models show MODEL`; "
        "make one edit with `convergebench models try MODEL`."
    )
    typer.echo("\n" + fill(closing, terminal_width()))


@app.command()
def show(name: ModelName, as_json: AsJson = False) -> None:
    """Describe one model: its parameters and requirements."""
    from convergebench.editors import parse

    one, given = parse(name)
    one = _short_name_of(one, given) or one
    if as_json:
        print_json(_facts(one))
        return
    typer.echo(f"{one.name}: {one.summary}")
    typer.echo(f"  {one.role}, version {one.version}, price of an edit: {_price(one)}")
    typer.echo(f"  {one.lacking() or 'ready to use'}")
    for line in _public_facts(one.facts, is_model=one.role == "model" and one.provider != one.name):
        typer.echo(f"  {line}")
    for key, value in one.parameters.items():
        typer.echo(f"  {key} = {value}")
    for key, value in [item for item in one.parameters.items() if item[0] != "model"][-1:]:
        typer.echo(f"Change parameters in its name: --model '{one.name}?{key}={value}'")


def _short_name_of(provider: Listing, given: Mapping[str, Parameter]) -> Listing | None:
    """The model of that provider that is known by this id."""
    from convergebench.editors import listings

    if provider.provider != provider.name or not given.get("model"):
        return None
    known = (one for one in listings() if one.provider == provider.name and one.name != provider.name)
    return next(
        (one for one in known if given["model"] in (one.parameters.get("model"), *one.facts.also)), None
    )


@app.command("try")
def try_(
    name: ModelName,
    image: Annotated[Path, typer.Option(metavar="FILE", help="The picture to edit.")],
    instruction: Annotated[str, typer.Option(metavar="TEXT", help="Edit instruction.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed.")] = 0,
    as_json: AsJson = False,
) -> int:
    """Make one edit: write its picture, print its time and cost."""
    from convergebench import api
    from convergebench.errors import ConvergeBenchError
    from convergebench.picture import SUFFIXES, Picture
    from convergebench.types import EditError

    source = Picture.from_file(image).normalised()
    attempted = api.edit_once(name, source, instruction, seed)
    if isinstance(attempted.outcome, EditError):
        raise ConvergeBenchError(f"{name}: {attempted.outcome.kind.replace('_', ' ')}: {attempted.outcome}")
    result = attempted.outcome.picture
    path = output or Path(f"{image.stem}_edited{SUFFIXES[result.facts.media_type]}")
    path.write_bytes(result.encoded)
    cost = attempted.cost_usd
    if as_json:
        print_json({"output": str(path), "size": list(result.size), "seconds": attempted.seconds,
                    "attempts": attempted.attempts, "cost_usd": cost})  # fmt: skip
        return 0
    took = f"{attempted.seconds:.1f} s, {attempted.attempts} attempt(s)"
    paid = "price unknown" if cost is None else f"${cost:.3f}"
    width, height = result.size
    typer.echo(
        f"Wrote {path}: {width} × {height} (source {source.size[0]} × {source.size[1]}), {took}, {paid}"
    )
    return 0


@app.command()
def rename(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model in the workspace.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name; '' restores the original one.")],
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Rename a model in all tables, pages and papers.

    No result changes.
    """
    from convergebench.cli.workspace import rename as rename_in_workspace

    rename_in_workspace(model, name, workspace)


def _in_order(known: Sequence[Listing]) -> list[Listing]:
    """Models without requirements first; then by provider."""
    return sorted(known, key=lambda one: (one.provider != one.name, one.role, one.provider))


def _matches(one: Listing, text: str) -> bool:
    """Whether all words of the text are in what is said of the model."""
    said = " ".join((one.name, one.provider, one.summary, *one.facts.also)).lower()
    return all(word in said for word in text.lower().split())


def _public_facts(facts: ModelFacts, *, is_model: bool) -> list[str]:
    seed = {True: "yes", False: "no", None: "unknown"}[facts.takes_seed]
    lines = [
        ("price", f"USD {facts.price_note}" if facts.price_note else ""),
        ("takes a seed", seed if is_model else ""),
        ("picture field", facts.image_field),
        ("size of the result", facts.size),
        ("other ids", ", ".join(facts.also)),
        ("source of these facts", f"{facts.source} ({facts.checked})" if facts.source else ""),
    ]
    return [f"{name}: {value}" for name, value in lines if value]


def _facts(one: Listing) -> dict[str, Any]:
    return {
        "name": one.name, "provider": one.provider, "role": one.role, "version": one.version,
        "price_usd": one.price_usd, "parameters": dict(one.parameters), "summary": one.summary,
        "missing": one.missing(), "lacking": one.lacking(), "facts": asdict(one.facts),
    }  # fmt: skip


def _print_table(known: Sequence[Listing]) -> None:
    headings = ("model", "role", "$/edit", "status", "description")
    rows = [(one.name, one.role, _price(one), _status(one), _summary(one)) for one in known]
    print_listing(headings, rows, lambda cells: f"{', '.join(cells[:-1])}: {cells[-1]}")


def _status(one: Listing) -> str:
    """Ready, ready after a download that happens by itself, or not usable yet."""
    if one.missing() is not None:
        return "no"
    return "fetched" if one.lacking() else "ready"


def _summary(one: Listing) -> str:
    lacking = one.lacking()
    return f"{one.summary} ({lacking})" if lacking else one.summary


def _price(one: Listing) -> str:
    if one.price_usd is None:
        return "unknown"
    if not one.price_usd:
        return "free"
    price = f"${one.price_usd:.4f}"
    return price.removesuffix("0")
