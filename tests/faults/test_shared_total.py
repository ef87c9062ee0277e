"""--max-total with real processes at work in one workspace, and a provider that charges."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
from pathlib import Path

import pytest
from aiohttp import web

from convergebench.store import Workspace
from convergebench.store.spending import total_spent_usd
from faults.commands import prepare
from faults.kills import LIMIT_SECONDS, PROGRAM
from forked_python import ForkedPython
from servers.asking import RESULT
from servers.base import LoopbackServer

PROCESSES, AT_ONCE = 3, 2
LISTED_USD, CHARGED_USD, MOST_USD = 0.05, 0.1, 0.5
DESCRIPTION = """
name = "charging"
url = "{url}/edit"
price_usd = 0.05
picture = "image"
cost = "usd"
cost_unit_usd = 1.0

[body]
prompt = "{{instruction}}"
image = "{{image_base64}}"
"""


class ChargingServer(LoopbackServer):
    """Answers slowly enough that all processes have calls in flight, and charges more than is listed."""

    def __init__(self, charge_usd: float) -> None:
        super().__init__(picture=RESULT.encoded)
        self.charge_usd = charge_usd
        self.calls = 0

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/edit", self._edit)]

    async def _edit(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.calls += 1
        await asyncio.sleep(0.05)
        image = base64.b64encode(self.picture).decode()
        return web.json_response({"image": image, "usd": self.charge_usd})


def test_several_processes_pass_the_total_by_no_more_than_was_in_flight(tmp_path: Path) -> None:
    prepare(tmp_path)
    with ChargingServer(CHARGED_USD) as server:
        (tmp_path / "charging.toml").write_text(DESCRIPTION.format(url=server.url))
        words = ["run", "-m", "http:charging.toml", "--images", "photos", "--rounds", "3", "--metric", "psnr",
                 "--concurrency", str(AT_ONCE), "--max-total", str(MOST_USD), "--json"]  # fmt: skip
        running = [
            ForkedPython([*PROGRAM, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(PROCESSES)
        ]  # fmt: skip
        ended = [json.loads(process.communicate(timeout=LIMIT_SECONDS)[0]) for process in running]
    charged = server.calls * CHARGED_USD
    in_flight = PROCESSES * AT_ONCE
    assert charged <= MOST_USD + in_flight * (CHARGED_USD - LISTED_USD) + 1e-6
    assert charged > MOST_USD - CHARGED_USD, "it is used up"
    assert any(one["run"]["out_of_budget"] for one in ended)
    with Workspace.existing(tmp_path / "results") as workspace:
        assert total_spent_usd(workspace) == pytest.approx(charged), "every charge is on record"
