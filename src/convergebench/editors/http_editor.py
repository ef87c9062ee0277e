"""Any HTTP API that edits pictures, described by a small TOML file: `http:FILE.toml?parameter=value`.

docs/http-editor.md says what may stand in the file.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.editors._http import HttpReply, Web, data_uri, decoded, patiently, sentence
from convergebench.editors._http_description import (
    REPLY_PREFIX,
    SLOT,
    ErrorRule,
    HttpDescription,
    JobPolling,
    as_text,
    at_place,
    filled,
    read_description,
)
from convergebench.editors._remote import DEADLINE_SECONDS, deadline, edited_from, made_ready, sent_pictures
from convergebench.editors.needs import EditorKey, Package
from convergebench.editors.registry import NO_SEED, provider
from convergebench.errors import WrongUse, unknown_name
from convergebench.provider_limits import limits_at
from convergebench.providers import one_line, stated_cost_usd
from convergebench.types import (
    BadOutput,
    Edited,
    EditError,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Parameter,
    RateLimited,
    Refused,
    Unavailable,
)

if TYPE_CHECKING:
    import aiohttp

    from convergebench.picture import Picture

_ERRORS: Mapping[str, Callable[[str], EditError]] = {
    "refused": Refused,
    "rate_limited": RateLimited,
    "unavailable": Unavailable,
    "misconfigured": Misconfigured,
    "bad_output": BadOutput,
}


@provider(
    "http",
    summary="an HTTP API described by a file, as http:FILE.toml",
    version="1",
    needs=(Package("aiohttp", "http"),),
    sizes_itself=True,
)
def http_editor(facts: EditorFacts) -> HttpEditor:
    described = read_description(Path(str(facts.parameters["model"])).expanduser())
    given = {key: value for key, value in facts.parameters.items() if key != "model"}
    for key in given:
        if key not in described.parameters:
            raise unknown_name(f"parameter of {described.name}", key, described.parameters)
    parameters: dict[str, Parameter] = {**described.parameters, **given}
    changed = {key: value for key, value in sorted(given.items()) if value != described.parameters[key]}
    query = "&".join(f"{key}={value}" for key, value in changed.items())
    account = limits_at(described.name)
    return HttpEditor(
        replace(
            facts,
            name=f"http:{described.name}" + (f"?{query}" if query else ""),
            version=f"{facts.version}+{described.fingerprint}",
            parameters={"model": described.name, **parameters},
            price_usd=described.price_usd,
            max_inputs=described.max_inputs,
            provider=f"http {described.name}",
            at_once=account.at_once or described.at_once,
            per_minute=account.per_minute,
            warnings=() if described.takes_seed else (NO_SEED,),
        ),
        described,
    )


class HttpEditor:
    """One described API. What a reply says it cost goes before the description's price."""

    def __init__(
        self, facts: EditorFacts, described: HttpDescription, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        key = EditorKey(described.key) if described.key else None
        self.facts = facts
        self._described = described
        self._url = str(filled(described.url, facts.parameters))
        if not self._url.startswith(("http://", "https://")):
            raise WrongUse(f"{facts.name}: url must begin with http:// or https://, not {self._url}")
        self._secret = key.value() if key else None
        self._web = Web(self._url, key, described.sites)
        self._deadline_seconds = deadline_seconds

    async def edit(self, request: EditRequest) -> Edited:
        if self._described.key and not self._secret:
            raise Misconfigured(f"no key: set {self._described.key}")
        content = await made_ready(self._content, request)
        async with deadline(self._deadline_seconds) as bill:
            reply = await self._web.ask("POST", self._url, headers=self._headers, **content)
            answer = self._answer(reply)
            bill.usd = self._cost(answer, otherwise=self.facts.price_usd)
            if error := self._described_error(reply):
                raise error
            if self._described.polling:
                answer = await self._result(answer, self._described.polling)
                bill.usd = self._cost(answer, otherwise=bill.usd)
            data = await self._picture_in(answer)
        return await edited_from(data, bill.usd)

    async def close(self) -> None:
        await self._web.close()

    @property
    def _headers(self) -> dict[str, str]:
        values = {**self.facts.parameters, "key": self._secret}
        return {name: as_text(value) for name, value in filled(self._described.headers, values).items()}

    def _content(self, request: EditRequest) -> dict[str, Any]:
        pictures = sent_pictures(self.facts, request)
        values: dict[str, Any] = {
            **self.facts.parameters,
            "instruction": request.instruction,
            "seed": request.seed,
            "width": pictures[0].size[0],
            "height": pictures[0].size[1],
            "image_base64": base64.b64encode(pictures[0].encoded).decode(),
            "image_data_uri": data_uri(pictures[0]),
            "images_data_uri": [data_uri(picture) for picture in pictures],
            "image_file": pictures[0],
        }
        if self._described.form:
            return {"data": _as_form(filled(self._described.form, values))}
        return {"json": filled(self._described.body, values)}

    def _answer(self, reply: HttpReply) -> Any:
        """What the reply holds; an error status is raised as the description or HTTP says."""
        if reply.error:
            raise self._described_error(reply) or reply.error
        return reply.body if self._is_the_picture else reply.json()

    @property
    def _is_the_picture(self) -> bool:
        return not self._described.picture and not self._described.polling

    def _described_error(self, reply: HttpReply) -> EditError | None:
        """The error that the first fitting rule stands for."""
        if not self._described.errors:
            return None
        try:
            content = reply.json()
        except EditError:
            content = None
        rule = next((one for one in self._described.errors if _fits(one, reply, content)), None)
        if rule is None:
            return None
        said = rule.reason or reply.reason or sentence(at_place(content, rule.path) if rule.path else content)
        return _ERRORS[rule.kind](one_line(said, self._secret))

    async def _result(self, job: Any, polling: JobPolling) -> Any:
        url = _address(polling.url, job)
        while True:
            state = await patiently(lambda: self._state(url))
            status = str(at_place(state, polling.status))
            if status in polling.ready:
                break
            if status in polling.refused:
                raise Refused(self._with_reason(status, state, polling))
            if status not in polling.waiting:
                raise Unavailable(self._with_reason(status, state, polling), cost_usd=0.0)
            await asyncio.sleep(polling.seconds)
        return await self._finished(_address(polling.result_url, job)) if polling.result_url else state

    async def _state(self, url: str) -> Any:
        reply = await self._web.ask("GET", url, headers=self._headers)
        if reply.status == HTTPStatus.NOT_FOUND:
            raise Unavailable("the job cannot be found")
        return reply.good().json()

    async def _finished(self, url: str) -> Any:
        """The result of a job; an error that the description knows is the job's, any other one passes."""

        async def look() -> tuple[Any, EditError | None]:
            reply = await self._web.ask("GET", url, headers=self._headers)
            if error := self._described_error(reply):
                return None, error
            return reply.good().json(), None

        answer, error = await patiently(look)
        if error:
            error.cost_usd = 0.0
            raise error
        return answer

    async def _picture_in(self, answer: Any) -> bytes:
        if self._is_the_picture:
            return bytes(answer)
        found = at_place(answer, self._described.picture)
        if not isinstance(found, str) or not found:
            raise BadOutput(f"the reply has no {self._described.picture}")
        return await self._web.fetch(found) if found.startswith(("http:", "https:")) else decoded(found)

    def _cost(self, answer: Any, otherwise: float | None) -> float | None:
        units = at_place(answer, self._described.cost) if self._described.cost else None
        stated = stated_cost_usd(units, self._described.cost_unit_usd)
        return otherwise if stated is None else stated

    def _with_reason(self, status: str, state: Any, polling: JobPolling) -> str:
        reason = at_place(state, polling.reason) if polling.reason else None
        return one_line(f"{status}: {sentence(reason)}" if reason else status, self._secret)


def _fits(rule: ErrorRule, reply: HttpReply, content: Any) -> bool:
    if rule.status and str(reply.status) not in rule.status:
        return False
    found = at_place(content, rule.path) if rule.path else None
    if rule.path and found is None:
        return False
    if rule.is_value and str(found) not in rule.is_value:
        return False
    said = (sentence(found) if rule.path else reply.reason).lower()
    return not rule.contains or any(text.lower() in said for text in rule.contains)


def _address(template: str, job: Any) -> str:
    """An address with parts of the reply to the submission in it."""
    slots = SLOT.findall(template)
    values = {slot: at_place(job, slot.removeprefix(REPLY_PREFIX)) for slot in slots}
    for slot, value in values.items():
        if not isinstance(value, str | int):
            raise BadOutput(f"the reply has no {slot.removeprefix(REPLY_PREFIX)}")
    return str(filled(template, values))


def _as_form(fields: Mapping[str, Any]) -> aiohttp.FormData:
    from aiohttp import FormData

    form = FormData()
    for name, value in fields.items():
        if isinstance(value, str | int | float):
            form.add_field(name, as_text(value))
        else:
            _add_picture(form, name, value)
    return form


def _add_picture(form: aiohttp.FormData, name: str, picture: Picture) -> None:
    kind = picture.facts.media_type
    form.add_field(
        name, picture.encoded, filename=f"picture.{kind.removeprefix('image/')}", content_type=kind
    )
