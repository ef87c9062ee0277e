"""Runs several commands in one process: lists of words as JSON in, codes and output as JSON out."""

from __future__ import annotations

import io
import json
import logging
import sys
from contextlib import redirect_stderr, redirect_stdout

from convergebench.cli.main import code_of


def run(words: list[str]) -> tuple[int, str, str]:
    logging.getLogger("convergebench").handlers.clear()
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = code_of(words)
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    print(json.dumps([run(words) for words in json.loads(sys.argv[1])]))
