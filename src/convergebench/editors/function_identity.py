"""What identifies a Python function that was passed as a model: its code, and the simple values it uses.

Source text of the function and of the functions it calls in its own module, default arguments, captured and
global values that are numbers, texts or truth values. Objects, such as loaded weights, are not looked into.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

_SIMPLE = (str, int, float, bool, bytes, type(None))


def function_digest(function: Callable[..., Any]) -> str:
    """The same in every process, for the same code and values."""
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:12]


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    if id(value) in seen:
        return
    if isinstance(value, _SIMPLE):
        yield repr(value)
        return
    seen.add(id(value))
    if isinstance(value, functools.partial):
        for one in (value.func, *value.args, *(part for item in value.keywords.items() for part in item)):
            yield from _parts(one, seen)
    elif isinstance(value, MethodType):
        yield from _object_parts(value.__self__, seen)
        yield from _parts(value.__func__, seen)
    elif isinstance(value, FunctionType):
        yield from _function_parts(value, seen)
    elif callable(value) and not isinstance(value, type):
        yield from _object_parts(value, seen)
    else:
        yield _type_name(value)


def _object_parts(value: Any, seen: set[int]) -> Iterator[str]:
    """Its class's code and its simple attributes."""
    yield _type_name(value)
    yield _source(type(value)) or ""
    for name, attribute in sorted(getattr(value, "__dict__", {}).items()):
        if isinstance(attribute, _SIMPLE):
            yield f"{name}={attribute!r}"


def _function_parts(function: FunctionType, seen: set[int]) -> Iterator[str]:
    yield _source(function) or _code_text(function.__code__)
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield from _parts(default, seen)
    captured = inspect.getclosurevars(function)
    for name, value in sorted({**captured.nonlocals, **captured.globals}.items()):
        if isinstance(value, _SIMPLE):
            yield f"{name}={value!r}"
        elif isinstance(value, FunctionType) and value.__module__ == function.__module__:
            yield from _parts(value, seen)


def _type_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _source(thing: Any) -> str | None:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or made by exec
        return None


def _code_text(code: CodeType) -> str:
    return f"{code.co_code.hex()} {code.co_names} {[_constant_text(one) for one in code.co_consts]}"


def _constant_text(constant: Any) -> str:
    if isinstance(constant, CodeType):
        return _code_text(constant)
    if isinstance(constant, frozenset):  # the order of its repr is another one in each process
        return f"frozenset({sorted(map(repr, constant))})"
    return repr(constant)
