"""Bytes that were lately fetched or stored, up to a bound."""

from __future__ import annotations

import threading
from collections import OrderedDict

from convergebench.types import Digest


class Recent:
    """Keeps the most lately used; safe to share between threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Digest, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._turn = threading.Lock()

    def get(self, digest: Digest) -> bytes | None:
        with self._turn:
            if digest not in self._kept:
                return None
            self._kept.move_to_end(digest)
            return self._kept[digest]

    def keep(self, digest: Digest, data: bytes) -> None:
        with self._turn:
            if digest in self._kept:
                return
            self._kept[digest] = data
            self._kept_bytes += len(data)
            while self._kept_bytes > self._most_bytes:
                _, gone = self._kept.popitem(last=False)
                self._kept_bytes -= len(gone)
