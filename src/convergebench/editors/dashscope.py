"""Qwen image editing at Alibaba Cloud's DashScope: one request, then the picture from its address."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

from convergebench.editors._http import Web, data_uri, part_of
from convergebench.editors._remote import (
    DEADLINE_SECONDS,
    call_parameters,
    deadline,
    edited_from,
    made_ready,
    sent_pictures,
)
from convergebench.editors._short_names import short_names
from convergebench.editors.needs import EditorKey, Package
from convergebench.editors.registry import provider
from convergebench.network import unanswered
from convergebench.providers import error_for, one_line, seconds_in
from convergebench.types import (
    BadOutput,
    Edited,
    EditError,
    EditorFacts,
    EditRequest,
    RateLimited,
    Refused,
    UnusableAnswer,
)

KEY = EditorKey("DASHSCOPE_API_KEY")
MANY_PICTURES = 3
INSPECTION = ("datainspectionfailed", "data_inspection_failed")


@provider(
    "dashscope",
    summary="Qwen image editing at Alibaba Cloud, as dashscope:MODEL",
    version="1",
    needs=(KEY, Package("dashscope", "dashscope")),
    presets=short_names("dashscope"),
    parameters={"prompt_extend": False, "watermark": False, "base_url": ""},
    takes_seed=True,
    sizes_itself=True,
)
def dashscope(facts: EditorFacts) -> DashScope:
    return DashScope(facts)


class DashScope:
    """One model; it sends PNG. `base_url` chooses the region, as DASHSCOPE_HTTP_BASE_URL does."""

    def __init__(self, facts: EditorFacts, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        from dashscope import base_http_api_url

        self.facts = replace(facts, max_inputs=MANY_PICTURES)
        self._base_url = str(facts.parameters.get("base_url") or base_http_api_url)
        self._web = Web(self._base_url, KEY)
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        pictures = await made_ready(partial(sent_pictures, self.facts), request)
        content = [*({"image": data_uri(picture)} for picture in pictures), {"text": request.instruction}]
        options: dict[str, Any] = {
            "seed": request.seed,
            "n": 1,
            "messages": [{"role": "user", "content": content}],
            **call_parameters(self.facts, "base_url"),
        }
        async with deadline(self._deadline_seconds) as bill:
            answer = await self._call(options)
            if answer.status_code != 200:
                raise _explained(answer)
            bill.usd = self.facts.price_usd
            reply = part_of(answer, "output", "choices", 0, "message", "content")
            data = await self._web.fetch(part_of(reply, 0, "image"))
        return await edited_from(data, self.facts.price_usd)

    async def close(self) -> None:
        await self._web.close()

    async def _call(self, options: dict[str, Any]) -> Any:
        import aiohttp
        from dashscope import AioMultiModalConversation

        try:
            # In our session a lost connection is no error that the SDK knows, so it does not ask again.
            return await AioMultiModalConversation.call(
                api_key=KEY.value(),
                base_address=self._base_url,
                session=self._web.session,
                request_timeout=self._deadline_seconds,
                **options,
            )
        except (aiohttp.ClientError, json.JSONDecodeError) as error:
            raise unanswered(error, f"the reply was cut off: {type(error).__name__}") from error
        except RecursionError as error:
            raise UnusableAnswer("the reply is nested too deeply") from error
        except TypeError as error:  # what the SDK makes of a reply without output
            raise BadOutput("the reply has no output") from error


def _explained(answer: Any) -> EditError:
    code, status = answer.code or "", answer.status_code
    reason = one_line(f"{code}: {answer.message}", KEY.value())
    headers = {name.lower(): value for name, value in (answer.headers or {}).items()}
    after = seconds_in(headers.get("retry-after"))
    if code.lower() in INSPECTION:
        return Refused(reason)
    if code.startswith("Throttling"):
        return RateLimited(reason, after)
    return error_for(status, reason, key_name=KEY.names[0], after_seconds=after)
