"""An S3 server on loopback that can be taken away for a while; what it holds stays."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import urllib.request
from collections.abc import Iterator

BUCKET = "pictures"


class S3Server:
    def __init__(self) -> None:
        self._start(port=0)
        _, self._port = self._server.get_host_and_port()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        return f"s3://{BUCKET}/here"

    def stop(self) -> None:
        self._server.stop()

    def away_for(self, seconds: float) -> threading.Thread:
        """Gone now, back after so many seconds."""
        self.stop()

        def wait() -> None:
            time.sleep(seconds)
            self.come_back()

        back = threading.Thread(target=wait)
        back.start()
        return back

    def come_back(self) -> None:
        self._start(self._port)

    def _start(self, port: int) -> None:
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
        self._server.start()


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """The server with an empty bucket, and an environment that leads to it."""
    server = S3Server()
    ours = {
        "AWS_ENDPOINT_URL": server.address, "AWS_ACCESS_KEY_ID": "for", "AWS_SECRET_ACCESS_KEY": "loopback",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",  # who tries again is our store
    }  # fmt: skip
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        urllib.request.urlopen(f"{server.address}/moto-api/reset", data=b"").close()
        s3fs.S3FileSystem().mkdir(BUCKET)
        yield server
    finally:
        for name, value in before.items():  # and no others: Ray keeps notes there
            os.environ.pop(name)
            os.environ.update({name: value} if value is not None else {})
        server.stop()
        s3fs.S3FileSystem.clear_instance_cache()
