"""convergebench task"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.exit_codes import DONE, INCOMPLETE, judging_exit_code
from convergebench.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from convergebench.task import TaskResult

NAME = "task"


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file, see docs/benchmarks.md.")],
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    as_json: AsJson = False,
) -> int:
    """Edit, judge and score as described by a task file. Rerun to continue."""
    from convergebench.cli.score_output import headlines, print_score_table
    from convergebench.report.export.csv_files import csv_text
    from convergebench.report.tables.benchmark import csv_benchmark, json_benchmark
    from convergebench.task import run_task

    done = run_task(file)
    code = judging_exit_code(done.judged, done.outcome)
    if code == DONE and not done.is_complete:
        code = INCOMPLETE
    if csv is not None and done.rows:
        csv.write_text(csv_text(csv_benchmark(done.rows)), encoding="utf-8")
    if as_json:
        print_json({"exit_code": code, "lines": _lines(done), "rows": json_benchmark(done.rows)})
        return code
    if done.scored and done.rows:
        for line in headlines(done.suite, done.scored):
            typer.echo(line)
        print_score_table(done.scored)
    for line in _lines(done):
        typer.echo(line, err=code != 0)
    return code


def _lines(done: TaskResult) -> list[str]:
    lines = []
    if done.outcome is not None:
        edited = done.outcome
        lines.append(f"{edited.complete} of {edited.trajectories} edits complete, {edited.edits} new.")
    if done.coverage is not None:
        lines.append(f"Coverage: {len(done.coverage.usable)} of {done.coverage.cases} cases have a picture.")
    if done.judged is not None:
        judged = done.judged
        lines.append(f"{judged.ok} of {len(judged.verdicts)} verdicts complete, {judged.new} new.")
        if judged.unusable:
            lines.append(f"convergebench: the judge cannot continue: {judged.unusable_reason}")
    elif done.outcome is not None and done.outcome.interrupted:
        lines.append("Rerun the command to continue; finished edits are reused, and nothing was judged.")
    else:
        lines.append("Nothing was judged; add a judge to the task file.")
    return lines
