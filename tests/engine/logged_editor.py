"""A program: the command line with one more editor, which writes down every edit it is asked for.

Usage: python logged_editor.py LOG convergebench-arguments…
An edit takes LOGGED_EDIT_SECONDS of the environment; behind the first LOGGED_EDIT_MOST they do not end.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from datetime import UTC, datetime
from functools import partial

from convergebench.cli import main
from convergebench.editors import editor
from convergebench.editors.pixel import PixelEditor
from convergebench.types import EditorFacts, Pixels

SECONDS = float(os.environ.get("LOGGED_EDIT_SECONDS", "0.005"))
MOST = float(os.environ.get("LOGGED_EDIT_MOST", "inf"))
_edits = itertools.count(1)


def wear_and_log(log: int, pixels: Pixels, instruction: str, seed: int) -> Pixels:
    from convergebench.editors._degradations import noise

    os.write(log, f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {seed}\n".encode())
    time.sleep(SECONDS if next(_edits) <= MOST else 3600)
    return noise(pixels, seed=seed, sigma=2.0)


if __name__ == "__main__":
    log = os.open(sys.argv[1], os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    @editor("logged", summary="noise, on record", version="1", price_usd=0.01)
    def logged(facts: EditorFacts) -> PixelEditor:
        return PixelEditor(facts, partial(wear_and_log, log))

    main(sys.argv[2:])
