from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convergebench.errors import WrongUse
from convergebench.report.page.live_data import LiveData
from convergebench.report.page.server import HOST, make_app
from convergebench.report.page.server import serve as serve_until_interrupted
from report.page.filled import source_of

pytest.importorskip("fastapi", reason="pip install 'convergebench[view]'")
pytest.importorskip("httpx", reason="pip install httpx")


@pytest.fixture(scope="module")
def client(filled: Path) -> Iterator[Any]:
    from fastapi.testclient import TestClient

    data = LiveData(filled)
    yield TestClient(make_app(data), base_url=f"http://{HOST}")
    data.close()


@pytest.fixture(scope="module")
def digest() -> str:
    from report.page.filled import cases

    return source_of(cases()[0]).digest


def test_every_answer_carries_a_strict_policy(client: Any) -> None:
    for place in ("/", "/state", "/page/core.js", "/page/data/overview.js", "/nothing"):
        policy = client.get(place).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_a_picture_and_its_thumbnail_are_served_by_digest(client: Any, digest: str) -> None:
    full = client.get(f"/pictures/{digest[:2]}/{digest}.png")
    assert (full.status_code, full.headers["content-type"]) == (200, "image/png")
    small = client.get(f"/page/thumbnails/{digest[:2]}/{digest}.jpg")
    assert small.content[:3] == b"\xff\xd8\xff"


WAYS_OUT = (
    "..", "%2e%2e", "..%2f", "%2e%2e%2f", "pictures", "page", "data", "thumbnails", "aa", "claims", "etc",
    "passwd", "convergebench.sqlite", "convergebench.sqlite.png", "%00", "%2f", "%5c", "server.py",
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
@given(parts=st.lists(st.sampled_from(WAYS_OUT), min_size=1, max_size=7))
def test_no_path_leads_out_of_the_page_and_the_pictures(client: Any, parts: list[str]) -> None:
    answer = client.get("/" + "/".join(parts), follow_redirects=False)
    assert answer.status_code in (404, 307) or answer.text.startswith("<!doctype html>")
    assert b"SQLite" not in answer.content and b"root:" not in answer.content


@pytest.mark.parametrize("place", ["/pictures/{a}/{d}.sqlite", "/pictures/{a}/{d}", "/pictures/{a}/{u}.png"])
def test_what_is_not_a_picture_in_the_store_is_not_found(client: Any, digest: str, place: str) -> None:
    found = client.get(place.format(a=digest[:2], d=digest, u=digest.upper()))
    assert found.status_code == 404


def test_another_sites_name_for_this_machine_is_refused(client: Any) -> None:
    assert client.get("/state", headers={"Host": "elsewhere.example"}).status_code == 400


def test_an_unknown_section_is_not_found(client: Any) -> None:
    assert client.get("/page/data/case/999.js").status_code == 404


SERVE = """
import sys
from pathlib import Path
from convergebench.report.page.server import serve
serve(Path(sys.argv[1]), None, 0, lambda address: print(address, flush=True))
print("ended")
"""


def test_it_serves_until_interrupted_and_then_ends_in_order(filled: Path) -> None:
    command = [sys.executable, "-c", SERVE, str(filled)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            with urllib.request.urlopen(running.stdout.readline().strip(), timeout=60) as answer:
                assert answer.read().startswith(b"<!doctype html>")
            running.send_signal(signal.SIGINT)
            assert running.wait(60) == 0
            assert running.stdout.read() == "ended\n"
        finally:
            running.kill()


def test_a_port_in_use_is_told_with_what_to_do(filled: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(WrongUse, match=f"cannot listen on port {port}.*--port"):
            serve_until_interrupted(filled, None, port, lambda address: None)
