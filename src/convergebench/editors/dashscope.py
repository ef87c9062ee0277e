"""Qwen image editing at Alibaba Cloud's DashScope: one request, then the picture from its address."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any

from convergebench.editors._http import (
    DEADLINE_SECONDS,
    Web,
    check_inputs,
    data_uri,
    failure_of,
    picture_of,
    scrubbed,
    within,
    within_reply,
)
from convergebench.editors.needs import Key, Package
from convergebench.editors.registry import Preset, provider
from convergebench.types import (
    Edited,
    EditError,
    Editor,
    EditorFacts,
    EditRequest,
    Misconfigured,
    RateLimited,
    Refused,
    Unavailable,
)

MAX_INPUTS = 3
KEY = Key("DASHSCOPE_API_KEY")


class DashScope:
    """Prompts go as they are, without a watermark; an empty parameter is left to the model."""

    def __init__(
        self, facts: EditorFacts, key: str, *, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        options = {name: value for name, value in facts.parameters.items() if value != ""}
        self.facts = replace(facts, max_inputs=MAX_INPUTS)
        self._base_url = options.pop("base_url", None)
        self._options = options
        self._key = key
        self._web = Web(key)
        self._deadline_seconds = deadline_seconds
        # It logs every failed request with a traceback, which would land on the terminal if nobody listens.
        logging.getLogger("dashscope").addHandler(logging.NullHandler())

    async def edit(self, request: EditRequest) -> Edited:
        check_inputs(self.facts, request)
        async with within(self._deadline_seconds):
            answer = await self._call(request)
            if answer.status_code != 200:
                raise self._failure(answer)
            content = within_reply(answer, "output", "choices", 0, "message", "content")
            address = within_reply(content, 0, "image")
            picture = await picture_of(await self._web.fetch(address))
        return Edited(picture, cost_usd=self.facts.price_usd)

    async def close(self) -> None:
        await self._web.close()

    async def _call(self, request: EditRequest) -> Any:
        import aiohttp
        from dashscope import AioMultiModalConversation

        content = [{"image": data_uri(image)} for image in request.images]
        messages = [{"role": "user", "content": [*content, {"text": request.instruction}]}]
        try:
            # In our session a lost connection is no error that the SDK knows, so it does not ask again.
            return await AioMultiModalConversation.call(
                messages=messages,
                api_key=self._key,
                base_address=self._base_url,
                session=self._web.session,
                request_timeout=self._deadline_seconds,
                seed=request.seed,
                n=1,
                **self._options,
            )
        except (aiohttp.ClientError, json.JSONDecodeError) as error:
            raise Unavailable(f"the reply broke off: {type(error).__name__}") from error
        except TypeError as error:  # what the SDK makes of a reply without output
            raise Unavailable("the reply has no output") from error

    def _failure(self, answer: Any) -> EditError:
        code = answer.code or ""
        reason = scrubbed(f"{code}: {answer.message}", self._key)
        headers = {name.lower(): value for name, value in (answer.headers or {}).items()}
        if code.lower() in ("datainspectionfailed", "data_inspection_failed"):
            return Refused(reason)
        if code.startswith("Throttling") and answer.status_code != 429:
            return RateLimited(reason)
        if code in ("Arrearage", "InvalidApiKey", "ModelNotFound", "Model.AccessDenied"):
            return Misconfigured(reason)
        return failure_of(answer.status_code, reason, headers.get("retry-after"))


@provider(
    "dashscope",
    summary="Qwen image editing at Alibaba Cloud",
    version="1",
    needs=(KEY, Package("dashscope", "dashscope")),
    presets={"qwen-image-edit-plus": Preset("qwen-image-edit-plus", 0.03)},
    parameters={"base_url": "", "prompt_extend": False, "watermark": False},
)
def dashscope(facts: EditorFacts) -> Editor:
    return DashScope(facts, KEY.value() or "")
