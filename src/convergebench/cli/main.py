"""The entry point: commands, exit codes, and errors in one sentence."""

from __future__ import annotations

import logging
import sys
from typing import Annotated, Any

import click
import typer

from convergebench.cli import (
    doctor,
    export,
    grid,
    measure,
    metrics,
    models,
    plot,
    report,
    run,
    suites,
    summary,
    weights,
)
from convergebench.errors import ConvergeBenchError, WrongUse

ERROR, WRONG_USE, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="convergebench",
    help="Edit and undo, N times: how much of the picture is left, and which editing model to use.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for module in (run, summary, report, export, plot, grid, measure, models, suites, metrics, doctor):
    app.command(module.NAME)(module.command)
app.add_typer(weights.app)


def _version(wanted: bool) -> None:
    if wanted:
        from convergebench import __version__

        typer.echo(f"convergebench {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and debug messages.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(code_of(sys.argv[1:] if arguments is None else arguments))


def code_of(arguments: list[str]) -> int:
    """0 done, 1 error, 2 wrong use, 3 finished with failures, 130 interrupted."""
    debug = "--debug" in arguments  # wherever it stands
    _log_to_stderr(logging.DEBUG if debug else logging.WARNING)
    command: Any = typer.main.get_command(app)
    try:
        code = command.main(
            [word for word in arguments if word != "--debug"], "convergebench", standalone_mode=False
        )
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return WRONG_USE
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", INTERRUPTED)
    except ConvergeBenchError as error:
        if debug:
            raise
        return _complain(str(error), WRONG_USE if isinstance(error, WrongUse) else ERROR)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone
        return ERROR
    except Exception as error:
        if debug:
            raise
        return _complain(f"unexpected {type(error).__name__}: {error}; run it again with --debug", ERROR)


def _log_to_stderr(level: int) -> None:
    """Our own messages; what libraries say is theirs."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("convergebench: %(message)s"))
    logger = logging.getLogger("convergebench")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(level)


def _complain(sentence: str, code: int) -> int:
    typer.echo(f"convergebench: {sentence}", err=True)
    return code
