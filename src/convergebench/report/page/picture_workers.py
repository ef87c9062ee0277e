"""Derived files of many pictures, made by one process for each core."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from convergebench.report.page.picture_cache import Derived, PictureCache
from convergebench.store import PictureFolder
from convergebench.types import Digest

log = logging.getLogger("convergebench")

FEW_PICTURES = 100
"""Up to this many pictures, starting processes takes longer than they save."""
_INTERRUPTED = 130
_START = [sys.executable, "-c", f"from {__name__} import work; work()"]


def keep_derived(picture_cache: PictureCache, shown: Mapping[Digest, Derived]) -> None:
    """Create the thumbnails, maps and crops that are missing."""
    store, folder = picture_cache.store, picture_cache.folder
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    items = [one for one in shown.items() if not picture_cache.has_all(*one)]  # neighbours share a source
    if len(items) <= FEW_PICTURES or cores == 1 or not isinstance(store, PictureFolder):
        picture_cache.keep(dict(items))
        return
    share = -(-len(items) // cores)
    parts = [items[start : start + share] for start in range(0, len(items), share)]
    workers = [subprocess.Popen(_START, stdin=subprocess.PIPE) for _ in parts]
    try:
        for worker, part in zip(workers, parts, strict=True):
            assert worker.stdin is not None
            pickle.dump((store.place, str(folder), part), worker.stdin)
            worker.stdin.close()
        codes = [worker.wait() for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    picture_cache.look_again()
    if any(codes) and _INTERRUPTED not in codes:  # such as one that was killed for its memory
        picture_cache.keep(shown)


def work() -> None:
    """What a process does: read its part from standard input, and create the files of each picture."""
    import cv2

    cv2.setNumThreads(1)
    place, folder, part = pickle.load(sys.stdin.buffer)
    logging.basicConfig(format="convergebench: %(message)s")
    try:
        PictureCache(PictureFolder(Path(place)), Path(folder)).keep_in_turn(part)
    except KeyboardInterrupt:  # the whole report is interrupted, which its own process says
        sys.exit(_INTERRUPTED)
