"""The entry point: commands, exit codes, and one-line error messages."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from convergebench.cli import (
    agreement,
    audit,
    check,
    compare,
    doctor,
    export,
    grid,
    import_,
    init,
    judge,
    leaderboard,
    measure,
    metrics,
    models,
    pairs,
    paper,
    plot,
    refine,
    report,
    run,
    score,
    submit,
    suites,
    summary,
    task,
    turns,
    view,
    vote,
    weights,
    workspace,
    worst,
)
from convergebench.cli.command_groups import CommandGroups
from convergebench.cli.config_file import read_config, split_config
from convergebench.cli.exit_codes import DONE, ERROR, INTERRUPTED, WRONG_USE
from convergebench.cli.needed_commands import needed_commands
from convergebench.cli.options import print_json
from convergebench.errors import NO_ROOM, ConvergeBenchError, WrongUse
from convergebench.garbage_collection import OBJECTS_PER_COLLECTION
from convergebench.provider_limits import COMMANDS
from convergebench.shown_text import guarded_streams, open_closed_streams

_COMPLETION = "_CONVERGEBENCH_COMPLETE"
"""The variable with which a shell asks for completions."""
UsageError: Any = typer.BadParameter.__base__  # click's, or since 0.26 typer's own

app = typer.Typer(
    name="convergebench",
    help="Edit and undo, N times: how much of the picture is left, and which editing model to use.",
    cls=CommandGroups,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for module in (
    run,
    summary,
    compare,
    turns,
    worst,
    report,
    export,
    paper,
    plot,
    grid,
    judge,
    score,
    task,
    view,
    vote,
    agreement,
    import_,
    audit,
    check,
    measure,
    submit,
):
    app.command(module.NAME)(module.command)
app.add_typer(refine.app)
app.add_typer(models.app)
for module in (suites, metrics, doctor, init):
    app.command(module.NAME)(module.command)
app.add_typer(pairs.app)
app.add_typer(leaderboard.app)
app.add_typer(weights.app)
app.add_typer(workspace.app)


def _version(wanted: bool) -> None:
    if wanted:
        from convergebench._version import __version__

        typer.echo(f"convergebench {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and debug messages.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    if _COMPLETION in os.environ:
        typer.main.get_command(app).main(prog_name="convergebench")  # answers the shell, and exits
    open_closed_streams()
    gc.set_threshold(OBJECTS_PER_COLLECTION)
    with guarded_streams():
        code = code_of(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done; let the process exit
    gc.freeze()  # at once: nothing that is left need be searched for garbage
    sys.exit(code)


def code_of(arguments: list[str]) -> int:
    """The exit code of a command; see `exit_codes`."""
    debug = "--debug" in arguments  # at any position
    _log_to_stderr(logging.DEBUG if debug else logging.WARNING)
    if not debug:
        warnings.simplefilter("ignore")  # warnings of libraries are for developers
    try:
        return _invoke([word for word in arguments if word != "--debug"] or ["--help"])
    except BrokenPipeError:
        _discard_output()  # its reader has exited
        return ERROR
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exc()
        sentence, code = _explained(error)
        return _report_error(sentence, code, as_json="--json" in arguments)


def _invoke(words: list[str]) -> int:
    """Run the command; errors are raised."""
    words, config = split_config(words)
    command: Any = typer.main.get_command(app if config else needed_commands(app, words))
    defaults = read_config(config, command.commands) if config and words[:1] and words[0] in COMMANDS else {}
    try:
        with command.make_context("convergebench", words, default_map=defaults) as context:
            code = command.invoke(context)
    except typer.Exit as done:
        code = done.exit_code
    except UsageError as error:
        raise WrongUse(_usage_sentence(error)) from error
    sys.stdout.flush()
    return code if isinstance(code, int) else DONE


def _usage_sentence(error: Any) -> str:
    message = error.format_message().strip().rstrip(".").replace(". Did", "; did")
    where = error.ctx.command_path if error.ctx else "convergebench"
    return f"{message[:1].lower()}{message[1:]}{' or' if message.endswith('?') else ';'} see: {where} --help"


def _explained(error: BaseException) -> tuple[str, int]:
    """The message for the user, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; finished work is saved, rerun the command to continue", INTERRUPTED
    if isinstance(error, RecursionError):
        return "the input is nested too deeply to be read; check the file", WRONG_USE
    if isinstance(error, UnicodeEncodeError):
        half = error.object[error.start : error.end]
        return f"a text holds half of a character ({half!r}), which cannot be stored; correct it", ERROR
    if isinstance(error, WrongUse):
        return str(error), WRONG_USE
    if isinstance(error, ConvergeBenchError):
        return str(error), ERROR
    if any(isinstance(one, OSError) and one.errno in NO_ROOM for one in _with_causes(error)):
        return "no space is left on the disk, or a limit for files is reached; free some and rerun", ERROR
    if isinstance(error, OSError) and error.filename:
        return f"cannot use {error.filename}: {error.strerror}; choose another path", ERROR
    if isinstance(error, OSError) and error.strerror:
        return f"system error: {error.strerror}; fix it and rerun the command", ERROR
    return f"unexpected {type(error).__name__}: {error}; rerun with --debug for the traceback", ERROR


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those before it: a library that fails while it closes its file hides the first one."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _discard_output() -> None:
    """Nothing more reaches standard output, not even what Python still holds when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _log_to_stderr(level: int) -> None:
    """Messages of this package only."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("convergebench: %(message)s"))
    logger = logging.getLogger("convergebench")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(level)


def _report_error(sentence: str, code: int, *, as_json: bool = False) -> int:
    """On standard error; with --json, also as an object on standard output."""
    if as_json:
        try:
            print_json({"error": sentence, "exit_code": code})
            sys.stdout.flush()
        except OSError:  # perhaps that is what the sentence says
            _discard_output()
    typer.echo(f"convergebench: {sentence}", err=True)
    return code
