"""convergebench refine"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.exit_codes import DONE
from convergebench.cli.options import (
    AsJson,
    MaxTotal,
    listed,
    listed_models,
    print_json,
)

if TYPE_CHECKING:
    from convergebench.refinement import PreparedRefinement, RefinementResult, RefinementSettings

_MANY = "Separate several with commas, or repeat the option."
ONE_PICTURE_FOLDER = "refined"

app = typer.Typer(name="refine", invoke_without_command=True)


@app.callback()
def refine(
    context: typer.Context,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help=f"Model whose edits are refined, see `models`. {_MANY}"
        ),
    ] = None,
    reasoner: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER:MODEL", help="Model that reviews the edits, such as openai:MODEL or local:PATH."
        ),
    ] = None,
    executor: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Model that re-edits. [default: the edited model]")
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(metavar="K", help="Rounds of review and re-edit; 0 for none. [default: 1]"),
    ] = None,
    chain: Annotated[
        bool | None,
        typer.Option(
            "--chain/--at-once", help="One edit per instruction, or one for all. [default: at-once]"
        ),
    ] = None,
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="One picture instead of a suite.")
    ] = None,
    instruction: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Edit instruction for --image.")
    ] = None,
    description: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Description of --image, given to judges but not to reasoners."),
    ] = None,
    suite: Annotated[
        str | None, typer.Option(metavar="SUITE", help="Suite of cases, see `suites`. [default: reedit]")
    ] = None,
    data: Annotated[str | None, typer.Option(metavar="PATH", help="The suite's data.")] = None,
    category: Annotated[
        list[str] | None, typer.Option(metavar="CATEGORY", help="Only cases of this category.")
    ] = None,
    per_category: Annotated[
        int | None, typer.Option(metavar="N", help="Sample N cases of each category.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="Maximum number of cases, taken from the categories in turn."),
    ] = None,
    sampling_seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the sampling. [default: 0]")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the edits. [default: 0]")] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Judge model. [default: none]")
    ] = None,
    grade: Annotated[
        list[str] | None, typer.Option(metavar="GRADE", help="Grades: category, sc, if, pq. [default: all]")
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="RE-Edit's repository or configuration, to ask in its words, or your rubrics.",
        ),
    ] = None,
    as_published: Annotated[
        bool | None,
        typer.Option("--as-published", help="Re-edit in any case, and add figures as RE-Edit treats gaps."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    scoring: Annotated[
        bool,
        typer.Option(
            "--scoring/--no-scoring", help="Judge the results, or skip judging even if --config has a judge."
        ),
    ] = True,
    retry_missing: Annotated[
        bool | None,
        typer.Option("--retry-missing", help="Request missing advice and verdicts again."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Parallel cases per model.")
    ] = None,
    per_minute: Annotated[
        float | None, typer.Option(metavar="N", help="Maximum requests per minute to each provider.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Stop before editing, reviewing and judging cost more."),
    ] = None,
    max_total: MaxTotal = None,
    output_dir: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write pictures and texts to this folder.")
    ] = None,
    output_prefix: Annotated[
        str | None, typer.Option(metavar="NAME", help="File name prefix for --image.")
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace", "-w", metavar="FOLDER", help="Folder with the results. [default: results]"
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="YAML file of a refinement; options override it.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and exit.")] = False,
    as_json: AsJson = False,
) -> int:
    """Edit, have a reasoner review the result, and edit again. Rerun to continue."""
    if context.invoked_subcommand is not None:
        return DONE
    given = {
        "models": model and listed_models(model), "reasoner": reasoner, "executor": executor,
        "rounds": rounds, "chained": chain, "image": image and str(image), "instruction": instruction,
        "description": description, "suite": suite, "data": data, "categories": category and listed(category),
        "per_category": per_category, "limit": limit, "sampling_seed": sampling_seed, "seed": seed,
        "judge": judge if scoring else "", "grades": grade and listed(grade),
        "retry_missing": retry_missing, "workers": concurrency, "per_minute": per_minute,
        "max_cost_usd": max_cost, "max_total_usd": max_total, "output_dir": output_dir and str(output_dir),
        "prompts": prompts and str(prompts), "as_published": as_published,
        "output_prefix": output_prefix, "workspace": workspace and str(workspace),
    }  # fmt: skip
    settings = _settings(config, {key: value for key, value in given.items() if value is not None})
    return _refine(settings, csv, dry_run=dry_run, as_json=as_json)


@app.command()
def convert(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="config_iterative_refinement.yaml of RE-Edit.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write. [default: standard output]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert a RE-Edit configuration.

    Settings that are not supported are listed.
    """
    from convergebench.refinement.convert_config import convert_config

    found = convert_config(file)
    if output is not None and output.absolute().parent != file.absolute().parent:
        found = found.moved(file.absolute().parent, output.absolute().parent)
    if as_json:
        print_json({"settings": found.settings, "notes": list(found.notes)})
        return
    text = found.as_yaml()
    if output is None:
        typer.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    for note in found.notes:
        typer.echo(note)
    typer.echo(f"Wrote {output}; run it with: convergebench refine --config {output}")


def _settings(config: Path | None, given: dict[str, Any]) -> RefinementSettings:
    from convergebench.refinement import RefinementSettings, read_refinement_settings

    if config is not None:
        return read_refinement_settings(config, given)
    return RefinementSettings(**given)


def _refine(settings: RefinementSettings, csv: Path | None, *, dry_run: bool, as_json: bool) -> int:
    from convergebench.cli.refine_output import preview, print_refinement
    from convergebench.refinement import prepare
    from convergebench.store import Workspace

    if dry_run:
        preview(prepare(settings, for_preview=True), as_json)
        return DONE
    prepared = prepare(settings)
    with Workspace.create(Path(settings.workspace)) as store:
        done = _carry_out(prepared, store, as_json)
        written = _write_files(done, store)
    return print_refinement(done, written, as_json, csv)


def _carry_out(prepared: PreparedRefinement, store: Any, as_json: bool) -> RefinementResult:
    import sys

    from convergebench.refinement import carry_out

    if as_json or not sys.stderr.isatty():
        return carry_out(prepared, store)
    from convergebench.cli.refine_progress import RefineProgress

    with RefineProgress(prepared.settings.judge) as progress:
        return carry_out(prepared, store, progress=progress.editing, judging_progress=progress)


def _write_files(done: RefinementResult, store: Any) -> list[Path]:
    from convergebench.refinement.files import write_case, write_cases

    settings = done.settings
    if settings.image:
        name = settings.output_prefix or Path(settings.image).stem
        stem = Path(settings.output_dir or ONE_PICTURE_FOLDER) / name
        return [
            path for case in done.cases for path in write_case(case, settings.rounds, store.pictures, stem)
        ]
    if not settings.output_dir:
        return []
    return list(write_cases(done.cases, settings.rounds, store.pictures, Path(settings.output_dir)))
