"""--max-total with real processes at work in one workspace, and a provider that charges."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
from pathlib import Path

import pytest
from aiohttp import web

from convergebench.store import Workspace
from convergebench.store.spending import total_spent_usd
from faults.commands import prepare
from faults.kills import LIMIT_SECONDS, PROGRAM
from servers.asking import RESULT
from servers.base import LoopbackServer

PROCESSES, AT_ONCE = 3, 2
LISTED_USD, MOST_USD = 0.05, 0.5
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
    """Answers when every process has asked, or after a while, so that all have calls in flight."""

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


@pytest.mark.parametrize("charge_usd", [LISTED_USD, 2 * LISTED_USD], ids=["as listed", "twice the list"])
def test_several_processes_spend_no_more_than_the_total(charge_usd: float, tmp_path: Path) -> None:
    prepare(tmp_path)
    with ChargingServer(charge_usd) as server:
        (tmp_path / "charging.toml").write_text(DESCRIPTION.format(url=server.url))
        words = ["run", "-m", "http:charging.toml", "--images", "photos", "--rounds", "3", "--metric", "psnr",
                 "--concurrency", str(AT_ONCE), "--max-total", str(MOST_USD), "--json"]  # fmt: skip
        running = [
            subprocess.Popen([*PROGRAM, *words], cwd=tmp_path, env=os.environ, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(PROCESSES)
        ]  # fmt: skip
        ended = [json.loads(process.communicate(timeout=LIMIT_SECONDS)[0]) for process in running]
    charged = server.calls * charge_usd
    in_flight = PROCESSES * AT_ONCE
    assert charged <= MOST_USD + in_flight * (charge_usd - LISTED_USD) + 1e-6
    assert charged > MOST_USD - charge_usd, "it is used up"
    assert any(one["run"]["out_of_budget"] for one in ended)
    with Workspace.existing(tmp_path / "results") as workspace:
        assert total_spent_usd(workspace) == pytest.approx(charged), "every charge is on record"
