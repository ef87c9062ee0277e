"""Messages between two processes on one machine, with pixels in shared memory.

The memory has no name: it exists as long as a process uses it, and nothing is left behind by a process that
is killed.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import socket
import struct
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from convergebench import kernels
from convergebench.types import PictureFacts, Pixels

_PAGE = 4096
_POPULATE_WRITE = 23  # of Linux since 5.14, which Python has no name for
_HEADER = struct.Struct("!Q?")


def can_pass_pictures() -> bool:
    """Whether this system has such memory, and sockets that pass it on."""
    return hasattr(os, "memfd_create") and hasattr(socket, "send_fds")


class SharedRoom:
    """Memory for many pictures, which is used again: new memory takes longer to get than a picture to copy.

    Safe to share between threads.
    """

    def __init__(self, size: int) -> None:
        self.descriptor = os.memfd_create("pictures")
        os.ftruncate(self.descriptor, size)
        self._mapping = mmap.mmap(self.descriptor, size)
        self._memory = np.frombuffer(self._mapping, np.uint8)
        self._end = 0
        self._free: dict[int, list[int]] = {}
        self._sizes: dict[int, int] = {}
        self._placing = threading.Lock()

    def place(self, pictures: Sequence[Pixels]) -> list[int | None]:
        """Copy the pictures; where each of them is, or None if there is no room for it."""
        places = [self._reserved(pixels.nbytes) for pixels in pictures]
        placed = [(pixels, at) for pixels, at in zip(pictures, places, strict=True) if at is not None]
        kernels.copy_all(
            [np.ascontiguousarray(pixels) for pixels, _ in placed],
            [self._memory[at : at + pixels.nbytes] for pixels, at in placed],
        )
        return places

    def _reserved(self, length: int) -> int | None:
        size = -(-length // _PAGE) * _PAGE
        with self._placing:
            free = self._free.get(size)
            if free:
                at = free.pop()
            elif self._end + size <= len(self._memory):
                at, self._end = self._end, self._end + size
            else:
                return None
            self._sizes[at] = size
            return at

    def map_all(self) -> None:
        """Map all of the memory at once, where the other process has taken it from the system already. Page
        by page, that takes as long as the first copies to it."""
        with contextlib.suppress(OSError):  # a kernel without it
            self._mapping.madvise(_POPULATE_WRITE)

    def release(self, places: Sequence[int]) -> None:
        with self._placing:
            for at in places:
                self._free.setdefault(self._sizes.pop(at), []).append(at)

    def close(self) -> None:
        os.close(self.descriptor)


class SeenRoom:
    """The same memory in the other process."""

    def __init__(self, descriptor: int, released: Callable[[int], None]) -> None:
        """`released` is called with the place of each picture that nothing shows any more."""
        self.memory = mmap.mmap(descriptor, 0)
        self._released = released
        os.close(descriptor)

    def pixels(self, at: int, facts: PictureFacts) -> Pixels:
        shown = np.frombuffer(self.memory, np.uint8, facts.height * facts.width * 3, at)
        shown.flags.writeable = False
        weakref.finalize(shown, self._released, at)  # every view of it keeps it
        return shown.reshape(facts.height, facts.width, 3)


@contextlib.contextmanager
def shared_alone(pixels: Pixels) -> Iterator[int]:
    """The descriptor of memory for these pixels only. Whoever received it keeps the memory."""
    descriptor = os.memfd_create("pixels")
    try:
        rest = np.ascontiguousarray(pixels).data.cast("B")
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        yield descriptor
    finally:
        os.close(descriptor)


def received(descriptor: int, facts: PictureFacts) -> Pixels:
    """The pixels, read only. The memory is freed with the last array that shows it."""
    try:
        memory = mmap.mmap(descriptor, facts.height * facts.width * 3, prot=mmap.PROT_READ)
    finally:
        os.close(descriptor)
    return np.frombuffer(memory, np.uint8).reshape(facts.height, facts.width, 3)


class Channel:
    """One end of a connection. Messages are pickled, so both ends must be processes of our own."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._sending = threading.Lock()

    def send(self, message: Any, descriptor: int | None = None) -> None:
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        header = _HEADER.pack(len(data), descriptor is not None)
        with self._sending:
            if descriptor is None:
                self._socket.sendall(header + data)
            else:
                socket.send_fds(self._socket, [header], [descriptor])  # so few bytes are sent together
                self._socket.sendall(data)

    def receive(self) -> tuple[Any, int | None]:
        """A message and the descriptor that came with it; EOFError if the other end is gone."""
        header, descriptors, _, _ = socket.recv_fds(self._socket, _HEADER.size, 1)
        if len(header) < _HEADER.size:
            raise EOFError
        length, has_descriptor = _HEADER.unpack(header)
        if has_descriptor != bool(descriptors):
            raise OSError("too many open files: raise the limit (ulimit -n)")
        return pickle.loads(self._exactly(length)), descriptors[0] if descriptors else None

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the other end is gone
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _exactly(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            part = self._socket.recv(min(length - len(data), 2**20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)
