"""What a TOML file says of an HTTP API that edits pictures: how it is asked, and how its replies are read."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from convergebench.errors import WrongUse
from convergebench.settings_file import settings_from
from convergebench.types import Parameter, fingerprint_of

Kind = Literal["refused", "rate_limited", "unavailable", "misconfigured", "bad_output"]

SLOT = re.compile(r"\{([\w.]+)\}")
LIST_SLOT, FILE_SLOT = "images_data_uri", "image_file"
PICTURE_SLOTS = ("image_base64", "image_data_uri", LIST_SLOT, FILE_SLOT)
REQUEST_SLOTS = ("instruction", "seed", "width", "height", *PICTURE_SLOTS)
REPLY_PREFIX = "reply."
_WHAT = "http editor"


@dataclass(frozen=True)
class ErrorRule:
    """A reply that means an error: all that is given must hold."""

    kind: Kind
    status: tuple[str, ...] = ()
    """HTTP status codes."""
    path: str = ""
    """A place in the reply, which must exist."""
    contains: tuple[str, ...] = ()
    """Texts of which one is at that place, or in the error message; upper and lower case are the same."""
    is_value: tuple[str, ...] = ()
    """Values of which one is at that place."""
    reason: str = ""
    """What to say, if not what the reply says."""


@dataclass(frozen=True)
class JobPolling:
    """How a job that was accepted is followed; places are in the reply to `url`."""

    url: str
    status: str
    ready: tuple[str, ...]
    waiting: tuple[str, ...]
    refused: tuple[str, ...] = ()
    reason: str = ""
    result_url: str = ""
    """Where the result is, if not in the same reply."""
    seconds: float = 1.0


@dataclass(frozen=True)
class HttpDescription:
    url: str
    picture: str = ""
    """Place of the picture in the reply; without one, the reply itself is the picture."""
    name: str = ""
    price_usd: float | None = None
    key: str = ""
    """The environment variable that holds the key, for `{key}` in headers."""
    at_once: int = 4
    max_inputs: int = 1
    cost: str = ""
    """Place of the cost in the reply, in units of `cost_unit_usd`."""
    cost_unit_usd: float = 1.0
    sites: tuple[str, ...] = ()
    """Further domains of the provider that get the key too."""
    headers: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    """The request as JSON."""
    form: Mapping[str, Any] = field(default_factory=dict)
    """The request as a multipart form, instead."""
    polling: JobPolling | None = None
    errors: tuple[ErrorRule, ...] = ()

    @property
    def takes_seed(self) -> bool:
        return "seed" in set(_slots(self.body)) | set(_slots(self.form))

    @property
    def fingerprint(self) -> str:
        """Changes with the request; parameters are part of the editor's identity already."""
        return fingerprint_of(self.url, dict(self.body), dict(self.form), self.picture)


def read_description(path: Path) -> HttpDescription:
    """The file, checked; WrongUse says what is wrong with it."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}; http:FILE.toml names a file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path} is not valid TOML: {error}; correct it") from error
    try:
        return _checked(_description(content, path.stem))
    except WrongUse as error:
        raise WrongUse(f"{path}: {error}") from error


def _description(content: dict[str, Any], name: str) -> HttpDescription:
    polling, rules = content.pop("polling", None), content.pop("errors", [])
    plain = settings_from(HttpDescription, {"name": name, **content}, _WHAT)
    return HttpDescription(
        **{
            **vars(plain),
            "polling": settings_from(JobPolling, polling, "polling") if polling else None,
            "errors": tuple(settings_from(ErrorRule, rule, "error rule") for rule in rules),
        }
    )


def _checked(one: HttpDescription) -> HttpDescription:
    if one.body and one.form:
        raise WrongUse("body and form exclude each other; keep one")
    asked = {*_slots(one.body), *_slots(one.form)}
    if not asked & set(PICTURE_SLOTS):
        raise WrongUse(f"the request has no slot for the picture; use one of {', '.join(PICTURE_SLOTS)}")
    known = {*one.parameters, *REQUEST_SLOTS}
    _check_slots("the request", asked, known)
    _check_body(one.body)
    _check_form(one.form)
    _check_slots("url", _slots(one.url), set(one.parameters))
    _check_slots("headers", _slots(one.headers), {"key", *one.parameters})
    if "key" in _slots(one.headers) and not one.key:
        raise WrongUse('headers hold {key}; say key = "NAME" of the environment variable that it is in')
    if one.polling:
        places = {*_slots(one.polling.url), *_slots(one.polling.result_url)}
        _check_slots("polling", {slot for slot in places if not slot.startswith(REPLY_PREFIX)}, set())
    for name, value in one.parameters.items():
        if not isinstance(value, Parameter):
            raise WrongUse(f"parameters.{name} must be a text, a number, true or false, not {value!r}")
    return one


def _check_body(body: Mapping[str, Any]) -> None:
    if FILE_SLOT in _slots(body):
        raise WrongUse(
            f"{{{FILE_SLOT}}} is a file, which JSON cannot hold; use form, or {{image_base64}} or "
            "{image_data_uri} in body"
        )
    try:
        json.dumps(body)
    except TypeError as error:
        raise WrongUse(f"body cannot be written as JSON ({error}); put dates in quotes") from error


def _check_form(form: Mapping[str, Any]) -> None:
    for name, value in form.items():
        if not isinstance(value, Parameter):
            raise WrongUse(f"form.{name} must be a text, a number, true or false, not {value!r}")
        if LIST_SLOT in _slots(value):
            raise WrongUse(f"{{{LIST_SLOT}}} is a list, which a form cannot hold; use {{{FILE_SLOT}}}")
        if FILE_SLOT in _slots(value) and value != f"{{{FILE_SLOT}}}":
            raise WrongUse(f"form.{name} must be {{{FILE_SLOT}}} and nothing else, not {value!r}")


def _check_slots(where: str, found: Any, known: set[str]) -> None:
    for slot in sorted(set(found) - known):
        choices = ", ".join(f"{{{name}}}" for name in sorted(known)) or "{reply.PLACE}"
        raise WrongUse(f"{where} has the unknown slot {{{slot}}}; known here: {choices}")


def _slots(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield from SLOT.findall(template)
    elif isinstance(template, Mapping):
        for one in template.values():
            yield from _slots(one)
    elif isinstance(template, list):
        for one in template:
            yield from _slots(one)


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with values in its slots. A text that is one slot becomes the value, with its type; an
    entry whose slot holds '' is left out, so that a parameter can be switched off.

    >>> filled({"seed": "{seed}", "prompt": "Edit: {instruction}", "steps": "{steps}"},
    ...        {"seed": 3, "instruction": "a hat", "steps": ""})
    {'seed': 3, 'prompt': 'Edit: a hat'}
    """
    if isinstance(template, str):
        if whole := SLOT.fullmatch(template):
            return values[whole[1]]
        return SLOT.sub(lambda found: as_text(values[found[1]]), template)
    if isinstance(template, Mapping):
        entries = ((name, filled(one, values)) for name, one in template.items())
        return {name: value for name, value in entries if value != "" or template[name] == ""}
    if isinstance(template, list):
        return [filled(one, values) for one in template]
    return template


def as_text(value: Any) -> str:
    """A value inside a text, a header or a form; true and false as JSON spells them, and not as Python."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def at_place(reply: Any, place: str) -> Any:
    """What lies at a place such as `data.0.url` of a JSON reply; None where there is nothing."""
    for step in filter(None, place.split(".")):
        try:
            reply = reply[int(step) if isinstance(reply, list) else step]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return reply
